package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
)

type (
	// pastMsg brings the conversations that ended: to be listed, or listed anew.
	pastMsg struct {
		list  []session.Past
		again bool
		err   error
	}
	searchMsg struct{ query string }
	foundMsg  struct {
		picker *dialog.Picker
		query  string
		list   []session.Past
		err    error
	}
	openPastMsg struct{ past session.Past }
	readPastMsg struct {
		past    session.Past
		history []session.HistoryItem
		err     error
	}
	pastAction struct {
		past session.Past
		do   pastVerb
	}
	renameMsg struct {
		past  session.Past
		title string
	}
	// pastDoneMsg says what came of doing something with one; the list may have changed with it.
	pastDoneMsg struct {
		done    string
		err     error
		changed bool
		renamed *session.Past
	}
)

// pastVerb is what can be done with a conversation that ended.
type pastVerb int

const (
	continueIt pastVerb = iota
	renameIt
	exportIt
	askToDeleteIt
	deleteIt
)

// openConversations is /conversations.
func (m *Model) openConversations() tea.Cmd { return m.listPast(false) }

func (m *Model) listPast(again bool) tea.Cmd {
	ctx, all := m.ctx, m.o.Conversations.List
	return func() tea.Msg {
		list, err := all(ctx)
		return pastMsg{list, again, err}
	}
}

func (m *Model) showPast(msg pastMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass("The conversations could not be read: "+msg.err.Error(), 3*quitWindow)
	}
	if msg.again {
		if m.browsing.picker != nil {
			m.browsing.picker.Refresh(m.pastRows(msg.list))
		}
		return nil
	}
	foot := []string{"Type to narrow · Enter reads one · Esc leaves", "Enter reads one · Esc leaves"}
	search := m.o.Conversations.Search != nil
	if search {
		foot = append([]string{"Type to narrow; after a ?, to search all that was said · Enter reads one · Esc leaves", "? searches what was said · Enter reads one · Esc leaves"}, foot...)
	}
	p := dialog.NewPicker(m.styles, "Conversations", "There is no conversation yet", m.pastRows(msg.list), foot)
	if search {
		p.Searches(func(query string) any { return searchMsg{query} })
	}
	m.browse(p)
	return nil
}

func (m *Model) pastRows(list []session.Past) []dialog.Row {
	rows := make([]dialog.Row, len(list))
	for i, p := range list {
		rows[i] = dialog.Row{
			Label: phrase.Line(p.Name()), Right: m.pastSize(p), Here: p.Ended.IsZero(),
			Find: p.First + "\n" + p.Summary, Result: openPastMsg{p}, Stays: true,
		}
		for _, x := range p.Excerpts {
			rows[i].Below = append(rows[i].Below, phrase.Line(x))
		}
	}
	return rows
}

// pastSize is how long a conversation was and when it ended.
func (m *Model) pastSize(p session.Past) string {
	size := phrase.Count(p.Turns, "turn", "turns")
	if p.Ended.IsZero() {
		return size + " · now"
	}
	return size + " · " + phrase.Time(p.Ended, m.now())
}

// searchPast looks for words in all that was said; a search for what was typed before ends.
func (m *Model) searchPast(query string) tea.Cmd {
	if m.browsing.picker == nil {
		return nil
	}
	if m.browsing.cancel != nil {
		m.browsing.cancel()
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.browsing.cancel = cancel
	p, search := m.browsing.picker, m.o.Conversations.Search
	return func() tea.Msg {
		defer cancel()
		list, err := search(ctx, query)
		return foundMsg{p, query, list, err}
	}
}

func (m *Model) foundPast(msg foundMsg) tea.Cmd {
	if errors.Is(msg.err, context.Canceled) {
		return nil
	}
	msg.picker.Found(msg.query, m.pastRows(msg.list))
	if msg.err != nil {
		return m.pass("Not searched: "+msg.err.Error(), 3*quitWindow)
	}
	return nil
}

// openPast reads a conversation.
func (m *Model) openPast(p session.Past) tea.Cmd {
	ctx, read := m.ctx, m.o.Conversations.Read
	return func() tea.Msg {
		history, err := read(ctx, p.ID)
		return readPastMsg{p, history, err}
	}
}

// maxAbout is how much of a summary stands above what is read, in bytes.
const maxAbout = 2000

func (m *Model) readPast(msg readPastMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.pass("It could not be read: "+msg.err.Error(), 3*quitWindow)
	case m.browsing.picker == nil:
		return nil // it was closed meanwhile
	}
	about := m.pastSize(msg.past)
	if msg.past.Summary != "" {
		about += " — " + phrase.Head(msg.past.Summary, maxAbout)
	}
	m.read(dialog.NewReader(m.styles, phrase.Line(msg.past.Name()), about, m.column(msg.history), m.pastChoices(msg.past), nil, !m.composer.Empty()))
	return nil
}

