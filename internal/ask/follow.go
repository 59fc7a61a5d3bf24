// Package ask is the front-end of one request: what happens is printed as it comes, for a person or, as
// JSON, for a program, and how it ended is said by the exit status.
package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/consent"
	"chatvault/internal/session"
	"chatvault/internal/terminal/output"
)

// Options are what a request is followed with.
type Options struct {
	Processor *session.Session // works on the request
	Out, Err  *output.Writer   // the answer, and what is said beside it
	In        io.Reader        // answers to what a turn asks, where Attended
	Attended  bool             // a person reads Err and types on In
	JSON      bool             // events on Out, a line each
	// Said is told what was said last when the request has ended: the answer, or the question that waits.
	Said func(text string)
}

// Exit statuses, beside 0 for done. Refused: a change needed consent, and nobody could be asked. Short: a
// limit ended it, or the goal is not met.
const (
	Failed  = 1
	Waiting = 3
	Refused = 4
	Short   = 5
	Stopped = 130
)

// Exit is how a request ended that was not simply answered; Text may be empty when all is said already.
type Exit struct {
	Status int
	Text   string
}

func (e *Exit) Error() string { return e.Text }

func failure(format string, args ...any) error { return &Exit{Failed, fmt.Sprintf(format, args...)} }

// printer prints an event; was is how things stood before it.
type printer interface {
	event(was *session.State, e event.Event) error
}

// following is one message being worked on, and what follows from it: a goal has further turns.
type following struct {
	Options
	printer printer
	signals *signalWatch

	turn   string // the turn that counts, by the id of its first message
	state  session.State
	worked bool        // the goal was worked toward, and not left paused as it was
	held   event.Event // the last event of a turn that ended, not printed yet
	unread bool        // nobody reads what is printed any more
	lost   bool        // an answer could not be recorded
	denied bool        // a change needed consent, and nobody could be asked
}

// goalLook is how often a goal is looked at while nothing is said of it.
const goalLook = 2 * time.Second

// Follow begins a turn, of the message whose id begin returns, and prints what happens until
// it ends, and with a goal, until that is met or paused. Its error is an *Exit.
func Follow(o Options, begin func() (id string, err error)) error {
	f := &following{Options: o, state: session.State{Goal: o.Processor.Goal()}}
	if o.JSON {
		f.printer = newJSONPrinter(o.Out, o.Err)
	} else {
		plain := &plainPrinter{out: o.Out, err: o.Err}
		if o.Attended {
			plain.consent = consent.NewAsker(o.Err, o.In, o.Processor.Answer)
		}
		f.printer = plain
	}
	sub := o.Processor.Subscribe()
	defer sub.Close()
	f.signals = watchSignals(o.Processor)
	defer f.signals.end()

	id, err := begin()
	if err != nil {
		return failure("%v", err)
	}
	f.turn = id
	for {
		events, err := f.next(sub)
		if sig := f.signals.ending(); err != nil && sig != 0 {
			if f.held != nil {
				return f.exit()
			}
			return &Exit{128 + sig, "ended by a signal; the message is kept: chatvault inbox list"}
		}
		if err != nil {
			return failure("the processor ended: %v", err)
		}
		for _, text := range f.Processor.Warnings() {
			f.print(event.Notice{Meta: event.Meta{TurnID: f.turn, Time: time.Now()}, Text: text})
		}
		if slices.ContainsFunc(events, f.take) {
			return f.exit()
		}
		if f.held != nil && len(events) == 0 && f.idle() {
			return f.exit()
		}
	}
}

// next waits for events; between the turns toward a goal not for ever, so that a goal nothing
// more is said of ends.
func (f *following) next(sub *event.Subscription) ([]event.Event, error) {
	if f.held == nil {
		return sub.Next(context.Background())
	}
	ctx, cancel := context.WithTimeout(context.Background(), goalLook)
	defer cancel()
	events, err := sub.Next(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, nil
	}
	return events, err
}

