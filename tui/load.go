package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

type loadedMsg struct {
	session.Loaded
	prompts []string
	used    event.Totals // by the conversation so far
	err     error
}

// startLoading reads the data that the first frame did not wait for.
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
			msg.used, _, _ = usage.Usage() // /usage reports errors
		}
		return msg
	}
}

func (m *Model) load(msg loadedMsg) tea.Cmd {
	if m.state.Usage.Conversation.Calls == 0 {
		m.state.Usage.Conversation = msg.used
	}
	if m.state.Goal.Text == "" {
		m.state.Goal = msg.Goal
	}
	m.composer.SetHistory(msg.prompts)
	m.examples = msg.Examples
	m.welcome.Set(m.welcomeData())
	m.talk.loadConversation(msg.Loaded)
	for _, n := range msg.Notices {
		m.appendItem(chat.NewNotice(m.env, n))
	}
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.appendItem(chat.NewError(m.env, "The conversation so far could not be read: "+msg.err.Error()+"\nYou can chat; run “chatvault doctor” to see what is wrong."))
	}
	if msg.Draft != "" && m.composer.Empty() {
		m.composer.SetValue(msg.Draft)
		m.draft.loaded(msg.Draft)
	}
	if m.o.Vaults.First {
		return m.lists.vault("")
	}
	return m.lists.resume(msg.Unfinished)
}

// loadConversation shows the conversation so far.
func (t *talk) loadConversation(l session.Loaded) {
	if len(l.Items) == 0 { // messages sent in the meantime begin it
		return
	}
	t.state.Conversation = l.ID
	t.welcome.Leave()
	t.list.ReplaceTop(0, t.conversation(l.Page)...)
	t.state.Moved(l.Items)
	t.questions.follow()
}

// reload shows a conversation in place of everything above.
func (t *talk) reload(p session.Page) {
	t.questions.close()
	t.welcome.Leave()
	t.ended, t.gap = "", nil
	t.list.ReplaceAfter(nil, t.conversation(p)...)
	t.state.Moved(p.Items)
	t.questions.follow()
}

// conversation returns the items of a conversation, below a marker if earlier messages are missing.
func (t *talk) conversation(p session.Page) []list.Item {
	items := t.historyItems(p.Items)
	first := p.First
	if i := slices.IndexFunc(p.Items, func(h session.HistoryItem) bool { return h.Role == session.HistoryUser }); i >= 0 && first == "" {
		first = p.Items[i].Content
	}
	t.first, t.by = phrase.First(text.Head(first, phrase.MaxLine)), nil
	if p.Earlier == "" || t.o.Conversation == nil {
		return items
	}
	t.gap = &gap{marker: chat.NewEarlier(t.env), before: p.Earlier}
	return slices.Insert(items, 0, list.Item(t.gap.marker))
}

// historyItems returns items for a history.
func (t *talk) historyItems(history []session.HistoryItem) []list.Item {
	items := make([]list.Item, 0, len(history))
	for _, h := range history {
		it := t.itemOf(h)
		if it == nil {
			continue
		}
		if q, ok := it.(*chat.Message); ok {
			q.Open = false
		}
		if n := len(items); n > 0 {
			chat.Together(items[n-1], it)
		}
		items = append(items, it)
	}
	return items
}

// itemOf returns the item for a history entry, or nil if it is not shown.
func (t *talk) itemOf(h session.HistoryItem) list.Item {
	switch h.Role {
	case session.HistoryUser:
		u := chat.NewUser(t.env, h.Content, text.Join(" · ", h.Sender, h.Via))
		u.ID, u.Added, u.Tag = h.ID, h.Added, tagOf(event.Inbound{Text: h.Content, Mode: planMode(h.Plan)}, t.state.Goal)
		u.At(h.Time)
		u.Shows(h.Media)
		return u
	case session.HistoryGoal:
		return chat.NewGoalStep(t.env, h.Content)
	case session.HistoryAssistant:
		a := chat.NewAssistant(t.env)
		a.Append(h.Content)
		a.Finish()
		return a
	case session.HistoryReasoning:
		r := chat.NewReasoning(t.env, h.Time)
		r.Append(h.Content)
		r.Finish(h.Time)
		return r
	case session.HistoryAgentMessage, session.HistoryQuestion:
		m := chat.NewMessage(t.env, h.Content, h.Role == session.HistoryQuestion)
		m.Offer(h.Options)
		return m
	case session.HistoryTool:
		if event.TraitsOf(h.Content).Speaks && !h.IsError {
			return nil
		}
		tool := chat.NewTool(t.env, h.Content)
		tool.Start(h.Target, h.Time)
		tool.Called(h.Arguments)
		tool.Finish(h.Summary, h.IsError, 0)
		tool.Gave(h.Detail)
		return tool
	case session.HistorySummary:
		return chat.NewCompaction(t.env, h.Content, 0, 0)
	case session.HistoryError:
		return chat.NewError(t.env, h.Content)
	}
	return chat.NewNotice(t.env, h.Content)
}

// listen handles the values of a channel in the update loop, one after the other; it returns nil if the channel is nil.
func listen[T any](ctx context.Context, from <-chan T, take func(T) tea.Cmd) tea.Cmd {
	if from == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case got, open := <-from:
			if open {
				return loop.Do(func() tea.Cmd { return tea.Batch(take(got), listen(ctx, from, take)) })
			}
		case <-ctx.Done():
		}
		return nil
	}
}

// providerFound shows a provider that is found after the start, unless the user has selected one.
func (e *engine) providerFound(p provider.ModelUsed) tea.Cmd {
	if e.next == nil {
		e.state.Provider, e.offline, e.lacks = p.Name, p.Offline, p.Said
		e.welcome.Set(e.welcomeData())
	}
	return nil
}

// newConversation handles /new.
func (g *revising) newConversation() tea.Cmd {
	begin := func(ctx context.Context) (session.Page, error) { return session.Page{}, g.o.Conversation.New(ctx) }
	return g.switchTo(begin, func() tea.Cmd {
		g.talk.boundary(nil)
		return nil
	})
}
