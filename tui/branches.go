package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
)

// browsing is what the user looks through: a list, and one thing of it above.
type browsing struct {
	picker *dialog.Picker
	reader *dialog.Reader
	cancel func() // a search that runs
}

type (
	branchesMsg struct {
		list []session.Branch
		err  error
	}
	showBranchMsg struct{ branch session.Branch }
	switchMsg     struct{ id string }
)

// openBranches is /branches.
func (m *Model) openBranches() tea.Cmd {
	ctx, branches := m.ctx, m.o.Branches
	return func() tea.Msg {
		list, err := branches(ctx)
		return branchesMsg{list, err}
	}
}

func (m *Model) showBranches(msg branchesMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.pass("The branches could not be read: "+msg.err.Error(), 3*quitWindow)
	case len(msg.list) < 2:
		hint := "This conversation has no branches"
		if m.canEdit() {
			hint += "; /edit makes one: it sends an earlier message in another way"
		}
		return m.pass(hint, 2*quitWindow)
	}
	rows := make([]dialog.Row, len(msg.list))
	for i, b := range msg.list {
		rows[i] = dialog.Row{Label: branchName(b), Right: m.branchSize(b), Here: b.Active, Result: showBranchMsg{b}, Stays: true}
	}
	m.browse(dialog.NewPicker(m.styles, "Branches of this conversation", "", rows, []string{
		"● the present one · Enter shows one · Esc leaves", "Enter shows one · Esc leaves",
	}))
	return nil
}

func branchName(b session.Branch) string {
	if b.First == "" {
		return "(nothing was sent in it yet)"
	}
	return phrase.Line(b.First)
}

func (m *Model) branchSize(b session.Branch) string {
	size := phrase.Count(b.Turns, "turn", "turns")
	if b.Ended.IsZero() {
		return size
	}
	return size + " · " + phrase.Time(b.Ended, m.now())
}

// browse opens a list to look through.
func (m *Model) browse(p *dialog.Picker) {
	m.stopBrowsing()
	m.browsing.picker = p
	m.dialogs.Push(p)
}

// read opens one thing of the list.
func (m *Model) read(r *dialog.Reader) {
	m.stopReading()
	m.browsing.reader = r
	m.dialogs.Push(r)
}

// stopBrowsing closes what the user looked through.
func (m *Model) stopBrowsing() {
	m.stopReading()
	if m.browsing.picker != nil {
		m.dialogs.Remove(m.browsing.picker)
	}
	if m.browsing.cancel != nil {
		m.browsing.cancel()
	}
	m.browsing = browsing{}
}

func (m *Model) stopReading() {
	if m.browsing.reader != nil {
		m.dialogs.Remove(m.browsing.reader)
		m.browsing.reader = nil
	}
}

// column makes a column of what was said.
func (m *Model) column(history []session.HistoryItem) *list.List {
	l := list.New(chat.Gap)
	l.Append(m.asItWas(history)...)
	return l
}

// showBranch shows what is different in a branch.
func (m *Model) showBranch(b session.Branch) {
	choices := []dialog.Choice{{Label: "Switch to it: the conversation goes on from there", Short: "Switch to it", Result: switchMsg{b.ID}}, {Label: "Back", Safe: true}}
	about := "It was left: " + m.branchSize(b)
	if b.Active {
		choices, about = choices[1:], "The present one: "+m.branchSize(b)
	}
	m.read(dialog.NewReader(m.styles, branchName(b), about, m.column(b.History), choices, nil, !m.composer.Empty()))
}

// switchBranch goes over to a branch.
func (m *Model) switchBranch(id string) tea.Cmd {
	if m.busy() {
		return m.pass(turnRuns, 2*quitWindow)
	}
	m.stopBrowsing()
	var keep tea.Cmd
	if m.editing != nil {
		keep = m.leaveEditing()
	}
	change, ctx := m.o.Switch, m.ctx
	return tea.Batch(keep, m.move(func() (session.Moved, error) { return change(ctx, id) }, true))
}
