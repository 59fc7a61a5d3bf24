package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/internal/app/session/export"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// List is a list that a person can browse: conversations, branches, changes. Front-ends render it and run the chosen
// action.
type List struct {
	Name  string // name of the command that shows it
	Title string
	None  string // text if it is empty
	Items []Item
	Main  string // default verb for an item

	Warnings []string // shown when it is opened
	Hints    []string // for its keys, least important first; nil for the usual ones
	Once     bool     // it closes when an item without Read is picked
	// Other returns the same list for another scope, on Tab; it may be nil.
	Other func(ctx context.Context) (*List, error)
	// Search searches everything in the items, best match first; nil if it is not searchable.
	Search func(ctx context.Context, words string) ([]Item, error)
	// Load holds slow reads that add items. They may run concurrently; Update returns all items read so far.
	Load   []func(ctx context.Context)
	Update func() []Item
}

// Item is an entry of a list. All its text is untrusted.
type Item struct {
	ID    string
	Name  string
	Facts []string  // a few words each: length, state
	Time  time.Time // zero if unknown or among the facts
	Below []string  // more about it, a line each
	Find  string    // more text that filtering matches
	Here  bool      // it is the current one
	Read  func(ctx context.Context) (Reading, error)
	Do    *Action // done when it is picked, if Read is nil
	Reset *Action // done on Del; may be nil

	Group string // name of the group above it; may be empty
	Value string // shown prominently; may be empty
	Set   bool   // the value was chosen by the user
	Note  string // shown while it is marked; may be empty
}

// Line returns the item on one line: name, facts and what is below.
func (it *Item) Line() string {
	facts := slices.Clone(it.Facts)
	if it.Here && !it.Time.IsZero() {
		facts = append(facts, "the current one")
	} else if !it.Time.IsZero() {
		facts = append(facts, it.Time.Local().Format(export.WhenLayout))
	}
	said := text.FirstLine(it.Name)
	if len(facts) > 0 {
		said += " (" + strings.Join(facts, ", ") + ")"
	}
	if len(it.Below) > 0 {
		said += ": " + terminal.Line(strings.Join(it.Below, "; "))
	}
	return said
}

// Reading is the content of an item, a history or changes, and its actions.
type Reading struct {
	About   string // description before the item's facts; may be empty
	Summary string // may be empty
	History []HistoryItem
	Changes []ShownChange
	Actions []Action
}

// Effect is how an action affects the chat.
type Effect int

// The effects. All but EffectNone require that no turn is running.
const (
	EffectNone     Effect = iota
	EffectContinue        // the chat continues with another conversation, Done.Moved
	EffectSwitch          // the chat continues with another branch, Done.Moved
	EffectUndo            // Done.Undone describes the notes
	EffectLeave           // the chat ends, and Done.Vault is opened
)

// Action can be done with an item.
type Action struct {
	Verb    string // name in commands
	Label   string
	Key     string   // shortcut letter; may be empty
	Usual   bool     // what is usually done with the item
	Not     string   // why it is impossible; empty if it is possible
	Asks    *Asking  // nil if it needs no text
	Choices *List    // of which one is to be picked instead; may be nil
	Consent *Consent // nil if it needs no consent
	Effect  Effect
	Screen  bool // only on a screen
	Do      func(ctx context.Context, text string) (Done, error)
}

// Asking describes the text input that an action needs.
type Asking struct {
	Title, About, Word, Begin string
	Masked                    bool // it is a secret
}

// Consent is the question before an action. Items are its consequences, a line each; Cost summarizes them.
type Consent struct {
	Title, About, Yes, No string
	Quoted, Cost          string
	Items                 []string
}

// Done is the result of an action.
type Done struct {
	Said    string // without final punctuation, unless Long
	Long    bool   // Said consists of sentences to keep in the transcript
	Moved   Moved
	Undone  Undone
	Retitle *Past               // has a new title
	Model   *provider.ModelUsed // the model from the next turn on
	Retry   *Unfinished         // a message to run again
	Removed *Unfinished         // a message that left the inbox
	Edit    bool                // the user wants to edit it
	Setting *SettingChange      // a changed setting
	Vault   string              // the folder of the vault to open
	Changed bool                // the list has changed
	Filter  string              // text to filter the changed list by
}

