package pickers

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// ChangeLog is what the agent changed in the vault, and how it is taken back.
type ChangeLog interface {
	List(ctx context.Context) ([]session.ChangedTurn, error) // newest first
	Show(ctx context.Context, id string) ([]session.ShownChange, error)
	// Undo takes a turn's changes back; "": those of the last turn that is not taken back. Redo
	// restores what the last undo took back. Errors say in plain words why not.
	Undo(ctx context.Context, id string) (session.Undone, error)
	Redo(ctx context.Context) (session.Undone, error)
}

// Changes is what was changed, turn by turn, looked through and taken back.
type Changes struct {
	*Base
	Log     ChangeLog
	undoing bool // changes are being taken back, or restored
}

// Open is /changes.
func (c *Changes) Open() tea.Cmd {
	return fetch(c.Base, "The changes could not be read: ", c.Log.List, c.show)
}

func (c *Changes) show(turns []session.ChangedTurn) tea.Cmd {
	rows := make([]dialog.Row, len(turns))
	for i, t := range turns {
		rows[i] = c.row(t)
	}
	c.browse(dialog.NewPicker(c.env.Styles, "Changes in this vault", "No changes yet", rows, []string{
		"Type to filter · Enter to see what changed · Esc to close", "Enter to open · Esc to close",
	}))
	return nil
}

// maxDid is how many changes of a turn the list shows.
const maxDid = 3

func (c *Changes) row(t session.ChangedTurn) dialog.Row {
	r := dialog.Row{
		Label: phrase.Line(changeName(t)), Right: c.size(t), Short: t.State(),
		Find: strings.Join(t.Changes[:min(len(t.Changes), 50)], "\n"), Result: loop.Do(func() tea.Cmd { return c.Read(t) }), Stays: true,
	}
	if t.Title == "" && len(t.Changes) == 1 {
		return r // its name says it
	}
	for i, done := range t.Changes {
		if i == maxDid-1 && len(t.Changes) > maxDid {
			r.Below = append(r.Below, "and "+text.Count(len(t.Changes)-i, "more change"))
			break
		}
		r.Below = append(r.Below, phrase.Line(done))
	}
	return r
}

// changeName is what a turn that changed something is called.
func changeName(t session.ChangedTurn) string {
	name := t.Title
	if name == "" && len(t.Changes) > 0 {
		name = chat.Sentence(t.Changes[0])
	}
	switch t.Undoes {
	case session.TookBack:
		return "Undone: " + name
	case session.Restored:
		return "Restored: " + name
	}
	return name
}

// size is how a turn's changes stand, where it was asked for, and when.
func (c *Changes) size(t session.ChangedTurn) string {
	return phrase.Join(t.State(), phrase.Line(t.Source), phrase.Time(t.Time, c.env.Now()))
}

// Read reads what a turn changed.
func (c *Changes) Read(t session.ChangedTurn) tea.Cmd {
	show := func(ctx context.Context) ([]session.ShownChange, error) { return c.Log.Show(ctx, t.ID) }
	return fetch(c.Base, "It could not be read: ", show, func(changes []session.ShownChange) tea.Cmd { return c.showOne(t, changes) })
}

func (c *Changes) showOne(t session.ChangedTurn, changes []session.ShownChange) tea.Cmd {
	if c.picker == nil {
		return nil // it was closed meanwhile
	}
	column := list.New(chat.Gap)
	for _, x := range changes {
		column.Append(chat.NewChanged(c.env, x.What, x.Note, x.Prose))
	}
	choices := []dialog.Choice{{Label: "Back", Safe: true}}
	offer := func(label, short string, turn session.ChangedTurn) {
		choices = append(choices, dialog.Choice{Label: label + "… (u)", Short: short + " (u)", Key: "u", Result: loop.Do(func() tea.Cmd { return c.ask(turn) }), Stays: true})
	}
	switch {
	case !t.Undone && !t.Running && t.Undoes == session.TookBack:
		offer("Restore it", "Restore", t)
	case !t.Undone && !t.Running:
		offer("Undo it", "Take back", t)
	case t.Undone && t.Restore != "":
		offer("Restore it", "Restore", session.ChangedTurn{ID: t.Restore, Title: t.Title, Undoes: session.TookBack, Back: t.Again})
	}
	about := text.Count(len(t.Changes), "change") + " · " + c.size(t)
	reader := dialog.NewReader(c.env.Styles, phrase.Line(changeName(t)), about, column, choices, nil, c.Writing())
	reader.Fit()
	c.read(reader)
	return nil
}