// take prints an event; true when nothing more follows.
func (f *following) take(e event.Event) (done bool) {
	switch e := e.(type) {
	case event.GoalChanged:
		f.worked = f.worked || e.Goal.InProgress()
		f.print(e)
		return f.held != nil && !e.Goal.InProgress()
	case event.Received:
		if f.held != nil && e.Message.Source == event.SourceGoal {
			f.turn = e.Message.ID
			f.release()
		}
	}
	if e.Header().TurnID != f.turn {
		f.print(e)
		return false
	}
	switch e := e.(type) {
	case event.Requested:
		f.denied = f.denied || e.Request.Kind == event.RequestApproval && (f.JSON || !f.Attended)
	case event.TurnStarted:
		f.release()
		if f.unread || f.signals.stopping.Load() {
			f.Processor.Stop() // it was told to when there was nothing to stop yet
		}
	case event.TurnFinished:
		f.held, f.lost = e, f.lost || e.Unrecorded
		return e.IsWaitingForResponse || !f.state.Goal.InProgress()
	case event.TurnStopped, event.TurnFailed:
		f.held = e
		return true
	}
	f.print(e)
	return false
}

// idle says whether nothing is done toward a goal, after a while in which nothing was said of it.
func (f *following) idle() bool {
	g := f.Processor.Goal()
	return !g.InProgress() || g.Status == event.GoalActive && !f.Processor.Busy()
}

// release prints the event that was held: another turn follows.
func (f *following) release() {
	if f.held != nil {
		f.print(f.held)
		f.held = nil
	}
}

func (f *following) print(e event.Event) {
	if !f.unread && f.printer.event(&f.state, e) != nil {
		f.unread = true
		f.Processor.Stop()
	}
	f.state.Apply(e)
}

// exit prints the last event and says with which status the program ends.
func (f *following) exit() error {
	last := f.held
	f.release()
	if done, ok := last.(event.TurnFinished); ok {
		if said := done.Response; f.Said != nil && !done.IsWaitingForResponse {
			f.Said(said)
		} else if f.Said != nil {
			f.Said(f.state.Question.Text)
		}
	}
	switch sig := f.signals.ending(); {
	case sig != 0:
		if _, answered := last.(event.TurnFinished); answered {
			f.say("The goal is kept: chatvault goal show")
		} else {
			f.say("The message is kept: chatvault inbox list")
		}
		return &Exit{128 + sig, ""}
	case f.unread:
		return &Exit{Failed, ""}
	}
	switch e := last.(type) {
	case event.TurnFinished:
		switch {
		case f.lost:
			f.say("To work on the message again: chatvault inbox retry")
			return &Exit{Failed, ""}
		case e.IsWaitingForResponse:
			f.say(answerHint(f.state.Question.Options))
			return &Exit{Waiting, ""}
		case !f.worked && !f.denied && e.StopReason == event.StopUnable:
			return &Exit{Failed, ""}
		case e.StopReason == event.StopRefused, e.StopReason == event.StopCut:
			return &Exit{Failed, ""}
		case !f.worked:
			return f.done(e.StopReason != event.StopCompleted && e.StopReason != event.StopWaiting)
		case f.state.Goal.Status == event.GoalPaused && f.signals.stopping.Load():
			return &Exit{Stopped, ""}
		case f.state.Goal.Status == event.GoalPaused && f.state.Goal.Failed:
			return &Exit{Failed, ""}
		case f.state.Goal.Status == event.GoalPaused:
			f.say(`Continue with: chatvault ask -c "go on"; drop it with: chatvault goal drop`)
		}
		return f.done(f.state.Goal.Status != event.GoalMet)
	case event.TurnStopped:
		return &Exit{Stopped, ""}
	default:
		return &Exit{Failed, ""}
	}
}

// done is how a request ended that was answered; short says that less came of it than was asked for.
func (f *following) done(short bool) error {
	switch {
	case f.denied:
		return &Exit{Refused, ""}
	case short:
		return &Exit{Short, ""}
	}
	return nil
}

// say tells a person what comes next; a program reads the events.
func (f *following) say(text string) {
	if !f.JSON {
		fmt.Fprintln(f.Err, text)
	}
}

// answerHint says how to answer a question.
func answerHint(options []string) string {
	if len(options) == 0 {
		return `Answer with: chatvault ask -c "…"`
	}
	return "Answer with its number, or in other words: chatvault ask -c 1"
}
