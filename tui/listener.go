package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// eventsMsg holds events from the processor.
type eventsMsg struct {
	events []event.Event
	err    error
}

// listener applies the session's events to the parts of the screen.
type listener struct {
	*shared
	turn      *turn
	talk      *talk
	questions *questions
	sending   *sending
	revising  *revising
	writing   *writing
	goal      *goal
	requests  *requests
}

// nextEvents waits for events after a pause.
func (h *listener) nextEvents(pause time.Duration) tea.Cmd {
	ctx, events := h.ctx, h.o.Events
	return func() tea.Msg {
		if pause > 0 {
			routine.Sleep(ctx, pause)
		}
		got, err := events.Next(ctx)
		return eventsMsg{got, err}
	}
}

// underWay reports whether a turn is running or starting, a summary is being made, or the conversation is moving.
func (s *sending) underWay() bool {
	return s.state.Turn.Running || s.checkingGoal() || s.state.Compacting || s.moving.running || len(s.outbox) > 0 || s.leaving
}

// stoppable reports whether Esc would stop something. This includes a review, which does not block the user.
func (s *sending) stoppable() bool { return s.busy() || s.state.Reviewing }

func (h *listener) events(msg eventsMsg) tea.Cmd {
	var cmds []tea.Cmd
	deltas := true
	for _, e := range msg.events {
		deltas = deltas && delta(e)
		cmds = append(cmds, h.event(e))
	}
	if msg.err != nil {
		if h.ctx.Err() == nil && !h.sending.leaving {
			h.appendItem(chat.NewError(h.env, "The agent has ended: "+msg.err.Error()+"\nPress Ctrl+C twice to quit, then start chatvault again; your messages are kept."))
			*h.turn, h.state.Turn = turn{shared: h.shared}, session.Turn{}
		}
		return tea.Batch(cmds...)
	}
	pause := time.Duration(0)
	if deltas {
		pause = merge
	}
	return tea.Batch(append(cmds, h.nextEvents(pause))...)
}

func delta(e event.Event) bool {
	switch e.(type) {
	case event.PromptRead, event.TextDelta, event.ReasoningDelta, event.ToolCallDelta, event.RetrospectionDelta:
		return true
	}
	return false
}

// attached shows the media sent with a message.
func (h *listener) attached(e event.Attached) {
	h.list.Each(func(it list.Item) {
		if u, ok := it.(*chat.User); ok && u.ID() == e.MessageID {
			u.Shows(session.MediaLines(e.Media))
		}
	})
}

func (h *listener) turnStarted(e event.TurnStarted) tea.Cmd {
	stop := h.turn.stopping
	*h.turn = turn{shared: h.shared, began: h.now(), folds: h.sending.acceptsMore(e.MessageIDs)}
	h.ended, h.revising.stopped = ending{}, false
	h.sending.showTaken(e.MessageIDs)
	h.turn.asked = h.questions.question
	h.goal.seen = h.state.Goal.Status == event.GoalMet
	if stop {
		return h.stopTurn()
	}
	return nil
}

// maxTasks is the maximum number of lines of the pinned task list.
const maxTasks = 6

// taskLimit returns the number of task list lines for a screen height; 0 on a tiny one.
func taskLimit(height int) int {
	switch {
	case height < 12:
		return 0
	case height < 20:
		return maxTasks / 2
	}
	return maxTasks
}

// taskLines draws the task list while its turn runs.
func (h *listener) taskLines(width int) []string {
	if limit := taskLimit(h.height); limit > 0 {
		return chat.TaskLines(h.env, h.turn.tasks, width, limit, true)
	}
	return nil
}

func (h *listener) turnFinished(e event.TurnFinished) tea.Cmd {
	h.turn.endText()
	if e.ConversationID != "" {
		if o, ok := h.turn.opening.(interface{ Opens(turn string) }); ok {
			o.Opens(e.MessageID)
		}
	}
	if !h.state.Turn.Spoke && e.Response != "" {
		h.turn.write(e.Response)
	}
	h.turn.end(func(t *chat.Tool) {
		if t.State() == chat.ToolWriting { // never ran
			t.Withdraw()
		}
	})
	if q := h.questions.question; q != nil && q == h.turn.asked {
		h.questions.repeat()
	}
	return h.turnOver(e)
}

func (h *listener) turnStopped(e event.TurnStopped) tea.Cmd {
	h.turn.end((*chat.Tool).Stop)
	next := "↑ brings the message back"
	if len(e.MessageIDs) > 1 {
		next = "↑ brings the messages back"
	}
	if n := len(h.sending.waiting()); n > 0 {
		next = "continuing with " + queuedMessages(n)
	}
	if h.sending.towardGoal(e.MessageIDs) {
		next = "/goal resume continues"
	}
	away := !h.list.Following()
	back := ""
	if h.o.Changes != nil {
		back = "/undo reverts it"
	}
	h.appendItem(chat.NewStopped(h.env, next, e.Changed, back))
	h.revising.stopped = slices.ContainsFunc(e.MessageIDs, func(id string) bool { return h.sending.received[id].Source == event.SourceDirect })
	if away { // the notice about it is not visible
		return tea.Batch(h.turnOver(e), h.flash("Stopped · "+next, 3*quitWindow))
	}
	return h.turnOver(e)
}