func (m *Model) pastChoices(p session.Past) []dialog.Choice {
	choices := []dialog.Choice{{Label: "Back", Safe: true}}
	c := m.o.Conversations
	if c.Continue != nil && !p.Ended.IsZero() {
		choices = append(choices, dialog.Choice{Label: "Continue it: a new conversation goes on from here", Short: "Continue it", Result: pastAction{p, continueIt}, Stays: true})
	}
	if c.Rename != nil {
		choices = append(choices, dialog.Choice{Label: "Rename it…", Short: "Rename…", Result: pastAction{p, renameIt}, Stays: true})
	}
	if c.Export != nil {
		choices = append(choices, dialog.Choice{Label: "Export it to a file", Short: "Export", Result: pastAction{p, exportIt}, Stays: true})
	}
	if c.Delete != nil && !p.Ended.IsZero() {
		choices = append(choices, dialog.Choice{Label: "Delete it…", Short: "Delete…", Result: pastAction{p, askToDeleteIt}, Stays: true})
	}
	return choices
}

func (m *Model) doPast(a pastAction) tea.Cmd {
	ctx, c, id := m.ctx, m.o.Conversations, a.past.ID
	switch a.do {
	case continueIt:
		return m.continuePast(a.past)
	case renameIt:
		ask := dialog.NewAsk(m.styles, "Rename this conversation", "What was it about, in a few words?", false, func(title string) any { return renameMsg{a.past, title} }, nil)
		ask.Begin(a.past.Title)
		ask.Foot("Enter renames it · Esc leaves its name", "Enter renames it")
		m.dialogs.Push(ask)
	case exportIt:
		return func() tea.Msg {
			path, err := c.Export(ctx, id)
			return pastDoneMsg{done: "Written to " + path, err: err}
		}
	case askToDeleteIt:
		m.dialogs.Push(dialog.NewConfirm(m.styles, "Delete this conversation?", "It is gone for good.", phrase.Line(a.past.Name()), []dialog.Choice{
			{Label: "Delete it", Result: pastAction{a.past, deleteIt}}, {Label: "Keep it"},
		}, 1, nil, nil))
	case deleteIt:
		return func() tea.Msg { return pastDoneMsg{done: "Deleted", err: c.Delete(ctx, id), changed: true} }
	}
	return nil
}

func (m *Model) renamePast(msg renameMsg) tea.Cmd {
	ctx, rename := m.ctx, m.o.Conversations.Rename
	return func() tea.Msg {
		err := rename(ctx, msg.past.ID, msg.title)
		msg.past.Title = msg.title
		return pastDoneMsg{done: "It is called “" + msg.title + "” now", err: err, changed: true, renamed: &msg.past}
	}
}

// pastDone says what came of it, and shows the list as it is now.
func (m *Model) pastDone(msg pastDoneMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass("Not done: "+msg.err.Error(), 3*quitWindow)
	}
	if !msg.changed {
		return m.pass(msg.done, 3*quitWindow)
	}
	if p := msg.renamed; p != nil {
		m.conversationTitled(event.ConversationTitled{ID: p.ID, Title: p.Title, Summary: p.Summary})
	}
	m.stopReading()
	return tea.Batch(m.pass(msg.done, 2*quitWindow), m.listPast(true))
}

// looked routes what comes of looking through conversations and their branches.
func (m *Model) looked(msg tea.Msg) (cmd tea.Cmd, known bool) {
	switch msg := msg.(type) {
	case branchesMsg:
		return m.showBranches(msg), true
	case showBranchMsg:
		m.showBranch(msg.branch)
	case switchMsg:
		return m.switchBranch(msg.id), true
	case reachMsg:
		return m.reached(msg), true
	case backMsg:
		return m.back(msg), true
	case pastMsg:
		return m.showPast(msg), true
	case searchMsg:
		return m.searchPast(msg.query), true
	case foundMsg:
		return m.foundPast(msg), true
	case openPastMsg:
		return m.openPast(msg.past), true
	case readPastMsg:
		return m.readPast(msg), true
	case pastAction:
		return m.doPast(msg), true
	case renameMsg:
		return m.renamePast(msg), true
	case pastDoneMsg:
		return m.pastDone(msg), true
	case earlierMsg:
		m.foundEarlier(msg)
	case elsewhereMsg:
		return m.elsewhere(msg), true
	case continuedMsg:
		return m.continuedPast(msg), true
	default:
		if cmd, known := m.trusted(msg); known {
			return cmd, true
		}
		return m.proposed(msg)
	}
	return nil, true
}
