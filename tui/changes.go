package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
)

// Changes is what the agent changed in the vault, and how it is taken back. What is nil is not
// offered.
type Changes struct {
	List func(ctx context.Context) ([]session.ChangedTurn, error) // newest first
	Show func(ctx context.Context, id string) ([]session.ShownChange, error)
	// Undo takes a turn's changes back; "": those of the last turn that is not taken back. Redo
	// restores what the last undo took back. Errors say in plain words why not.
	Undo func(ctx context.Context, id string) (session.Undone, error)
	Redo func(ctx context.Context) (session.Undone, error)
}

type (
	changesMsg struct {
		list  []session.ChangedTurn
		again bool
		err   error
	}
	openChangeMsg struct{ turn session.ChangedTurn }
	shownMsg      struct {
		turn    session.ChangedTurn
		changes []session.ShownChange
		err     error
	}
	askUndoMsg struct{ turn session.ChangedTurn }
	undoMsg    struct {
		id   string
		redo bool
	}
	undoneMsg struct {
		session.Undone
		redo bool
		err  error
	}
)

// openChanges is /changes.
func (m *Model) openChanges() tea.Cmd { return m.listChanges(false) }

func (m *Model) listChanges(again bool) tea.Cmd {
	ctx, all := m.ctx, m.o.Changes.List
	return func() tea.Msg {
		turns, err := all(ctx)
		return changesMsg{turns, again, err}
	}
}

func (m *Model) showChanges(msg changesMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass("The changes could not be read: "+msg.err.Error(), 3*quitWindow)
	}
	rows := make([]dialog.Row, len(msg.list))
	for i, t := range msg.list {
		rows[i] = m.changeRow(t)
	}
	if msg.again {
		if m.browsing.picker != nil {
			m.browsing.picker.Refresh(rows)
		}
		return nil
	}
	m.browse(dialog.NewPicker(m.styles, "What was changed in this vault", "Nothing was changed yet", rows, []string{
		"Type to narrow · Enter shows what changed · Esc leaves", "Enter shows it · Esc leaves",
	}))
	return nil
}

// maxDid is how many changes of a turn the list shows.
const maxDid = 3

func (m *Model) changeRow(t session.ChangedTurn) dialog.Row {
	r := dialog.Row{
		Label: phrase.Line(changeName(t)), Right: m.changeSize(t), Short: changeState(t),
		Find: strings.Join(t.Changes[:min(len(t.Changes), 50)], "\n"), Result: openChangeMsg{t}, Stays: true,
	}
	if t.Title == "" && len(t.Changes) == 1 {
		return r // its name says it
	}
	for i, c := range t.Changes {
		if i == maxDid-1 && len(t.Changes) > maxDid {
			r.Below = append(r.Below, "and "+phrase.Count(len(t.Changes)-i, "more change", "more changes"))
			break
		}
		r.Below = append(r.Below, phrase.Line(c))
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
		return "Taken back: " + name
	case session.Restored:
		return "Restored: " + name
	}
	return name
}

// changeSize is how a turn's changes stand, where it was asked for, and when.
func (m *Model) changeSize(t session.ChangedTurn) string {
	var parts []string
	if state := changeState(t); state != "" {
		parts = append(parts, state)
	}
	if t.Source != "" {
		parts = append(parts, phrase.Line(t.Source))
	}
	return strings.Join(append(parts, phrase.Time(t.Time, m.now())), " · ")
}

