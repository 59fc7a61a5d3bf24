package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// outgoing is a message that is being stored or waits for its turn.
type outgoing struct {
	event.Inbound            // the ID is empty until it is stored
	item          *chat.User // nil until it is in the transcript
	submitted     bool       // passed to the processor
	taking        bool       // being taken back
}

// sending handles messages from sending until their turns begin.
type sending struct {
	*shared
	questions *questions
	talk      *talk
	turn      *turn
	attaching *complete.Attaching // files mentioned in the text
	onPost    func()              // called when a message is sent

	moving     moving      // pending move in the conversation, during which nothing is submitted
	outbox     []*outgoing // messages not yet in a turn, oldest first
	submitting bool        // a message is being stored
	received   map[string]event.Inbound
}

// send sends the text, runs it as a command, or continues on a new line. A held message stays out of the running
// turn.
func (m *Model) send(hold bool) tea.Cmd {
	if m.composer.Continue() {
		return nil
	}
	text := strings.TrimRight(m.composer.Value(), " \t\n")
	typed := typedText{text, hold}
	if strings.TrimSpace(text) == "" {
		if m.editing != nil {
			return m.flash("The text is empty: Esc keeps the original message", 2*quitWindow)
		}
		return m.sendMarked()
	}
	switch p := session.ParseTyped(text, m.commands); {
	case p.Hint != "":
		name, _, _ := session.CutCommand(text) // a fault in its file is more helpful
		return m.flash(cmp.Or(phrase.Line(m.custom.FaultOf[name]), p.Hint), 3*quitWindow)
	case m.editing != nil && p.Command == nil:
		return m.sendEdited(text, text, event.ModeAct)
	case m.editing != nil:
		return m.run(p.Command, p.Words, typed)
	case p.Command != nil:
		keep := m.remember(text)
		m.composer.Clear()
		return tea.Batch(keep, m.run(p.Command, p.Words, typed))
	}
	m.hint = ""
	text, picked := m.optionText(text)
	hold = hold || picked && m.state.Turn.Running
	keep := m.remember(text)
	m.composer.Clear()
	return tea.Batch(keep, m.submit(event.Inbound{Text: strings.TrimLeft(text, " "), Hold: hold}))
}

// submit submits a user's message (Text, Mode, Hold).
func (s *sending) submit(in event.Inbound) tea.Cmd {
	s.post(in)
	return s.submitNext()
}

// post adds a user's message to the outbox. It appears in the transcript if nothing is running, otherwise in the
// queue.
func (s *sending) post(in event.Inbound) {
	in.Source, in.Attach = event.SourceDirect, s.attaching.Paths(in.Text)
	out := &outgoing{Inbound: in}
	s.attaching.Forget()
	if !s.busy() {
		s.welcome.Leave()
		out.item = chat.NewUser(s.env, in.Text, "")
		out.item.Tag, out.item.Pending = tagOf(in, s.state.Goal), true
		out.item.At(s.now())
		s.appendItem(out.item)
		s.talk.noteUserMessage(out.item)
		s.turn.stopping = false
	}
	s.onPost()
	s.list.End()
	if s.questions.pick != nil {
		s.questions.pick.sent = true
	}
	s.outbox = append(s.outbox, out)
}

// submitFirst submits a message before those written after it.
func (s *sending) submitFirst(in event.Inbound) tea.Cmd {
	s.post(in)
	n := len(s.outbox) - 1
	at, out := slices.IndexFunc(s.outbox, func(o *outgoing) bool { return !o.submitted }), s.outbox[n]
	s.outbox = slices.Insert(s.outbox[:n], at, out)
	return s.submitNext()
}

// submitNext submits the oldest message that is not submitted yet, one at a time: commands run concurrently, and
// messages must keep their sequence.
func (s *sending) submitNext() tea.Cmd {
	if s.submitting || s.moving.running {
		return nil
	}
	for _, out := range s.outbox {
		if out.submitted {
			continue
		}
		out.submitted, s.submitting = true, true
		submit := func(ctx context.Context) (event.Inbound, error) { return s.o.Processor.Submit(ctx, out.Inbound) }
		return loop.Then(s.ctx, submit, func(got event.Inbound, err error) tea.Cmd { return s.submitted(out, got.ID, err) })
	}
	return nil
}