func (h *listener) turnFailed(e event.TurnFailed) tea.Cmd {
	h.turn.end((*chat.Tool).Stop)
	text := e.Text
	if text == "" {
		text = "The turn failed (" + string(e.Code) + ")."
	}
	if len(e.MessageIDs) > 0 && h.o.Inbox != nil {
		text += "\n/retry tries your message again."
	}
	h.appendItem(chat.NewError(h.env, text))
	return h.turnOver(e)
}

// turnOver cleans up after a turn, whatever its outcome.
func (h *listener) turnOver(e event.Event) tea.Cmd {
	for _, id := range h.state.Turn.Messages {
		delete(h.sending.received, id)
	}
	h.ended = ending{h.state.Turn.State, h.now().Sub(h.turn.began)}
	switch e.(type) {
	case event.TurnFinished:
		h.ended.state = event.StateCompleted
	case event.TurnFailed:
		h.ended.state = event.StateError
	}
	*h.turn = turn{shared: h.shared}
	h.state.Apply(e)
	if !h.selection.Active() && !h.writing.find.Active() {
		h.talk.unload()
	}
	h.requests.withdraw()
	h.env.Citations.Invalidate()
	return nil
}

// stopTurn stops the running or starting turn.
func (h *listener) stopTurn() tea.Cmd {
	if !h.sending.stoppable() {
		return h.flash("Nothing is running", quitWindow)
	}
	h.turn.stopping = h.busy() // false if only a review is running
	h.requests.withdraw()
	p := h.o.Processor
	return func() tea.Msg {
		p.Stop()
		return nil
	}
}

// nextApproval switches to the next approval mode.
func (h *listener) nextApproval() tea.Cmd {
	return func() tea.Msg { return runMsg("approval") }
}

func (h *listener) compactFailed(e event.CompactFailed) {
	h.compactOver()
	switch {
	case e.TurnID != "": // the turn's last event reports it
	case e.Text == "":
		h.appendItem(chat.NewNotice(h.env, "Stopped. Nothing was summarised."))
	default:
		h.appendItem(chat.NewError(h.env, e.Text))
	}
}

// compactOver resets the state after a summary. A stop meant for the summary must not stop a later turn.
func (h *listener) compactOver() {
	if !h.state.Turn.Running {
		h.turn.stopping = false
	}
}

// event dispatches an event to its handler.
//
//nolint:gocyclo // a single switch shows how each event is handled
func (h *listener) event(e event.Event) tea.Cmd {
	defer h.questions.follow()
	was := h.state.Goal
	switch e.(type) {
	case event.TurnFinished, event.TurnStopped, event.TurnFailed: // applied after the turn's items are complete
	default:
		h.state.Apply(e)
	}
	switch e := e.(type) {
	// Turns.
	case event.Received:
		h.sending.onReceived(e)
	case event.TurnStarted:
		return h.turnStarted(e)
	case event.Folded:
		h.folded(e)
	case event.TurnFinished:
		return h.turnFinished(e)
	case event.TurnStopped:
		return h.turnStopped(e)
	case event.TurnFailed:
		return h.turnFailed(e)
	case event.GoalChanged:
		if !h.state.Turn.Running && h.state.Goal.Status != event.GoalActive {
			h.turn.stopping = false // the stop applied to the check, not to a later turn
		}
		h.goal.changed(was)

	// Within a turn.
	case event.StateChanged, event.ReasoningDelta, event.TextDelta, event.TextDone, event.ToolCallDelta, event.ToolStarted, event.ToolFinished, event.Nested,
		event.TaskList, event.Retry:
		h.turn.apply(e)
	case event.AgentMessage:
		if e.IsQuestion {
			h.questions.close()
		}
		h.appendItem(chat.NewMessage(h.env, e.Content, e.IsQuestion))
	case event.Requested:
		if !h.turn.stopping { // otherwise it is about to be withdrawn
			h.requests.add(e.Request)
		}
	case event.RequestEnded:
		h.requests.requestEnded(e)

	// Outside of turns.
	case event.CompactStarted:
		h.talk.compacting = h.now()
		h.turn.endText()
	case event.Compacted:
		h.compactOver()
		h.details = true
		h.appendItem(chat.NewCompaction(h.env, e.Summary, e.Before, e.After))
	case event.CompactFailed:
		h.compactFailed(e)
	case event.Attached:
		h.attached(e)
	case event.Suggested:
		if h.composer.Empty() && h.editing == nil {
			h.composer.SetValue(e.Text) // for the user to send or change
		}
	case event.Notice:
		h.appendItem(chat.NewNotice(h.env, e.Text))
	case event.ArtifactChanged:
		if line := session.ArtifactLine(e); line != "" {
			h.appendItem(chat.NewNotice(h.env, line))
		}

	// Conversations.
	case event.ConversationBegan:
		h.talk.fresh = nil
		h.talk.ending.began = true
	case event.ConversationEnded:
		h.conversationEnded(e)
	case event.ConversationTitled:
		h.talk.conversationTitled(e)
	case event.QuestionDropped:
		h.questionDropped(e)
	case event.RetrospectionDelta:
		h.talk.reviewGrows(e)
	case event.RetrospectionStarted:
		h.talk.reviewing = h.now()
	case event.RetrospectionEnded:
		if e.Stopped {
			h.appendItem(chat.NewNotice(h.env, "The review was stopped."))
		}
	case event.Retrospected:
		h.details = true
		h.talk.reviewed(e)
	}
	return nil
}

// Deliver handles events as if they had come from the processor, for programs that measure the screen without running
// it.
func (m *Model) Deliver(events ...event.Event) {
	for _, e := range events {
		m.event(e)
	}
	m.dirty = true
}
