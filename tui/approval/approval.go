// Package approval is what the running turn waits for: consent to a change, a key, a setting. It promises
// that one is shown at a time, the oldest first, that each takes no key but Esc in its first half second,
// that Esc stops the turn, and that one whose answer was not taken is shown again.
package approval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// Screen is the chat below.
type Screen interface {
	// Flash shows a passing word in the status line, Say adds to the transcript.
	Flash(text string, d time.Duration) tea.Cmd
	Say(it list.Item)
	// PushUnasked opens a dialog nobody asked for, Remove closes one.
	PushUnasked(d dialog.Dialog)
	Remove(d dialog.Dialog)
	// Writing says that a text is being written.
	Writing() bool
	// Stop stops the turn.
	Stop() tea.Cmd
}

// Answerer takes answers; an error when nobody waits for one any more, or when it is no answer.
type Answerer interface {
	Answer(id string, a event.Answer) error
}

// Requests are what is waited for, oldest first.
type Requests struct {
	Screen
	env    *chat.Env
	turn   Answerer
	open   []asking
	dialog dialog.Dialog // of the one that is shown; nil: none is
	shown  string        // its id
	parts  []partsTaken
}

// New waits for nothing.
func New(s Screen, env *chat.Env, turn Answerer) *Requests {
	return &Requests{Screen: s, env: env, turn: turn}
}

// Asking says that a request is shown.
func (r *Requests) Asking() bool { return r.dialog != nil }

// Shows says that a dialog is the one of a request.
func (r *Requests) Shows(d dialog.Dialog) bool { return r.dialog != nil && d == r.dialog }

// Open says that there is one that has not ended.
func (r *Requests) Open() bool { return len(r.open) > 0 }

// Next is the oldest that is not answered.
func (r *Requests) Next() (event.Request, bool) {
	for _, x := range r.open {
		if !x.answered {
			return x.Request, true
		}
	}
	return event.Request{}, false
}

// partsTaken is what is to be said of a change that was taken in part, once it was made.
type partsTaken struct{ tool, text string }

// asking is a request that has not ended. One that was answered stays until the turn took the
// answer: where it did not, it is shown again.
type asking struct {
	event.Request
	answered bool
	outdated bool // what it is about changed since on disk
}

// Answer is what the user decided about a request.
type Answer struct {
	ID string
	event.Answer
}

// Requested shows a request, or keeps it until those before it are decided.
func (r *Requests) Requested(x event.Request) {
	r.open = append(r.open, asking{Request: x})
	r.show()
}

// show shows the oldest request that is not answered, if none is shown.
func (r *Requests) show() {
	next, ok := r.Next()
	if r.dialog != nil || !ok {
		return
	}
	r.dialog, r.shown = r.dialogOf(next), next.ID
	for _, x := range r.open {
		r.sayOutdated(x)
	}
	r.PushUnasked(r.dialog)
}

func (r *Requests) dialogOf(x event.Request) dialog.Dialog {
	if x.Kind == event.RequestApproval {
		return r.approval(x)
	}
	title := "A setting is needed: " + x.Name
	if x.Kind == event.RequestSecret {
		title = "A key is needed: " + x.Name
	}
	give := func(value string) any { return Answer{x.ID, event.Answer{Decision: event.Provide, Value: value}} }
	d := dialog.NewAsk(r.env.Styles, title, x.Text, x.Kind == event.RequestSecret, give, loop.Now(r.Stop),
		"Enter submits", "Esc stops")
	if r.Writing() {
		d.Aside()
	}
	return d
}

func (r *Requests) approval(x event.Request) dialog.Dialog {
	said := wordsOf(string(x.Change.Kind))
	what := dialog.Proposed{Request: x, Title: said.title}
	switch {
	case x.Change.Unread:
		what.Warning = "The agent has not read this note."
	case x.Change.Destructive:
		what.Warning = said.warning
	}
	decide := func(d event.Decision) Answer { return Answer{x.ID, event.Answer{Decision: d}} }
	choices := []dialog.Choice{
		{Key: "y", Label: "Allow once (y)", Result: decide(event.AllowOnce)},
		{Key: "a", Label: "Allow " + said.many + " for this conversation (a)", Short: "Allow " + said.many + " in this chat (a)", Result: decide(event.AllowConversation)},
		{Key: "n", Label: "Deny (n)", Result: decide(event.Deny), Safe: true},
		{Key: "r", Label: "Deny with a reason… (r)", Short: "Deny, why… (r)", Note: func(why string) any {
			return Answer{x.ID, event.Answer{Decision: event.Deny, Note: why}}
		}},
	}
	if x.Change.Kind == "use_tool" {
		always := dialog.Choice{Key: "f", Label: "Allow this tool for good, until it changes (f)", Short: "Allow for good (f)", Result: decide(event.AllowAlways)}
		choices = slices.Insert(choices, 2, always)
	}
	if x.Change.Pick {
		choices = slices.Insert(choices, 2, dialog.Choice{Key: "p", Label: "Choose parts… (p)", Pick: func(hunks []int) any {
			return Answer{x.ID, event.Answer{Decision: event.AllowOnce, Hunks: hunks}}
		}})
	}
	return dialog.NewApproval(r.env.Styles, what, choices, loop.Now(r.Stop), r.Writing())
}

