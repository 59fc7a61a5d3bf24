package tui

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

type (
	loadedMsg struct {
		Loaded
		prompts []string
		used    agent.Totals // by the conversation so far
		err     error
	}
	providerMsg struct {
		ProviderChange
		open bool
	}
	newConversationMsg struct{ err error }
)

// startLoading reads, off the screen's loop, what the first frame did not wait for.
func (m *Model) startLoading() tea.Cmd {
	ctx, load, history, usage := m.ctx, m.o.Load, m.o.PromptHistory, m.o.Usage
	return func() tea.Msg {
		var msg loadedMsg
		if history != nil {
			msg.prompts = history.Load()
		}
		if load != nil {
			msg.Loaded, msg.err = load(ctx)
		}
		if usage != nil {
			msg.used, _, _ = usage() // /usage tells why where it cannot be read
		}
		return msg
	}
}

func (m *Model) load(msg loadedMsg) tea.Cmd {
	m.loaded = true
	if m.usage.conversation.Calls == 0 {
		m.usage.conversation = msg.used
	}
	if m.goal.Text == "" {
		m.goal = goal{Goal: msg.Goal, seen: true}
	}
	m.composer.SetHistory(msg.prompts)
	m.examples = msg.Examples
	m.welcome.Set(m.welcomeData())
	if len(msg.History) > 0 {
		m.welcome.Leave()
		m.list.Prepend(m.past(msg.History)...)
	}
	for _, n := range msg.Notices {
		m.say(chat.NewNotice(m.env, n))
	}
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.say(chat.NewError(m.env, "The conversation so far could not be read: "+msg.err.Error()+"\nYou can chat; run “chatvault doctor” to see what is wrong."))
	}
	busy := !m.composer.Empty() || m.busy()
	if msg.Draft != "" && m.composer.Empty() {
		m.composer.SetValue(msg.Draft)
		m.draft.loaded(msg.Draft)
	}
	if !m.canDecide() {
		return nil
	}
	m.offers = offers{left: msg.Unfinished, total: len(msg.Unfinished), unasked: true}
	if busy { // no dialog over what is being written
		m.later()
		return nil
	}
	m.offerNext()
	return nil
}

// past makes items of the conversation so far.
func (m *Model) past(history []HistoryItem) []list.Item {
	items := make([]list.Item, 0, len(history))
	var before askedBefore
	for _, h := range history {
		switch h.Role {
		case HistoryUser:
			u := chat.NewUser(m.env, h.Content, "")
			u.Tag(tagOf(agent.Inbound{Text: h.Content, Mode: planMode(h.Plan)}, m.goal.Goal))
			if h.Added {
				u.Added()
			}
			items = append(items, u)
		case HistoryGoal:
			items = append(items, chat.NewGoalStep(m.env, h.Content))
		case HistoryAssistant:
			a := chat.NewAssistant(m.env)
			a.Append(h.Content)
			a.Finish()
			items = append(items, a)
		case HistoryAgentMessage, HistoryQuestion:
			q := chat.NewMessage(m.env, h.Content, h.Role == HistoryQuestion)
			m.settle()
			if h.Role == HistoryQuestion {
				m.ask(q, h.Options)
			}
			items = append(items, q)
		case HistoryTool:
			if quietTools[h.Content] && !h.IsError {
				continue
			}
			t := chat.NewTool(m.env, h.Content)
			t.Start(h.Target, h.Time)
			t.Finish(h.Summary, h.IsError, 0)
			t.Gave(h.Detail)
			m.hasDetails = true
			items = append(items, t)
		case HistorySummary:
			m.hasDetails = true
			items = append(items, chat.NewCompaction(m.env, h.Content, 0, 0))
		case HistoryError: // the end of a turn that failed
			m.askAgain(before)
			items = append(items, chat.NewError(m.env, h.Content))
		default:
			items = append(items, chat.NewNotice(m.env, h.Content))
		}
		if h.Role == HistoryUser || h.Role == HistoryGoal {
			if m.question != nil {
				before = askedBefore{m.question, m.pick}
			}
			m.settle()
		}
	}
	return items
}

// nextProvider waits for a provider found after the start.
func (m *Model) nextProvider() tea.Cmd {
	changes, ctx := m.o.ProviderChanges, m.ctx
	if changes == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case p, open := <-changes:
			return providerMsg{p, open}
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) providerFound(msg providerMsg) tea.Cmd {
	if !msg.open {
		return nil
	}
	m.provider, m.offline = msg.Name, msg.Offline
	m.welcome.Set(m.welcomeData())
	return m.nextProvider()
}

func (m *Model) newConversation() tea.Cmd {
	if m.busy() {
		return m.pass("A turn runs: stop it with Esc first, or wait", 2*quitWindow)
	}
	begin, ctx := m.o.NewConversation, m.ctx
	return func() tea.Msg { return newConversationMsg{begin(ctx)} }
}

func (m *Model) conversationBegan(msg newConversationMsg) {
	if msg.err != nil {
		m.say(chat.NewError(m.env, "No new conversation: "+msg.err.Error()))
		return
	}
	m.settle()
	m.usage, m.ended = usage{}, ended{}
	m.list.End()
	m.say(chat.NewDivider(m.env, "New conversation · "+m.now().Format(time.Kitchen)))
}
