package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/agent/pending"
	"chatvault/conversation"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// ChangedTurn is a turn that changed something in the vault.
type ChangedTurn struct {
	ID      string
	Title   string    // first words of the request; may be empty
	Source  string    // where it was requested if not in the chat: "ask", "tool", "mcp"
	Time    time.Time // of its last change
	First   time.Time // of its first change
	Changes []string  // what it did, a line each: "edited Recipes/Tart.md"
	Back    []string  // what an undo does, a line each: "Recipes/Tart.md is restored"
	Undone  bool      // all of it was undone
	Partly  bool      // some of it was undone
	Undoes  string    // "undo" or "redo" if it undid another turn's changes or restored them
	Running bool
	Cut     bool // the program exited during the turn
}

// State describes whether a turn's changes were undone or restored. It is empty if they are unchanged.
func (t *ChangedTurn) State() string {
	back := "undone"
	if t.Undoes == "undo" {
		back = "restored since"
	}
	switch {
	case t.Undone:
		return back
	case t.Partly:
		return "partly " + back
	case t.Running:
		return "running"
	case t.Cut:
		return "cut off"
	}
	return ""
}

// ShownChange is a change of a turn, for display.
type ShownChange struct {
	What  string          // "edited Recipes/Tart.md"
	Note  string          // remark, may be empty
	Prose *prosediff.Diff // nil if there is nothing to show
}

// Undone is the result of an undo or a redo.
type Undone struct {
	Title string   // title of the turn
	Lines []string // what was done, a line each
	Left  []string // what was not undone, and why, a line each

	Restored bool // the turn was itself an undo
}

// Changes lists the changes of the vault and undoes them.
type Changes struct {
	vault   *vault.Vault
	state   *os.Root
	log     *slog.Logger
	manager *conversation.Manager
	windows *windowLocks
}

// maxChangedTurns is the maximum number of turns that the chat lists.
const maxChangedTurns = 500

// List returns the turns that changed something, newest first.
func (ch *Changes) List(ctx context.Context) ([]ChangedTurn, error) {
	turns, err := ch.vault.History.Turns(ctx, maxChangedTurns)
	if err != nil {
		return nil, err
	}
	return ChangedTurns(turns), nil
}

// ChangedTurns converts turns of the journal.
func ChangedTurns(turns []journal.Turn) []ChangedTurn {
	list := make([]ChangedTurn, len(turns))
	for i := range turns {
		list[i] = ChangedTurnOf(&turns[i])
	}
	return list
}

// ChangedTurnOf converts a turn of the journal.
func ChangedTurnOf(t *journal.Turn) ChangedTurn {
	c := ChangedTurn{
		ID: t.Turn, Title: t.Title, Source: t.Source, Time: t.Last().Local(), First: t.Began,
		Undone: t.Undone, Partly: t.Partly, Running: t.Running, Cut: t.Cut(),
	}
	switch t.Source {
	case "chat":
		c.Source = ""
	case "undo", "redo":
		c.Source, c.Undoes = "", t.Source
	}
	if len(t.Changes) > 0 {
		c.First = t.Changes[0].Time
	}
	c.Changes = text.Of(t.Changes, func(ch journal.Change) string { return ch.Text() })
	for _, change := range slices.Backward(t.Changes) {
		if line := backLine(&change); line != "" {
			c.Back = append(c.Back, line)
		}
	}
	return c
}

// backLine describes what undoing a change does. It is empty if there is nothing to undo.
func backLine(c *journal.Change) string {
	if c.State == journal.Failed || c.Undone {
		return ""
	}
	switch c.Op {
	case "create", "restore":
		return c.Path + " goes away"
	case "overwrite":
		if n := len(c.Files); n > 1 {
			return fmt.Sprintf("%d files are restored", n)
		}
		return c.Path + " is restored"
	case "move":
		line := c.NewPath + " moves back to " + c.Path
		links := 0
		for i := range c.Files {
			links += c.Files[i].Links
		}
		if links > 0 {
			line += ", and links to it with it"
		}
		return line
	case "delete", "remove":
		return c.Path + " comes back"
	case "mkdir":
		return "the folder " + c.Path + " goes away, where it is empty"
	case "rmdir":
		return "the folder " + c.Path + " comes back"
	}
	return ""
}

// Limits of what is shown of a turn.
const (
	maxShownFiles = 60
	maxShownBytes = 1 << 20 // per file, before or after
)

// Show returns the changes of a turn, for display.
func (ch *Changes) Show(ctx context.Context, id string) ([]ShownChange, error) {
	turns, err := ch.vault.History.Turns(ctx, 0)
	if err != nil {
		return nil, err
	}
	t, err := vault.FindTurn(turns, id)
	if err != nil {
		return nil, err
	}
	var shown []ShownChange
	files, left := 0, 0
	for i := range t.Changes {
		c := &t.Changes[i]
		at := len(shown)
		shown = append(shown, ShownChange{What: c.Text(), Note: c.Reason})
		for k := range c.Files {
			f := &c.Files[k]
			if f.Before == f.After {
				continue
			}
			if files++; files > maxShownFiles {
				left++
				continue
			}
			s := ch.shownFile(ctx, f)
			if len(c.Files) == 1 {
				shown[at].Prose, shown[at].Note = s.Prose, strings.TrimSpace(c.Reason+" "+s.Note)
				continue
			}
			shown = append(shown, s)
		}
	}
	if left > 0 {
		shown = append(shown, ShownChange{What: fmt.Sprintf("… %d more files, too many to be shown here", left), Note: "chatvault changes --diff shows them."})
	}
	return shown, nil
}