// ask asks whether a turn is to be taken back, and says what that does.
func (c *Changes) ask(t session.ChangedTurn) tea.Cmd {
	if c.Busy() {
		return c.Flash(turnRuns, sentence)
	}
	title, yes := "Undo this?", "Undo it"
	if t.Undoes == session.TookBack {
		title, yes = "Restore this?", "Restore it"
	}
	d := dialog.NewConfirm(c.env.Styles, title, "Anything changed since is kept and listed. /redo undoes this.", "",
		[]dialog.Choice{{Label: yes, Result: loop.Do(func() tea.Cmd { return c.Undo(t.ID) })}, {Label: "Keep it"}}, 1, nil, nil)
	d.List(phrase.Lines(t.Back), "change")
	c.Push(d)
	return nil
}

// Undo is /undo, of a turn by its id or the beginning of one; "": of the last.
func (c *Changes) Undo(id string) tea.Cmd {
	if strings.ContainsAny(id, " \t\n") {
		return c.Flash("/undo takes the id of one turn: “chatvault changes” lists them. /changes offers the turns to pick from", long)
	}
	return c.undo(false, func(ctx context.Context) (session.Undone, error) { return c.Log.Undo(ctx, id) })
}

// Redo is /redo.
func (c *Changes) Redo() tea.Cmd { return c.undo(true, c.Log.Redo) }

// undo takes changes back, or restores them; not while a turn may be making more.
func (c *Changes) undo(redo bool, work func(context.Context) (session.Undone, error)) tea.Cmd {
	switch {
	case c.Busy():
		return c.Flash(turnRuns, sentence)
	case c.undoing:
		return c.Flash("Changes are already being undone", sentence)
	}
	c.undoing = true
	return loop.Then(c.ctx, work, func(u session.Undone, err error) tea.Cmd { return c.undone(u, redo, err) })
}

// undone says what became of it.
func (c *Changes) undone(u session.Undone, redo bool, err error) tea.Cmd {
	c.undoing = false
	c.env.Citations.Invalidate()
	if err != nil && len(u.Lines)+len(u.Left) == 0 {
		return c.Flash(chat.Sentence(err.Error()), long)
	}
	mark, title, next := "↺", "Undone", "/redo restores it"
	redo = redo || u.Restored
	if redo {
		mark, title, next = "↻", "Restored", "/undo reverts it"
	}
	if len(u.Lines) == 0 {
		mark, title, next = "✗", "Nothing was undone", ""
		if redo {
			title = "Nothing was restored"
		}
	}
	if name := phrase.Line(u.Title); name != "" {
		title += ": “" + phrase.First(name) + "”"
	}
	c.Announce(chat.NewUndone(c.env, mark, title, u.Lines, u.Left, next, undoRemarks(u, redo, err)...))
	if err != nil {
		c.Say(chat.NewError(c.env, "It ended in the middle: "+err.Error()))
	}
	if c.picker != nil {
		c.Stop() // what was done is to be seen
	}
	return nil
}

// undoRemarks say which turns were passed over, and how one goes on where nothing was taken back.
func undoRemarks(u session.Undone, redo bool, err error) []string {
	var out []string
	for _, title := range u.Passed {
		out = append(out, "Skipped, as nothing more of it can be undone: “"+phrase.First(phrase.Line(title))+"” · /changes")
	}
	switch {
	case redo || err != nil || len(u.Lines) > 0 || len(u.Left) == 0:
	case u.More:
		out = append(out, "/undo again undoes the turn before it; /changes shows what this one did")
	default:
		out = append(out, "/changes lists every turn, and shows what it did")
	}
	return out
}
