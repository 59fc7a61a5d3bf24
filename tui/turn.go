package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/routine"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/status"
)

// eventsMsg is what the processor did.
type eventsMsg struct {
	events []event.Event
	err    error
}

// turn is what the screen knows of the running turn.
type turn struct {
	stopping bool // the user asked to stop, or will have it stopped as it starts
	began    time.Time
	retryAt  time.Time
	folds    bool // it takes what is sent while it runs
	answers  openQuestion
	tasks    []chat.Task
	opening  list.Item // its first item

	said      list.Item // what the agent said last
	answer    *chat.Assistant
	wrote     int // bytes of answer, as they came
	reasoning *chat.Reasoning
	tools     map[string]*chat.Tool
	// call is what the present model call brought: a retry takes it back.
	call []withdrawer
}

// opens notes the turn's first item.
func (t *turn) opens(it list.Item) {
	if t.opening == nil {
		t.opening = it
	}
}

// withdrawer is an item that can be taken off the screen.
type withdrawer interface{ Withdraw() }

// nextEvents waits for events after a pause.
func (m *Model) nextEvents(pause time.Duration) tea.Cmd {
	ctx, events := m.ctx, m.o.Events
	return func() tea.Msg {
		if pause > 0 {
			routine.Sleep(ctx, pause)
		}
		got, err := events.Next(ctx)
		return eventsMsg{got, err}
	}
}

// busy says that a turn runs or is about to, that a summary is being made, or that the
// conversation goes back.
func (m *Model) busy() bool {
	return m.state.Turn.Running || m.checkingGoal() || m.state.Compacting || m.moving.running || len(m.outbox) > 0 && !m.leaving || m.leaving
}

// stoppable says that something goes on which Esc stops: a review, too, which keeps nobody from anything.
func (m *Model) stoppable() bool { return m.busy() || m.state.Reviewing }

func (m *Model) events(msg eventsMsg) tea.Cmd {
	var cmds []tea.Cmd
	deltas := true
	for _, e := range msg.events {
		deltas = deltas && delta(e)
		cmds = append(cmds, m.event(e))
	}
	if msg.err != nil {
		if m.ctx.Err() == nil && !m.leaving {
			m.say(chat.NewError(m.env, "The agent has ended: "+msg.err.Error()+"\nLeave with Ctrl+C twice and start chatvault again; what you sent is kept."))
			m.turn, m.state.Turn = turn{}, session.Turn{}
		}
		return tea.Batch(cmds...)
	}
	pause := time.Duration(0)
	if deltas {
		pause = m.pace.next(m.now())
		if now := m.now(); now.Sub(m.spinner.at) >= spin {
			m.spinner.at, m.spinner.streamed = now, true
			m.env.Frame++
		}
	}
	return tea.Batch(append(cmds, m.nextEvents(pause))...)
}

func delta(e event.Event) bool {
	switch e.(type) {
	case event.PromptRead, event.TextDelta, event.ReasoningDelta, event.ToolCallDelta, event.RetrospectionDelta:
		return true
	}
	return false
}

// attached shows which pictures and documents go with a message.
func (m *Model) attached(e event.Attached) {
	m.list.Each(func(it list.Item) {
		if u, ok := it.(*chat.User); ok && u.ID() == e.MessageID {
			u.Shows(session.MediaLines(e.Media))
		}
	})
}

func (m *Model) turnStarted(e event.TurnStarted) tea.Cmd {
	stop := m.turn.stopping
	m.turn = turn{
		began: m.now(), tools: map[string]*chat.Tool{}, folds: m.takesMore(e.MessageIDs),
	}
	m.ended, m.stoppedMessage = status.End{}, stoppedMessage{}
	m.shown(e.MessageIDs)
	m.turn.answers = m.openQuestion
	if m.answering(e.MessageIDs) {
		m.closeQuestion()
	}
	m.goal.seen = m.state.Goal.Status == event.GoalMet
	if stop {
		return m.stopTurn()
	}
	return nil
}

func (m *Model) stateChanged(e event.StateChanged) {
	switch e.State {
	case event.StateThinking:
		m.endText()
		m.turn.call = nil
	case event.StateActing:
		for _, t := range m.turn.tools {
			t.Written()
		}
	}
}

// endText finishes what the model call that ended wrote.
func (m *Model) endText() {
	if m.turn.answer != nil {
		m.turn.answer.Finish()
		m.turn.answer, m.turn.wrote = nil, 0
	}
	m.endReasoning()
}

func (m *Model) endReasoning() {
	if m.turn.reasoning != nil {
		m.turn.reasoning.Finish(m.now())
		m.turn.reasoning = nil
	}
}

