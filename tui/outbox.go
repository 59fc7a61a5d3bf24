package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// outgoing is a message on its way: being made durable, or waiting for its turn.
type outgoing struct {
	event.Inbound            // its ID is empty until it is durable
	item          *chat.User // in the transcript already
	handed        bool       // to the processor
	taking        bool       // it is being taken back
}

// sending is what was sent, and is not answered yet.
type sending struct {
	outbox   []*outgoing // not yet taken into a turn, in order
	handing  bool        // a message is being made durable
	received map[string]event.Inbound
	leaving  bool // as soon as all is durable
}

// send sends what is written, runs it as a command, or goes on in a new line. A message that
// is held goes into no running turn.
func (m *Model) send(hold bool) tea.Cmd {
	if m.composer.Continue() {
		return nil
	}
	return m.sendText(typedText{strings.TrimRight(m.composer.Value(), " \t\n"), hold}, false)
}

// sendText sends what is written. The vault's own commands are read anew before one is run,
// and before a command is said not to be there: looked says that they were.
func (m *Model) sendText(typed typedText, looked bool) tea.Cmd {
	text, hold := typed.text, typed.hold
	if strings.TrimSpace(text) == "" {
		if m.editing != nil {
			return m.flash("The text is empty: Esc keeps the message as it was", 2*quitWindow)
		}
		if m.offering() {
			return m.runOffered()
		}
		return m.sendMarked()
	}
	switch p := session.ParseTyped(text, m.commands); {
	case !looked && m.mayBeCustom(text, p):
		return m.lookForCustom(typed)
	case p.Hint != "":
		return m.flash(p.Hint, 3*quitWindow)
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
	text, picked := m.spelled(text)
	hold = hold || picked && m.state.Turn.Running
	keep := m.remember(text)
	m.composer.Clear()
	return tea.Batch(keep, m.submit(event.Inbound{Text: strings.TrimLeft(text, " "), Hold: hold}))
}

// submit gives a message of the user (Text, Mode, Hold) to the processor.
func (m *Model) submit(in event.Inbound) tea.Cmd {
	m.post(in)
	return m.hand()
}

// post puts a message of the user into the outbox. While nothing runs it shows in the transcript
// at once, else in the queue.
func (m *Model) post(in event.Inbound) {
	in.Source, in.Attach = event.SourceDirect, m.attaching.Paths(in.Text)
	out := &outgoing{Inbound: in}
	m.attaching.Forget()
	if !m.busy() {
		m.welcome.Leave()
		out.item = chat.NewUser(m.env, in.Text, "")
		out.item.Tag(tagOf(in, m.state.Goal))
		out.item.Pending(true)
		m.say(out.item)
		m.talk.said(out.item)
		m.turn.stopping = false
	}
	m.stopShowing()
	m.list.End()
	if m.pick != nil {
		m.pick.sent = true
	}
	m.outbox = append(m.outbox, out)
}

// submitFirst submits a message before those that were written after it.
func (m *Model) submitFirst(in event.Inbound) tea.Cmd {
	n := len(m.outbox)
	m.post(in)
	out := m.outbox[n]
	if at := slices.IndexFunc(m.outbox, func(o *outgoing) bool { return !o.handed }); at < n {
		m.outbox = slices.Insert(m.outbox[:n], at, out)
	}
	return m.hand()
}

// hand gives the oldest message that is still here to the processor, one at a time: commands
// run beside each other, and messages keep the order they were sent in.
func (m *Model) hand() tea.Cmd {
	if m.handing || m.moving.running {
		return nil
	}
	for _, out := range m.outbox {
		if out.handed {
			continue
		}
		out.handed, m.handing = true, true
		submit := func(ctx context.Context) (event.Inbound, error) { return m.o.Processor.Submit(ctx, out.Inbound) }
		return loop.Then(m.ctx, submit, func(got event.Inbound, err error) tea.Cmd { return m.submitted(out, got.ID, err) })
	}
	return nil
}

func (m *Model) submitted(out *outgoing, id string, err error) tea.Cmd {
	m.handing = false
	var cmd tea.Cmd
	if err != nil {
		cmd = m.notSubmitted(out, err)
	} else {
		out.ID = id
		if out.item != nil {
			out.item.Pending(false)
			out.item.Sent(out.ID)
		}
	}
	if m.leaving && len(m.unsaved()) == 0 {
		return m.quit()
	}
	return tea.Batch(cmd, m.hand())
}

// notSubmitted gives the text back: it is not lost, and not sent.
func (m *Model) notSubmitted(out *outgoing, err error) tea.Cmd {
	m.drop(out)
	m.turn.stopping = m.turn.stopping && m.state.Turn.Running
	if m.pick != nil {
		m.pick.sent = false
	}
	why := err.Error()
	if out.item != nil {
		out.item.Fail(why)
	} else {
		m.say(chat.NewError(m.env, "Not sent: "+why))
	}
	hint := "Not sent. ↑ brings the text back."
	if m.composer.Empty() {
		m.composer.SetValue(typedIn(out.Mode, out.Text))
		hint = "Not sent. Your text is back below."
	} else if m.leaving { // the draft is all that stays
		m.composer.SetValue(out.Text + "\n" + m.composer.Value())
	}
	return m.flash(hint, 3*quitWindow)
}

// outboxed is the message with an id that is not in a turn yet; nil: there is none.
func (s *sending) outboxed(id string) *outgoing {
	if i := slices.IndexFunc(s.outbox, func(o *outgoing) bool { return o.ID == id }); i >= 0 {
		return s.outbox[i]
	}
	return nil
}

func (s *sending) drop(out *outgoing) {
	s.outbox = slices.DeleteFunc(slices.Clone(s.outbox), func(o *outgoing) bool { return o == out })
}

// onReceived notes a message that is durable: ours by its text, or one that came
// another way.
func (m *Model) onReceived(e event.Received) {
	id := e.Message.ID
	m.received[id] = e.Message
	if e.Message.Source == event.SourceGoal {
		return // the program's own: it shows when its turn begins
	}
	if m.outboxed(id) != nil {
		return
	}
	if e.Message.Source == event.SourceDirect {
		for _, o := range m.outbox {
			if o.handed && o.ID == "" && o.Text == e.Message.Text {
				o.ID = id
				return
			}
		}
	}
	m.outbox = append(m.outbox, &outgoing{Inbound: e.Message, handed: true})
}

// shown moves the messages a turn took into the transcript, and gives the items that are new.
func (m *Model) shown(ids []string) []*chat.User {
	var items []*chat.User
	for _, id := range ids {
		in, known := m.received[id]
		if out := m.outboxed(id); out != nil {
			m.drop(out)
			if out.item != nil {
				out.item.Pending(false)
				out.item.Sent(id)
				m.turn.opens(out.item)
				continue
			}
			in.Text = out.Text
		} else if !known {
			continue
		}
		if in.Source == event.SourceGoal {
			step := chat.NewGoalStep(m.env, in.Text)
			m.turn.opens(step)
			m.say(step)
			continue
		}
		m.welcome.Leave()
		u := chat.NewUser(m.env, in.Text, in.Via())
		items = append(items, u)
		u.Sent(id)
		u.At(in.Time)
		u.Tag(tagOf(in, m.state.Goal))
		m.turn.opens(u)
		m.talk.said(u)
		m.say(u)
	}
	return items
}

// lastQueued is the newest message of the user's that still waits, if it can be taken back.
func (s *sending) lastQueued() *outgoing {
	for i := len(s.outbox) - 1; i >= 0; i-- {
		if o := s.outbox[i]; o.item == nil && o.ID != "" && !o.taking && o.Source == event.SourceDirect {
			return o
		}
	}
	return nil
}

// takeBack takes a queued message back to edit it.
func (m *Model) takeBack(out *outgoing) tea.Cmd {
	p := m.o.Processor
	out.taking = true
	return func() tea.Msg {
		_, ok := p.TakeBack(out.ID)
		return loop.Do(func() tea.Cmd { return m.tookBack(out, ok) })
	}
}

func (m *Model) tookBack(out *outgoing, ok bool) tea.Cmd {
	out.taking = false
	if !ok {
		return m.flash("It was already added to the turn.", 2*quitWindow)
	}
	m.drop(out)
	delete(m.received, out.ID)
	if m.composer.Empty() {
		m.composer.SetValue(typedIn(out.Mode, out.Text))
	} else {
		m.composer.SetValue(out.Text + "\n" + m.composer.Value())
	}
	return nil
}

// hintMsg is a passing word for the status line.
type hintMsg struct{ text string }

// turnRuns is why a command has to wait.
const turnRuns = "A turn is running: stop it with Esc, or wait"

// typedIn is a message of a mode as it was typed, command and all.
func typedIn(mode event.Mode, text string) string {
	if mode == event.ModePlan {
		return "/plan " + text
	}
	return text
}

// planMode is the mode of a message that asks for a plan, or does not.
func planMode(plan bool) event.Mode {
	if plan {
		return event.ModePlan
	}
	return event.ModeAct
}

// tagOf says what a message of the user is for; empty for an ordinary one.
func tagOf(in event.Inbound, g event.Goal) string {
	switch {
	case in.Mode == event.ModePlan:
		return "plan"
	case in.Text == g.Text && g.Text != "":
		return "goal"
	}
	return ""
}

// maxQueue is how many waiting messages are shown.
const maxQueue = 3

// goes is where a waiting message will go.
type goes string

const (
	toThisTurn goes = "→ this turn" // into the running one, at its next model step
	toNextTurn goes = "→ next turn"
	toNew      goes = "→ new conversation" // the agent has ended this one
)

// goesTo says where a waiting message will go: open says that a turn runs, or is about to, that
// takes messages as it goes on, ends that the agent ends the conversation with it.
func goesTo(open, ends bool, in event.Inbound) goes {
	if open && in.Source == event.SourceDirect && !in.Hold && in.Mode == event.ModeAct {
		return toThisTurn
	}
	if ends {
		return toNew
	}
	return toNextTurn
}

// open says whether what is sent now may go into a turn that runs or is about to. One that is
// being stopped takes nothing any more.
func (m *Model) open() bool {
	if m.turn.stopping || m.leaving {
		return false
	}
	return m.state.Turn.Running && m.turn.folds || !m.state.Turn.Running && m.starting()
}

// takesMore says whether a turn that begins with these messages takes others while it runs:
// one of the user's own, or toward the goal.
func (s *sending) takesMore(ids []string) bool {
	return len(ids) == 0 || slices.Contains([]event.Source{event.SourceDirect, event.SourceGoal, ""}, s.received[ids[0]].Source)
}

// since reports whether one of these messages was sent at a time or later.
func (s *sending) since(ids []string, at time.Time) bool {
	return len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool {
		in, known := s.received[id]
		return !known || !in.Time.Before(at)
	})
}