// shownFile returns the change of one file.
func (ch *Changes) shownFile(ctx context.Context, f *journal.File) ShownChange {
	s := ShownChange{What: f.Path}
	if f.Links > 0 {
		s.What = "links in " + f.Path
	}
	if max(f.Size, f.NewSize) > maxShownBytes {
		s.Note = "It is too long to be shown."
		return s
	}
	switch v := ch.vault.History.Version(ctx, f); {
	case !v.Known:
		s.Note = "Its earlier text is no longer kept."
	case !isText(v.Before) || !isText(v.After):
		s.Note = "It is not text."
	default:
		s.Prose = prosediff.Compare(string(v.Before), string(v.After))
	}
	return s
}

// Undo undoes a turn's changes, and records it for the agent. An empty id means the last turn that can be undone. Turns
// that are running continue at the same time, change by change.
func (ch *Changes) Undo(ctx context.Context, id string) (Undone, error) {
	if id == "" {
		var err error
		if id, err = ch.last(ctx); err != nil {
			return Undone{}, err
		}
	}
	u, err := ch.vault.History.Undo(ctx, id)
	return ch.undone(u, false), err
}

// Redo restores what the last undo undid, and records it for the agent.
func (ch *Changes) Redo(ctx context.Context) (Undone, error) {
	u, err := ch.vault.History.Redo(ctx)
	return ch.undone(u, true), err
}

func (ch *Changes) undone(u vault.Undone, restored bool) Undone {
	ch.recordUndo(u, restored)
	return Undone{Title: u.Turn.Title, Lines: u.Lines, Restored: u.Turn.Source == "undo", Left: text.Of(u.Refused, refusalLine)}
}

// recordUndo records an undo or a redo for the agent.
func (ch *Changes) recordUndo(u vault.Undone, restored bool) {
	said := ToldOf(ch.vault, u, restored)
	if said == "" {
		return
	}
	if err := pending.AddUndo(ch.state, ch.manager.ID(), said); err != nil {
		ch.log.Warn("the agent is not told of what was taken back", "error", err)
	}
}

// refusalLine describes a file that was not undone and what to do about it.
func refusalLine(r vault.Refusal) string {
	if strings.Contains(r.Why, r.Path) {
		return r.Why
	}
	return r.Path + " — " + r.Why
}

// ToldOf returns the sentence that informs the agent of an undo or a redo, or "" if it needs none.
func ToldOf(v *vault.Vault, u vault.Undone, restored bool) string {
	if u = visibleUndo(v, u); len(u.Lines) == 0 || notOurAgent(u.Turn.Source) {
		return ""
	}
	what := "undid"
	if restored || u.Turn.Source == "undo" {
		what = "restored"
	}
	said := "The user " + what + " what was changed"
	if u.Turn.Title != "" {
		said += " for “" + text.OneLine(u.Turn.Title) + "”"
	}
	said += ": " + strings.Join(u.Lines, "; ") + "."
	if len(u.Refused) > 0 {
		said += " Unchanged: " + strings.Join(text.Of(u.Refused, func(r vault.Refusal) string { return r.Path }), ", ") + "."
	}
	return said
}

// maintainJournal settles a change that a crash interrupted and prunes the journal.
func (a *Session) maintainJournal(ctx context.Context) {
	if err := a.vault.History.Recover(ctx); err != nil {
		a.warnings.add(err.Error())
	}
	pruned, err := a.vault.History.Prune(ctx, home.JournalLimits(a.config))
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		a.Log().Warn("the journal was not pruned", "error", err)
	case pruned.Turns > 0:
		a.Log().Info("the journal was pruned", "turns", pruned.Turns, "bytes", pruned.Bytes)
	}
}

// turnEnded records in the journal that a turn ended normally.
func (a *Session) turnEnded(id string) {
	if err := a.vault.History.EndTurn(id); err != nil {
		a.Log().Warn("the end of a turn could not be noted in the journal", "turn", id, "error", err)
	}
}

// last returns the last turn that can be undone, except those of other windows' conversations. It is empty if there is
// none.
func (ch *Changes) last(ctx context.Context) (string, error) {
	turns, err := ch.vault.History.Turns(ctx, 0)
	if err != nil {
		return "", err
	}
	undoable := vault.Since(turns, time.Time{})
	for _, t := range undoable {
		if t.Conversation == "" || !ch.windows.has(conversation.Entry{ID: t.Conversation}) {
			return t.Turn, nil
		}
	}
	if len(undoable) > 0 {
		err = errors.New("the last changes are another window's: undo them there, or with /changes")
	}
	return "", err
}