// changeWords puts a kind of change into words.
type changeWords struct{ title, many, warning string }

var words = map[string]changeWords{
	"create":        {"Create this note?", "new notes", ""},
	"overwrite":     {"Overwrite this note?", "overwriting", "Removes more than half of it."},
	"edit":          {"Change this note?", "edits", "Removes more than half of it."},
	"update_links":  {"Update the links to what moves?", "updating links", ""},
	"move":          {"Move this?", "moves", ""},
	"delete":        {"Delete this?", "deletions", ""},
	"create_folder": {"Create this folder?", "new folders", ""},
	"use_tool":      {"Use this tool of another program?", "this tool", ""},
}

func wordsOf(kind string) changeWords {
	return cmp.Or(words[kind], changeWords{"Make this change?", "such changes", "It may remove text."})
}

// Answer gives the turn what the user decided, and goes on to the next request.
func (r *Requests) Answer(a Answer) tea.Cmd {
	if i := r.at(a.ID); i >= 0 {
		r.open[i].answered = true
	}
	r.hide(a.ID)
	return func() tea.Msg {
		if err := r.turn.Answer(a.ID, a.Answer); err != nil {
			return loop.Do(func() tea.Cmd { return r.refused(a.ID, err) })
		}
		return nil
	}
}

// What an approval says whose note somebody changed: the tools make no such change.
const (
	outdated      = "Changed on disk since"
	outdatedMeans = "Allowing this has no effect: the agent must look again first."
)

// Outdate notes that a note changed on disk that a request may be about.
func (r *Requests) Outdate(note string) {
	for i := range r.open {
		x := &r.open[i]
		if x.Kind == event.RequestApproval && concerns(x.Request, note) {
			x.outdated = true
			r.sayOutdated(*x)
		}
	}
}

// concerns says whether a change is made from what a note says, or from what lies at its path.
func concerns(r event.Request, note string) bool {
	c := r.Change
	if note == c.Path || strings.HasPrefix(note, c.Path+"/") || c.NewPath != "" && note == c.NewPath {
		return true
	}
	for _, l := range c.Rewrites {
		if l.Path == note {
			return true
		}
	}
	return false
}

// at is the place of a request by its id; -1: it has ended.
func (r *Requests) at(id string) int {
	return slices.IndexFunc(r.open, func(x asking) bool { return x.ID == id })
}

// sayOutdated says so in the dialog of a request, where that is the one that is shown.
func (r *Requests) sayOutdated(x asking) {
	if d, ok := r.dialog.(*dialog.Approval); ok && x.outdated && r.shown == x.ID {
		d.Outdate(outdated, outdatedMeans)
	}
}

// refused shows a request again whose answer was not taken, if it waits still.
func (r *Requests) refused(id string, err error) tea.Cmd {
	i := r.at(id)
	if i < 0 {
		return nil
	}
	r.open[i].answered = false
	r.show()
	return r.Flash("Not accepted: "+err.Error()+".", 6*time.Second)
}

// Ended takes a request away that was answered or withdrawn.
func (r *Requests) Ended(e event.RequestEnded) {
	if i := r.at(e.ID); i >= 0 {
		x := r.open[i]
		if len(e.Hunks) > 0 && x.Change.Prose != nil {
			r.parts = append(r.parts, partsTaken{x.Change.Tool, fmt.Sprintf("Accepted %d of %d parts of the change of %s.", len(e.Hunks), len(x.Change.Prose.Hunks), x.Change.Path)})
		}
		if e.Decision == event.AllowAlways {
			r.Say(chat.NewNotice(r.env, "Allowed always, until it changes: "+x.Change.Path+"."))
		}
		if e.Decision == event.AllowConversation {
			r.Say(chat.NewNotice(r.env, "Allowed for this conversation: "+wordsOf(string(x.Change.Kind)).many+"."))
		}
		r.open = slices.Delete(slices.Clone(r.open), i, i+1)
	}
	r.hide(e.ID)
}

// SayParts says which part of a change was taken when the tool that makes it ends, unless it failed:
// tools that write run one after another.
func (r *Requests) SayParts(e event.ToolFinished) {
	i := slices.IndexFunc(r.parts, func(p partsTaken) bool { return p.tool == e.Name })
	if i < 0 {
		return
	}
	text := r.parts[i].text
	r.parts = slices.Delete(r.parts, i, i+1)
	if !e.IsError {
		r.Say(chat.NewNotice(r.env, text))
	}
}

// hide closes the dialog of a request, if it is the one that is shown, and shows the next.
func (r *Requests) hide(id string) {
	if r.dialog != nil && r.shown == id {
		r.Remove(r.dialog)
		r.dialog = nil
	}
	r.show()
}

// Withdraw closes what the turn asked: it is being stopped, or it is over.
func (r *Requests) Withdraw() {
	if r.dialog != nil {
		r.Remove(r.dialog)
	}
	r.open, r.dialog, r.shown, r.parts = nil, nil, "", nil
}

// Title is what an approval asks.
func Title(x event.Request) string { return wordsOf(string(x.Change.Kind)).title }