func (s *sending) submitted(out *outgoing, id string, err error) tea.Cmd {
	s.submitting = false
	var cmd tea.Cmd
	if err != nil {
		cmd = s.notSubmitted(out, err)
	} else {
		out.ID = id
		if out.item != nil {
			out.item.Pending, out.item.ID = false, out.ID
		}
	}
	return tea.Batch(cmd, s.submitNext())
}

// notSubmitted reports that a message was not accepted. Its text returns to the composer if that is empty; it is in
// the prompt history in any case.
func (s *sending) notSubmitted(out *outgoing, err error) tea.Cmd {
	s.drop(out)
	s.turn.stopping = s.turn.stopping && s.state.Turn.Running
	if s.questions.pick != nil {
		s.questions.pick.sent = false
	}
	why := err.Error()
	if out.item != nil {
		out.item.Failed = why
	} else {
		s.appendItem(chat.NewError(s.env, "Not sent: "+why))
	}
	hint := "Not sent. ↑ brings the text back."
	if s.composer.Empty() {
		s.composer.SetValue(below(typedIn(out.Mode, out.Text), s.composer.Value()))
		hint = "Not sent. Your text is back below."
	}
	return s.flash(hint, 3*quitWindow)
}

// findOutgoing returns the message with an id that is not in a turn yet, or nil.
func (s *sending) findOutgoing(id string) *outgoing {
	if i := slices.IndexFunc(s.outbox, func(o *outgoing) bool { return o.ID == id }); i >= 0 {
		return s.outbox[i]
	}
	return nil
}

func (s *sending) drop(out *outgoing) {
	s.outbox = slices.DeleteFunc(slices.Clone(s.outbox), func(o *outgoing) bool { return o == out })
}

// onReceived handles a stored message: one from the outbox, matched by its text, or one from another source.
func (s *sending) onReceived(e event.Received) {
	id := e.Message.ID
	s.received[id] = e.Message
	if e.Message.Source == event.SourceGoal {
		return // shown when its turn begins
	}
	if s.findOutgoing(id) != nil {
		return
	}
	if e.Message.Source == event.SourceDirect {
		for _, o := range s.outbox {
			if o.submitted && o.ID == "" && o.Text == e.Message.Text {
				o.ID = id
				return
			}
		}
	}
	s.outbox = append(s.outbox, &outgoing{Inbound: e.Message, submitted: true})
}

// showTaken moves the messages taken by a turn into the transcript and returns the new items.
func (s *sending) showTaken(ids []string) []*chat.User {
	var items []*chat.User
	for _, id := range ids {
		in, known := s.received[id]
		if out := s.findOutgoing(id); out != nil {
			s.drop(out)
			if out.item != nil {
				out.item.Pending, out.item.ID = false, id
				s.turn.opens(out.item)
				continue
			}
			in.Text = out.Text
		} else if !known {
			continue
		}
		if in.Source == event.SourceGoal {
			step := chat.NewGoalStep(s.env, in.Text)
			s.turn.opens(step)
			s.appendItem(step)
			continue
		}
		s.welcome.Leave()
		u := chat.NewUser(s.env, in.Text, in.From())
		items = append(items, u)
		u.ID, u.Tag = id, tagOf(in, s.state.Goal)
		u.At(in.Time)
		s.turn.opens(u)
		s.talk.noteUserMessage(u)
		s.appendItem(u)
	}
	return items
}

// lastQueued returns the newest queued message that the user can take back, or nil.
func (s *sending) lastQueued() *outgoing {
	for _, o := range slices.Backward(s.outbox) {
		if o.item == nil && o.ID != "" && !o.taking && o.Source == event.SourceDirect {
			return o
		}
	}
	return nil
}

// takeBack takes a queued message back for editing.
func (s *sending) takeBack(out *outgoing) tea.Cmd {
	p := s.o.Processor
	out.taking = true
	return func() tea.Msg {
		_, ok := p.TakeBack(out.ID)
		return loop.Do(func() tea.Cmd { return s.tookBack(out, ok) })
	}
}