// Archive provides the vault's conversations for a list.
type Archive interface {
	List(ctx context.Context) ([]Past, error)                   // the active one, then newest first
	Search(ctx context.Context, query string) ([]Past, error)   // in all messages, best match first
	Read(ctx context.Context, id string) ([]HistoryItem, error) // a whole conversation
	// Continue opens another conversation and returns its end.
	Continue(ctx context.Context, id string) (Page, error)
	Rename(ctx context.Context, id, title string) error
	Delete(ctx context.Context, id string) error
	Export(ctx context.Context, id string) (path string, err error) // to a new file
}

// maxAbout is the maximum length of a shown summary, in bytes.
const maxAbout = 2000

// ListConversations returns the list of the vault's conversations.
func ListConversations(ctx context.Context, a Archive) (*List, error) {
	all, err := a.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("the conversations could not be read: %w", err)
	}
	item := func(p Past) Item { return pastItem(a, p) }
	return &List{
		Name: "conversations", Title: "Conversations", None: "No conversations yet", Items: listItems(all, item), Main: "continue",
		Search: func(ctx context.Context, words string) ([]Item, error) {
			found, err := a.Search(ctx, words)
			return listItems(found, item), err
		},
	}, nil
}

func listItems[T any](all []T, item func(T) Item) []Item {
	items := make([]Item, len(all))
	for i, x := range all {
		items[i] = item(x)
	}
	return items
}

func pastItem(a Archive, p Past) Item {
	it := Item{ID: p.ID, Name: TitleOf(p.Entry), Facts: []string{text.Count(p.Turns, "turn")}, Below: p.Excerpts, Here: p.Here, Find: p.First + "\n" + p.Summary}
	switch {
	case p.Here:
		it.Facts = append(it.Facts, "active")
	case p.Elsewhere:
		it.Facts = append(it.Facts, "in another window")
	default:
		it.Time = cmp.Or(p.Ended, p.Last)
	}
	it.Read = func(ctx context.Context) (Reading, error) {
		history, err := a.Read(ctx, p.ID)
		return Reading{Summary: text.Head(p.Summary, maxAbout), History: history, Actions: pastActions(a, p)}, err
	}
	return it
}

func pastActions(a Archive, p Past) []Action {
	ends, begun := "", ""
	switch {
	case p.Here:
		begun, ends = "That is already the active one", "That is the active conversation; /new starts another, and then it can be deleted"
	case p.Ended.IsZero():
		ends = "It has not ended, so it is not deleted"
	}
	name := TitleOf(p.Entry)
	return []Action{
		{Verb: "continue", Label: "Continue it", Not: begun, Effect: EffectContinue, Do: func(ctx context.Context, _ string) (Done, error) {
			page, err := a.Continue(ctx, p.ID)
			return Done{Said: "Your next message continues it", Moved: Moved{Page: page}}, err
		}},
		{
			Verb: "rename", Label: "Rename…", Asks: &Asking{Title: "Rename this conversation", About: "What was it about, in a few words?", Word: "TITLE", Begin: p.Title},
			Do: func(ctx context.Context, title string) (Done, error) {
				renamed := p
				renamed.Title = title
				return Done{Said: "Renamed to “" + title + "”", Retitle: &renamed, Changed: true}, a.Rename(ctx, p.ID, title)
			},
		},
		{Verb: "export", Label: "Export", Do: func(ctx context.Context, _ string) (Done, error) {
			path, err := a.Export(ctx, p.ID)
			return Done{Said: "Written to " + path}, err
		}},
		{
			Verb: "delete", Label: "Delete…", Not: ends,
			Consent: &Consent{Title: "Delete this conversation?", About: "This cannot be undone.", Quoted: TitleOf(p.Entry), Yes: "Delete it", No: "Keep it", Cost: "“" + name + "” would be deleted for good"},
			Do: func(ctx context.Context, _ string) (Done, error) {
				return Done{Said: "Deleted: “" + name + "”", Changed: true}, a.Delete(ctx, p.ID)
			},
		},
	}
}

// Ways provides the branches of the conversation, the active one first.
type Ways interface {
	Branches(ctx context.Context) ([]Branch, error)
	Switch(ctx context.Context, branchID string) (Moved, error)
}

