// Package ask is the front-end of a single request: it prints events as they come, for a person or as JSON for a
// program, and reports the outcome by the exit status.
package ask

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/consent"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal/output"
)

// Options configure how a request is followed.
type Options struct {
	Processor *session.Session // runs the request
	Out, Err  *output.Writer   // the answer, and everything else
	In        io.Reader        // answers to requests of the turn, if Attended
	Attended  bool             // a person reads Err and types on In
	JSON      bool             // print events on Out, a line each
	Typed     bool             // print nothing but the valid answer on Out
	Render    func() Rendering // draws each text of the answer; nil prints it as it is
}

// Exit statuses; 0 is success. Refused: a change needed consent and no user could be asked. Short: a limit was
// reached, or the goal was not met.
const (
	Failed  = 1
	Waiting = 3
	Refused = 4
	Short   = 5
	Stopped = 130
)

// Exit is the error of a request that was not simply answered. Text may be empty if everything has been printed.
type Exit struct {
	Status int
	Text   string
}

func (e *Exit) Error() string { return e.Text }

// printer prints an event. was is the state before it.
type printer interface {
	event(was *session.State, e event.Event) error
}

// following follows a message and what results from it: a goal has further turns.
type following struct {
	Options
	printer printer
	signals *signalWatch

	turn   string // the current turn, by the ID of its first message
	state  session.State
	worked bool        // the goal was worked on, not left paused
	held   event.Event // the last event of an ended turn, not printed yet
	unread bool        // the reader of the output is gone
	lost   bool        // an answer could not be recorded
	denied bool        // a change needed consent and no user could be asked
}

// goalLook is how often a goal is checked while no event reports on it.
const goalLook = 2 * time.Second

// Follow begins a turn and prints its events until it ends or, with a goal, until the goal is met or paused. begin
// returns the ID of the turn's message. The error is an *Exit.
func Follow(o Options, begin func() (id string, err error)) error {
	f := &following{Options: o, state: session.State{Goal: o.Processor.Goal()}}
	if o.JSON {
		f.printer = newJSONPrinter(o.Out, o.Err)
	} else {
		plain := &plainPrinter{out: o.Out, err: o.Err, render: func() Rendering { return &asIs{} }}
		switch {
		case o.Typed:
			plain.out, plain.typed = io.Discard, o.Out
		case o.Render != nil:
			plain.out, plain.render = o.Out.Unfiltered(), o.Render
		}
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
		return &Exit{Failed, err.Error()}
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
			return &Exit{Failed, "the processor ended: " + err.Error()}
		}
		for _, text := range f.Processor.Warnings() {
			f.print(event.Notice{Meta: event.Meta{TurnID: f.turn, Time: time.Now()}, Text: text})
		}
		if slices.ContainsFunc(events, f.take) {
			return f.exit()
		}
		if f.held != nil && len(events) == 0 && !f.Processor.GoesOn() {
			return f.exit()
		}
	}
}

// next waits for events. Between turns for a goal it times out, so that an inactive goal ends.
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

// take prints an event. It returns true if nothing more follows.
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
			f.Processor.Stop() // it was interrupted before there was anything to stop
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

// release prints the held event, because another turn follows.
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

// exit prints the last event and returns the error with the exit status.
func (f *following) exit() error {
	last := f.held
	f.release()
	switch sig := f.signals.ending(); {
	case sig != 0:
		if _, answered := last.(event.TurnFinished); answered {
			f.say("The goal is kept, and paused")
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
		case e.StopReason == event.StopRefused, e.StopReason == event.StopCut, e.StopReason == event.StopInvalid:
			return &Exit{Failed, ""}
		case !f.worked:
			return f.done(e.StopReason != event.StopCompleted && e.StopReason != event.StopWaiting)
		case f.state.Goal.Status == event.GoalPaused && f.signals.stopping.Load():
			return &Exit{Stopped, ""}
		case f.state.Goal.Status == event.GoalPaused && f.state.Goal.Failed:
			return &Exit{Failed, ""}
		case f.state.Goal.Status == event.GoalPaused:
			f.say(`Continue with: chatvault ask -c "go on"; /goal drop in the chat drops it`)
		}
		return f.done(f.state.Goal.Status != event.GoalMet)
	case event.TurnStopped:
		return &Exit{Stopped, ""}
	default:
		return &Exit{Failed, ""}
	}
}

// done returns the error of an answered request. short reports whether it fell short of what was requested.
func (f *following) done(short bool) error {
	switch {
	case f.denied:
		return &Exit{Refused, ""}
	case short:
		return &Exit{Short, ""}
	}
	return nil
}

// say prints what comes next for a person; a program reads the events.
func (f *following) say(text string) {
	if !f.JSON {
		fmt.Fprintln(f.Err, text)
	}
}

// answerHint describes how to answer a question.
func answerHint(options []string) string {
	if len(options) == 0 {
		return `Answer with: chatvault ask -c "…"`
	}
	return "Answer with its number, or in other words: chatvault ask -c 1"
}