// changeState says what became of a turn's changes; empty: they are as it left them.
func changeState(t session.ChangedTurn) string {
	back := "taken back"
	if t.Undoes == session.TookBack {
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

// openChange reads what a turn changed.
func (m *Model) openChange(t session.ChangedTurn) tea.Cmd {
	if m.o.Changes.Show == nil {
		return nil
	}
	ctx, show := m.ctx, m.o.Changes.Show
	return func() tea.Msg {
		changes, err := show(ctx, t.ID)
		return shownMsg{t, changes, err}
	}
}

func (m *Model) showChange(msg shownMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.pass("It could not be read: "+msg.err.Error(), 3*quitWindow)
	case m.browsing.picker == nil:
		return nil // it was closed meanwhile
	}
	column := list.New(chat.Gap)
	for _, c := range msg.changes {
		column.Append(chat.NewChanged(m.env, c.What, c.Note, c.Prose))
	}
	choices := []dialog.Choice{{Label: "Back", Safe: true}}
	if t := msg.turn; m.o.Changes.Undo != nil && !t.Undone && !t.Running {
		c := dialog.Choice{Label: "Take it back… (u)", Short: "Take back (u)", Key: "u", Result: askUndoMsg{t}, Stays: true}
		if t.Undoes == session.TookBack {
			c.Label, c.Short = "Restore it… (u)", "Restore (u)"
		}
		choices = append(choices, c)
	}
	if t := msg.turn; m.o.Changes.Undo != nil && t.Undone && t.Restore != "" {
		undo := session.ChangedTurn{ID: t.Restore, Title: t.Title, Undoes: session.TookBack, Back: t.Again}
		choices = append(choices, dialog.Choice{Label: "Restore it… (u)", Short: "Restore (u)", Key: "u", Result: askUndoMsg{undo}, Stays: true})
	}
	about := phrase.Count(len(msg.turn.Changes), "change", "changes") + " · " + m.changeSize(msg.turn)
	reader := dialog.NewReader(m.styles, phrase.Line(changeName(msg.turn)), about, column, choices, nil, !m.composer.Empty())
	reader.Fit()
	m.read(reader)
	return nil
}

// askUndo asks whether a turn is to be taken back, and says what that does.
func (m *Model) askUndo(t session.ChangedTurn) tea.Cmd {
	if m.busy() {
		return m.pass(turnRuns, 2*quitWindow)
	}
	title, yes := "Take this back?", "Take it back"
	if t.Undoes == session.TookBack {
		title, yes = "Restore this?", "Restore it"
	}
	d := dialog.NewConfirm(m.styles, title, "What somebody changed since stays as it is, and is named. /redo undoes this.", "",
		[]dialog.Choice{{Label: yes, Result: undoMsg{id: t.ID}}, {Label: "Leave it as it is"}}, 1, nil, nil)
	d.List(phrase.Lines(t.Back), "change", "changes")
	m.dialogs.Push(d)
	return nil
}

// undoLast is /undo.
func (m *Model) undoLast() tea.Cmd { return m.undo(undoMsg{}) }

// undoCommand is /undo with the id of a turn, or the beginning of one.
func (m *Model) undoCommand(id string) tea.Cmd {
	if strings.ContainsAny(id, " \t\n") {
		return m.pass("/undo takes the id of one turn: “chatvault changes” lists them. /changes offers the turns to pick from", 3*quitWindow)
	}
	return m.undo(undoMsg{id: id})
}

// redoLast is /redo.
func (m *Model) redoLast() tea.Cmd { return m.undo(undoMsg{redo: true}) }

// undo takes changes back, or restores them; not while a turn may be making more.
func (m *Model) undo(msg undoMsg) tea.Cmd {
	switch {
	case m.busy():
		return m.pass(turnRuns, 2*quitWindow)
	case m.undoing:
		return m.pass("Changes are being taken back already", 2*quitWindow)
	}
	m.undoing = true
	ctx, c := m.ctx, m.o.Changes
	return func() tea.Msg {
		if msg.redo {
			u, err := c.Redo(ctx)
			return undoneMsg{u, true, err}
		}
		u, err := c.Undo(ctx, msg.id)
		return undoneMsg{u, false, err}
	}
}

// undone says what became of it.
func (m *Model) undone(msg undoneMsg) tea.Cmd {
	m.undoing = false
	m.doubtCitations()
	if msg.err != nil && len(msg.Lines)+len(msg.Left) == 0 {
		return m.pass(chat.Sentence(msg.err.Error()), 3*quitWindow)
	}
	mark, title, next := "↺", "Taken back", "/redo restores it"
	msg.redo = msg.redo || msg.Restored
	if msg.redo {
		mark, title, next = "↻", "Restored", "/undo takes it back"
	}
	if len(msg.Lines) == 0 {
		mark, title, next = "✗", "Nothing was taken back", ""
		if msg.redo {
			title = "Nothing was restored"
		}
	}
	if name := phrase.Line(msg.Title); name != "" {
		title += ": “" + phrase.First(name) + "”"
	}
	m.welcome.Leave()
	item := chat.NewUndone(m.env, mark, title, msg.Lines, msg.Left, next)
	item.Remark(undoRemarks(msg)...)
	m.say(item)
	m.list.End()
	if msg.err != nil {
		m.say(chat.NewError(m.env, "It ended in the middle: "+msg.err.Error()))
	}
	if m.browsing.picker != nil {
		m.stopBrowsing() // what was done is to be seen
	}
	return nil
}

// takenBack says in the history of a turn that its changes were taken back.
func (m *Model) takenBack(h session.HistoryItem) list.Item {
	title := "Taken back"
	if len(h.Left) > 0 {
		title = "Partly taken back"
	}
	left := make([]string, len(h.Left))
	for i, l := range h.Left {
		left[i] = chat.Sentence(phrase.Line(l))
	}
	return chat.NewUndone(m.env, "↺", title, nil, left, phrase.Time(h.Time, m.now()))
}

// undoRemarks say which turns were passed over, and how one goes on where nothing was taken back.
func undoRemarks(msg undoneMsg) []string {
	var out []string
	for _, title := range msg.Passed {
		out = append(out, "Passed over, as nothing more of it can be taken back: “"+phrase.First(phrase.Line(title))+"” · /changes")
	}
	switch {
	case msg.redo || msg.err != nil || len(msg.Lines) > 0 || len(msg.Left) == 0:
	case msg.More:
		out = append(out, "/undo again takes back the turn before it; /changes shows what this one did")
	default:
		out = append(out, "/changes lists every turn, and shows what it did")
	}
	return out
}

// changed routes what comes of looking through changes and of taking them back.
func (m *Model) changed(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case changesMsg:
		return m.showChanges(msg), true
	case openChangeMsg:
		return m.openChange(msg.turn), true
	case shownMsg:
		return m.showChange(msg), true
	case askUndoMsg:
		return m.askUndo(msg.turn), true
	case undoMsg:
		return m.undo(msg), true
	case undoneMsg:
		return m.undone(msg), true
	}
	return nil, false
}