// starting says that a message is in the transcript whose turn has not begun.
func (s *sending) starting() bool {
	return slices.ContainsFunc(s.outbox, func(o *outgoing) bool { return o.item != nil })
}

// waiting are the messages that wait, in order.
func (s *sending) waiting() []*outgoing {
	return slices.DeleteFunc(slices.Clone(s.outbox), func(o *outgoing) bool { return o.item != nil })
}

// queueLines shows the messages that wait, and where each will go.
func (m *Model) queueLines(width int) []string {
	s := m.styles
	waiting := m.waiting()
	if len(waiting) == 0 {
		return nil
	}
	open := m.open()
	last, stays := m.lastQueued(), len(waiting)-1 // what can be taken back stays in sight, else the newest
	if i := slices.Index(waiting, last); i >= maxQueue-1 {
		stays = i
	}
	var out []string
	for i, o := range waiting {
		if i == maxQueue-1 && len(waiting) > maxQueue {
			out = append(out, s.Muted.Render(ansi.Truncate(fmt.Sprintf("  … %d more", len(waiting)-maxQueue), width, "")))
		}
		if i >= maxQueue-1 && i != stays && len(waiting) > maxQueue {
			continue
		}
		right := string(goesTo(open, m.state.Turn.Leaves, o.Inbound))
		if o.ID == "" {
			right = "saving"
		}
		if o == last && m.composer.Empty() && !m.picking() && m.dialogs.Empty() {
			if up := keys.First(m.keys.TakeBack, ""); up != "" {
				right += " · " + up + " takes it back"
			}
		}
		out = append(out, m.queueLine(o, right, width))
	}
	return out
}