// ListBranches returns the list of branches, if there is more than one.
func ListBranches(ctx context.Context, w Ways) (*List, error) {
	all, err := w.Branches(ctx)
	if err != nil {
		return nil, fmt.Errorf("the branches could not be read: %w", err)
	}
	list := &List{Name: "branches", Title: "Branches of this conversation", None: "This conversation has no branches; /edit makes one", Main: "switch"}
	if len(all) < 2 {
		return list, nil
	}
	for _, b := range all {
		a := Action{
			Verb: "switch", Label: "Switch to it", Usual: true, Effect: EffectSwitch,
			Do: func(ctx context.Context, _ string) (Done, error) {
				moved, err := w.Switch(ctx, b.ID)
				return Done{Said: "Your next message continues it", Moved: moved}, err
			},
		}
		about := "It was left"
		if b.Active {
			about, a.Not = "The current one", "That is already the active one"
		}
		list.Items = append(list.Items, Item{
			ID: b.ID, Name: cmp.Or(b.First, "(nothing sent in it yet)"), Facts: []string{text.Count(b.Turns, "turn")}, Time: b.Ended, Here: b.Active,
			Read: func(context.Context) (Reading, error) {
				return Reading{About: about, History: b.History, Actions: []Action{a}}, nil
			},
		})
	}
	return list, nil
}

// ChangeLog provides the changes of the vault and undoes them.
type ChangeLog interface {
	List(ctx context.Context) ([]ChangedTurn, error) // newest first
	Show(ctx context.Context, id string) ([]ShownChange, error)
	// Undo undoes a turn's changes; an empty id means the last turn that has not been undone. Redo restores what the
	// last undo undid. Errors are plain sentences.
	Undo(ctx context.Context, id string) (Undone, error)
	Redo(ctx context.Context) (Undone, error)
	// Since returns the turns with changes since a time that UndoSince would undo, newest first.
	Since(ctx context.Context, from time.Time) ([]ChangedTurn, error)
	UndoSince(ctx context.Context, from time.Time) (Undone, error)
}

// maxDid is how many changes of a turn a list shows, maxFind how many filtering matches.
const maxDid, maxFind = 3, 50

// ListChanges returns the list of changes of the vault by turn.
func ListChanges(ctx context.Context, log ChangeLog) (*List, error) {
	turns, err := log.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("the changes could not be read: %w", err)
	}
	return &List{
		Name: "changes", Title: "Changes in this vault", None: "No changes yet", Main: "read",
		Items: listItems(turns, func(t ChangedTurn) Item { return changeItem(log, t) }),
	}, nil
}

func changeItem(log ChangeLog, t ChangedTurn) Item {
	facts := slices.DeleteFunc([]string{t.State(), t.Source}, func(fact string) bool { return fact == "" })
	it := Item{ID: t.ID, Name: t.Name(), Facts: facts, Time: t.Time, Find: strings.Join(t.Changes[:min(len(t.Changes), maxFind)], "\n")}
	if t.Title != "" || len(t.Changes) != 1 { // else the name is the change
		it.Below = t.Changes[:min(len(t.Changes), maxDid)]
		if n := len(t.Changes) - maxDid + 1; n > 1 {
			it.Below = append(slices.Clone(t.Changes[:maxDid-1]), "and "+text.Count(n, "more change"))
		}
	}
	it.Read = func(ctx context.Context) (Reading, error) {
		shown, err := log.Show(ctx, t.ID)
		actions := changeActions(log, t)
		if after, err := UndoSince(ctx, log, t.First); err == nil && len(after.Consent.Items) > 1 {
			actions = append(actions, after)
		}
		return Reading{About: text.Count(len(t.Changes), "change"), Changes: shown, Actions: actions}, err
	}
	return it
}

// Name returns the display name of a turn. It is empty if nothing is known about it.
func (t *ChangedTurn) Name() string {
	name := t.Title
	if name == "" && len(t.Changes) > 0 {
		name = text.Capital(t.Changes[0])
	}
	switch t.Undoes {
	case "undo":
		return "Undone: " + name
	case "redo":
		return "Restored: " + name
	}
	return name
}

func changeActions(log ChangeLog, t ChangedTurn) []Action {
	undo := Action{Verb: "undo", Label: "Undo it… (u)", Key: "u", Effect: EffectUndo}
	consent := Consent{Title: "Undo this?", About: "Anything changed since is kept and listed. /redo undoes this.", Yes: "Undo it", No: "Keep it", Items: t.Back, Cost: "These changes would be made"}
	if t.Undoes == "undo" {
		undo.Label, consent.Title, consent.Yes = "Restore it… (u)", "Restore this?", "Restore it"
	}
	switch {
	case t.Running:
		undo.Not = "It is still running"
	case t.Undone:
		undo.Not = "It was undone; “Undone: …” in the list restores it"
	}
	undo.Consent = &consent
	undo.Do = func(ctx context.Context, _ string) (Done, error) {
		u, err := log.Undo(ctx, t.ID)
		return Done{Undone: u}, err
	}
	return []Action{undo}
}