func (m *Model) reasoned(e event.ReasoningDelta) {
	if m.turn.reasoning == nil {
		m.details = true
		m.turn.reasoning = chat.NewReasoning(m.env, m.now())
		m.turn.call = append(m.turn.call, m.turn.reasoning)
		m.say(m.turn.reasoning)
	}
	m.turn.reasoning.Append(e.Text)
}

func (m *Model) wrote(text string) {
	if text == "" {
		return
	}
	m.endReasoning()
	if m.turn.answer == nil {
		m.turn.answer = chat.NewAssistant(m.env)
		m.turn.said = m.turn.answer
		m.turn.call = append(m.turn.call, m.turn.answer)
		m.say(m.turn.answer)
	}
	m.turn.wrote += len(text)
	m.turn.answer.Append(text)
}

// textDone shows the whole text of a model call where it is not what arrived: a model that
// repeats itself without end is cut short.
func (m *Model) textDone(e event.TextDone) {
	a := m.turn.answer
	if a == nil {
		return
	}
	if len(e.Text) < m.turn.wrote {
		a.Withdraw()
		a.Append(e.Text)
	}
	a.Finish() // what is said after it, by the program, stands for itself
	m.turn.answer, m.turn.wrote = nil, 0
}

// tool finds the item of a tool call, or adds one.
func (m *Model) tool(id, name string) *chat.Tool {
	t := m.turn.tools[id]
	if t == nil {
		t = chat.NewTool(m.env, name)
		if m.turn.tools == nil {
			m.turn.tools = map[string]*chat.Tool{}
		}
		m.turn.tools[id] = t
		if !event.TraitsOf(name).Speaks {
			m.endReasoning()
			m.say(t)
		}
	}
	return t
}

func (m *Model) toolWriting(e event.ToolCallDelta) {
	known := m.turn.tools[e.ID] != nil
	t := m.tool(e.ID, e.Name)
	if !known {
		m.turn.call = append(m.turn.call, t)
	}
	t.Writing(e.Bytes, e.Target)
}

func (m *Model) toolStarted(e event.ToolStarted) {
	t := m.tool(e.ID, e.Name)
	t.Start(e.Target, m.now())
	t.Called(e.Arguments)
	if event.TraitsOf(e.Name).Delegates {
		t.Wait()
	}
}

func (m *Model) toolFinished(e event.ToolFinished) {
	m.details = m.details || !event.TraitsOf(e.Name).Speaks
	t := m.tool(e.ID, e.Name)
	if e.IsError && m.turn.stopping { // it is the stop that ended it
		t.Stop()
		return
	}
	t.Finish(e.Summary, e.IsError, e.Duration)
	t.Gave(e.Result)
	t.Replaced(e.Diff)
	m.requests.SayParts(e)
	if e.IsError && event.TraitsOf(e.Name).Speaks {
		m.say(t)
	}
}

func (m *Model) agentSaid(e event.AgentMessage) {
	item := chat.NewMessage(m.env, e.Content, e.IsQuestion)
	m.turn.said = item
	m.say(item)
	if e.IsQuestion {
		m.ask(item, e.Options, e.Time)
	}
}

// retrying takes back what the failed attempt wrote and shows the wait.
func (m *Model) retrying(e event.Retry) {
	for _, it := range m.turn.call {
		it.Withdraw()
		for id, t := range m.turn.tools {
			if it == withdrawer(t) {
				delete(m.turn.tools, id)
			}
		}
	}
	m.turn.call, m.turn.answer, m.turn.reasoning, m.turn.wrote = nil, nil, nil, 0
	m.turn.retryAt = m.now().Add(e.Delay)
}

// nested shows what a sub-agent does, within the line of the call that started it.
func (m *Model) nested(e event.Nested) {
	t := m.tool(e.CallID, "delegate")
	m.details = true
	switch e := e.Event.(type) {
	case event.ToolStarted:
		t.StepStarted(e.ID, e.Name, e.Target, m.now())
	case event.ToolFinished:
		t.StepFinished(e.ID, e.Summary, e.IsError, e.Duration)
		m.requests.SayParts(e)
	case event.Retry:
		if e.Delay <= 0 {
			t.Nest("switching to another model")
			return
		}
		t.Nest(fmt.Sprintf("%s, trying again in %s", retryReason(e), e.Delay.Round(time.Second)))
	case event.StateChanged:
		switch e.State {
		case event.StateThinking:
			t.Nest("thinking")
		case event.StateCompleted:
			t.Nest("reporting")
		}
	}
}

// maxTasks is how many lines the pinned task list takes.
const maxTasks = 6

// taskLimit is how many lines of the task list a screen of the given height has room for: none
// on a tiny one.
func taskLimit(height int) int {
	switch {
	case height < 12:
		return 0
	case height < 20:
		return maxTasks / 2
	}
	return maxTasks
}