// queueLine is a waiting message in one line. Where it goes is said as far as there is room.
func (m *Model) queueLine(o *outgoing, right string, width int) string {
	s := m.styles
	const mark, least, gap = "↳ ", 12, 2
	text := text.OneLine(terminal.Text(phrase.Head(o.Text, 400)))
	via := m.received[o.ID].Via()
	switch {
	case via != "":
		text = via + ": " + text
	case o.Mode == event.ModePlan:
		text = "plan: " + text
	}
	room := width - ansi.StringWidth(mark)
	if room-ansi.StringWidth(right)-gap < least {
		right, _, _ = strings.Cut(right, " · ")
	}
	if left := room - ansi.StringWidth(right) - gap; left >= least {
		room = left
	} else {
		right = ""
	}
	return phrase.Spread(s.Muted.Render(mark)+ansi.Truncate(text, max(room, 1), "…"), s.Muted.Render(right), width)
}

// folded moves messages that went into the running turn into the transcript. Before the turn's
// first model step they are as good as sent together with what began it.
func (m *Model) folded(e event.Folded) {
	m.turn.endText()
	for _, it := range m.shown(e.MessageIDs) {
		if m.state.Turn.Thought {
			it.Added()
		}
	}
	if m.question != nil && m.question == m.turn.answers.question && m.since(e.MessageIDs, m.askedAt) {
		m.closeQuestion()
	}
}

// waits says whether a text, as it was typed, is a message that waits: it shows in the queue, from
// where it can be taken back.
func (s *sending) waits(text string) bool {
	return slices.ContainsFunc(s.outbox, func(o *outgoing) bool { return o.item == nil && typedIn(o.Mode, o.Text) == text })
}