func (s *sending) tookBack(out *outgoing, ok bool) tea.Cmd {
	out.taking = false
	if !ok {
		return s.flash("It was already added to the turn.", 2*quitWindow)
	}
	s.drop(out)
	delete(s.received, out.ID)
	s.composer.SetValue(below(typedIn(out.Mode, out.Text), s.composer.Value()))
	return nil
}

// hintMsg shows a temporary message in the status line.
type hintMsg struct{ text string }

// turnRuns is shown for actions that must wait for the turn to end.
const turnRuns = "A turn is running: stop it with Esc, or wait"

// typedIn returns a message as typed, including the command of its mode.
func typedIn(mode event.Mode, text string) string {
	if mode == event.ModePlan {
		return "/plan " + text
	}
	return text
}

// planMode returns the mode of a message.
func planMode(plan bool) event.Mode {
	if plan {
		return event.ModePlan
	}
	return event.ModeAct
}

// tagOf returns the purpose of a user's message; empty for an ordinary one.
func tagOf(in event.Inbound, g event.Goal) string {
	switch {
	case in.Mode == event.ModePlan:
		return "plan"
	case in.Text == g.Text && g.Text != "":
		return "goal"
	}
	return ""
}

// maxQueue is the number of queued messages shown.
const maxQueue = 3

// joins reports whether a queued message joins the running turn at its next model call. open reports whether a turn that
// accepts messages is running or starting.
func joins(open bool, in event.Inbound) bool {
	return open && in.Source == event.SourceDirect && !in.Hold && in.Mode == event.ModeAct
}

// joinable reports whether a message sent now may join a running or starting turn. A turn that is being stopped accepts
// none.
func (s *sending) joinable() bool {
	return !s.turn.stopping && (s.state.Turn.Running && s.turn.folds || !s.state.Turn.Running && s.starting())
}

// starting reports whether a message is in the transcript whose turn has not begun.
func (s *sending) starting() bool {
	return slices.ContainsFunc(s.outbox, func(o *outgoing) bool { return o.item != nil })
}

// waiting returns the queued messages, oldest first.
func (s *sending) waiting() []*outgoing {
	return slices.DeleteFunc(slices.Clone(s.outbox), func(o *outgoing) bool { return o.item != nil })
}

// queueLines draws the queued messages with their destinations.
func (s *sending) queueLines(width int) []string {
	waiting := s.waiting()
	if len(waiting) == 0 {
		return nil
	}
	open := s.joinable()
	last := s.lastQueued()
	var out []string
	if more := len(waiting) - maxQueue; more > 0 { // the newest stay visible
		out, waiting = []string{s.styles.Muted.Render(cells.Truncate(fmt.Sprintf("  … %d more", more), width, ""))}, waiting[more:]
	}
	for _, o := range waiting {
		right := "→ next turn"
		switch {
		case o.ID == "":
			right = "saving"
		case joins(open, o.Inbound):
			right = "→ this turn"
		}
		if o == last && s.composer.Empty() && !s.questions.picking() && s.dialogs.Empty() {
			if up := keys.First(s.keys.TakeBack, ""); up != "" {
				right += " · " + up + " takes it back"
			}
		}
		out = append(out, s.queueLine(o, right, width))
	}
	return out
}

// queueLine draws a queued message in one line, with its destination if it fits.
func (s *sending) queueLine(o *outgoing, right string, width int) string {
	const mark, least, gap = "↳ ", 12, 2
	text := text.OneLine(terminal.Text(text.Head(o.Text, 400)))
	via := s.received[o.ID].From()
	switch {
	case via != "":
		text = via + ": " + text
	case o.Mode == event.ModePlan:
		text = "plan: " + text
	}
	room := func() int { return width - cells.Width(mark) - cells.Width(right) - gap }
	if room() < least {
		right, _, _ = strings.Cut(right, " · ")
	}
	if room() < least {
		right = ""
	}
	return phrase.Spread(s.styles.Muted.Render(mark)+cells.Truncate(text, max(room(), 1), "…"), s.styles.Muted.Render(right), width)
}

// folded moves messages that joined the running turn into the transcript. Before the turn's first model call they
// look like messages that were sent together.
func (m *Model) folded(e event.Folded) {
	m.turn.endText()
	for _, it := range m.showTaken(e.MessageIDs) {
		if m.state.Turn.Thought {
			it.Added = true
		}
	}
}
