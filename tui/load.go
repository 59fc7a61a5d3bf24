package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
)

type (
	loadedMsg struct {
		Loaded
		prompts []string
		err     error
	}
	providerMsg struct {
		ProviderChange
		open bool
	}
	newConversationMsg struct{ err error }
)

// decision is what the user decided about an unfinished message.
type decision struct {
	u    Unfinished
	what verdict
}

type verdict int

const (
	keepIt verdict = iota
	retryIt
	dropIt
)

// startLoading reads, off the screen's loop, what the first frame did not wait for.
func (m *Model) startLoading() tea.Cmd {
	ctx, load, history := m.ctx, m.o.Load, m.o.PromptHistory
	return func() tea.Msg {
		var msg loadedMsg
		if history != nil {
			msg.prompts = history.Load()
		}
		if load != nil {
			msg.Loaded, msg.err = load(ctx)
		}
		return msg
	}
}

func (m *Model) load(msg loadedMsg) tea.Cmd {
	m.loaded = true
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
	if msg.Draft != "" && m.composer.Empty() {
		m.composer.SetValue(msg.Draft)
	}
	m.draftSaved = m.composer.Value()
	m.unfinished = msg.Unfinished
	m.offerNext()
	return nil
}

// past makes items of the conversation so far.
func (m *Model) past(history []HistoryItem) []list.Item {
	items := make([]list.Item, 0, len(history))
	for _, h := range history {
		switch h.Role {
		case HistoryUser:
			items = append(items, chat.NewUser(m.env, h.Content, ""))
		case HistoryAssistant:
			a := chat.NewAssistant(m.env)
			a.Append(h.Content)
			a.Finish()
			items = append(items, a)
		case HistoryAgentMessage, HistoryQuestion:
			q := chat.NewMessage(m.env, h.Content, h.Role == HistoryQuestion)
			if m.question != nil {
				m.question.Answer()
			}
			m.question = nil
			if h.Role == HistoryQuestion {
				m.question = q
			}
			items = append(items, q)
		case HistoryTool:
			if quietTools[h.Content] && !h.IsError {
				continue
			}
			t := chat.NewTool(m.env, h.Content)
			t.Start(h.Target, h.Time)
			t.Finish(h.Summary, h.IsError, 0)
			items = append(items, t)
		case HistoryError:
			items = append(items, chat.NewError(m.env, h.Content))
		default:
			items = append(items, chat.NewNotice(m.env, h.Content))
		}
		if h.Role == HistoryUser && m.question != nil {
			m.question.Answer()
			m.question = nil
		}
	}
	return items
}

// offerNext asks about the next unfinished message, if there is one.
func (m *Model) offerNext() {
	if len(m.unfinished) == 0 || m.o.Retry == nil || m.o.Drop == nil {
		return
	}
	u := m.unfinished[0]
	m.unfinished = m.unfinished[1:]
	body := "It was interrupted before it was finished"
	if u.LastError != "" {
		body = "It failed: " + u.LastError
	}
	if u.Attempts > 1 {
		body += fmt.Sprintf(" (%d attempts)", u.Attempts)
	}
	body += "."
	if u.ToolsRan {
		body += " It had already changed notes: what was done is not done again, but look before you retry."
	}
	m.dialogs.PushUnasked(dialog.NewConfirm(m.styles, "A message was not finished", body, u.Message.Text, []dialog.Choice{
		{Key: "r", Label: "Retry it now", Result: decision{u, retryIt}},
		{Key: "k", Label: "Keep it for later (/inbox shows it again)", Result: decision{u, keepIt}},
		{Key: "d", Label: "Discard it", Result: decision{u, dropIt}},
	}, 1, decision{u, keepIt}), m.now())
}

func (m *Model) decided(d decision) tea.Cmd {
	var cmd tea.Cmd
	switch d.what {
	case retryIt:
		cmd = m.retry(d.u)
	case dropIt:
		m.say(chat.NewNotice(m.env, "Discarded: "+firstLine(d.u.Message.Text)))
		cmd = m.try("The message could not be discarded", func(ctx context.Context) error { return m.o.Drop(ctx, d.u.Message.ID) })
	case keepIt:
		m.kept = append(m.kept, d.u)
	}
	m.offerNext()
	return cmd
}

func (m *Model) retry(u Unfinished) tea.Cmd {
	m.received[u.Message.ID] = u.Message
	return m.try("The message could not be tried again", func(ctx context.Context) error { return m.o.Retry(ctx, u.Message.ID) })
}

func (m *Model) retryLast() tea.Cmd {
	if m.failed.ID == "" {
		return m.pass("Nothing failed that could be tried again", quitWindow)
	}
	failed := m.failed
	m.failed.ID = ""
	return m.retry(Unfinished{Message: failed})
}

func (m *Model) openInbox() tea.Cmd {
	if len(m.kept) == 0 {
		return m.pass("No unfinished message waits", quitWindow)
	}
	m.unfinished = append(m.unfinished, m.kept...)
	m.kept = nil
	m.offerNext()
	return nil
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
	if m.question != nil {
		m.question.Answer()
		m.question = nil
	}
	m.usage = usage{}
	m.list.End()
	m.say(chat.NewDivider(m.env, "New conversation · "+m.now().Format(time.Kitchen)))
}