// taskLines is the list while its turn runs.
func (m *Model) taskLines(width int) []string {
	if limit := taskLimit(m.height); limit > 0 {
		return chat.TaskLines(m.env, m.turn.tasks, width, limit, true)
	}
	return nil
}

// unpin leaves the list in the transcript as its turn ended with it.
func (m *Model) unpin() {
	if len(m.turn.tasks) > 0 {
		m.say(chat.NewTasks(m.env, m.turn.tasks))
		m.turn.tasks = nil
	}
}

func (m *Model) turnFinished(e event.TurnFinished) tea.Cmd {
	m.endText()
	if e.ConversationID != "" {
		m.talk.id = e.ConversationID
		if o, ok := m.turn.opening.(interface{ Opens(turn string) }); ok {
			o.Opens(e.MessageID)
		}
	}
	if !m.state.Turn.Spoke && e.Response != "" {
		m.wrote(e.Response)
		m.endText()
	}
	for _, t := range m.turn.tools {
		if t.State() == chat.ToolWriting { // the turn ended without it
			t.Withdraw()
		}
	}
	m.unpin()
	m.repeatQuestion()
	return m.turnOver(e)
}

func (m *Model) turnStopped(e event.TurnStopped) tea.Cmd {
	m.endText()
	for _, t := range m.turn.tools {
		t.Stop()
	}
	m.unpin()
	next := "↑ brings the message back"
	if len(e.MessageIDs) > 1 {
		next = "↑ brings the messages back"
	}
	if n := len(m.waiting()); n > 0 {
		next = "continuing with " + status.QueuedMessages(n)
	}
	if m.towardGoal(e.MessageIDs) {
		next = "/goal resume continues"
	}
	m.reopenQuestion(m.turn.answers)
	away := !m.list.Following()
	back := ""
	if m.o.Changes != nil {
		back = "/undo reverts it"
	}
	mark := chat.NewStopped(m.env, next, e.Changed, back)
	m.say(mark)
	m.noteStopped(e.MessageIDs, mark)
	if away { // the line that says so is out of sight
		return tea.Batch(m.turnOver(e), m.flash("Stopped · "+next, 3*quitWindow))
	}
	return m.turnOver(e)
}

func (m *Model) turnFailed(e event.TurnFailed) tea.Cmd {
	m.endText()
	for _, t := range m.turn.tools {
		t.Stop()
	}
	text := e.Text
	if text == "" {
		text = "The turn failed (" + string(e.Code) + ")."
	}
	if len(e.MessageIDs) > 0 && m.views.unfinished.Inbox != nil {
		text += "\n/retry tries your message again."
	}
	m.unpin()
	m.reopenQuestion(m.turn.answers)
	m.say(chat.NewError(m.env, text))
	return m.turnOver(e)
}

// turnOver is after a turn ended, however it did.
func (m *Model) turnOver(e event.Event) tea.Cmd {
	for _, id := range m.state.Turn.Messages {
		delete(m.received, id)
	}
	m.ended = status.End{State: m.state.Turn.State, Took: m.now().Sub(m.turn.began)}
	switch e.(type) {
	case event.TurnFinished:
		m.ended.State = event.StateCompleted
	case event.TurnFailed:
		m.ended.State = event.StateError
	}
	m.turn = turn{}
	m.state.Apply(e)
	if !m.selection.Active() && !m.find.Active() {
		m.pages.Unload()
	}
	m.requests.Withdraw()
	m.env.Citations.Invalidate()
	return nil
}

// stopTurn stops the running turn, or the one that is about to start.
func (m *Model) stopTurn() tea.Cmd {
	if !m.stoppable() {
		return m.flash("Nothing is running", quitWindow)
	}
	m.turn.stopping = m.busy() // a review alone is stopped for itself
	m.requests.Withdraw()
	p := m.o.Processor
	return func() tea.Msg {
		p.Stop()
		return nil
	}
}

// nextApproval goes on to the next mode of what waits for the user.
func (m *Model) nextApproval() tea.Cmd {
	if c := m.commandNamed("approval"); c != nil {
		return m.run(c, "", typedText{})
	}
	return nil
}

func (m *Model) compactFailed(e event.CompactFailed) {
	m.compactOver()
	switch {
	case e.TurnID != "": // its last event tells
	case e.Text == "":
		m.say(chat.NewNotice(m.env, "Stopped. Nothing was summarised."))
	default:
		m.say(chat.NewError(m.env, e.Text))
	}
}

// compactOver is after the summary, however it ended. A stop that was meant for it stops no turn.
func (m *Model) compactOver() {
	if !m.state.Turn.Running {
		m.turn.stopping = false
	}
}
