package cli

import (
	"context"
	"fmt"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/consent"
	"chatvault/internal/session"
)

// following is one message being worked on, and what follows from it: a goal has further turns.
type following struct {
	*app
	streams Streams
	json    bool
	printer eventPrinter
	signals *signalWatch

	turn   string // the turn that counts, by the id of its first message
	state  session.State
	worked bool        // the goal was worked toward, and not left paused as it was
	held   event.Event // the last event of a turn that ended, not printed yet
	unread bool        // nobody reads what is printed any more
	lost   bool        // an answer could not be recorded
}

// goalLook is how often a goal is looked at while nothing is said of it.
const goalLook = 2 * time.Second

// follow begins a turn, of the message whose id begin returns, and prints what happens until
// it ends, and with a goal, until that is met or paused. Its error carries the exit status.
func (a *app) follow(s Streams, asJSON bool, begin func() (id string, err error)) error {
	plain := newPlainPrinter(s)
	if !asJSON && s.attended() {
		plain.consent = consent.NewAsker(s.Err, s.In, a.processor.Answer)
	}
	f := &following{app: a, streams: s, json: asJSON, printer: plain, state: session.State{Goal: a.processor.Goal()}}
	if asJSON {
		f.printer = newJSONPrinter(s)
	}
	sub := a.processor.Subscribe()
	defer sub.Close()
	f.signals = a.watchSignals()
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
			return &exitError{128 + sig, "ended by a signal; the message is kept: chatvault inbox list"}
		}
		if err != nil {
			return failure("the processor ended: %v", err)
		}
		f.warn()
		for _, e := range events {
			if f.take(e) {
				return f.exit()
			}
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
	case event.TurnStarted:
		f.release()
		if f.unread || f.signals.stopping.Load() {
			f.processor.Stop() // it was told to when there was nothing to stop yet
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

// warn prints what is worth a line but no error.
func (f *following) warn() {
	for _, text := range f.warnings.take() {
		f.print(event.Notice{Meta: event.Meta{TurnID: f.turn, Time: time.Now()}, Text: text})
	}
}

// idle says whether nothing is done toward a goal, after a while in which nothing was said of it.
func (f *following) idle() bool {
	g := f.processor.Goal()
	return !g.InProgress() || g.Status == event.GoalActive && !f.processor.Busy()
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
		f.processor.Stop()
	}
	f.state.Apply(e)
}

// exit prints the last event and says with which status the program ends.
func (f *following) exit() error {
	last := f.held
	f.release()
	switch sig := f.signals.ending(); {
	case sig != 0:
		if _, answered := last.(event.TurnFinished); answered {
			f.say("The goal is kept: chatvault goal show")
		} else {
			f.say("The message is kept: chatvault inbox list")
		}
		return &exitError{128 + sig, ""}
	case f.unread:
		return &exitError{exitFailed, ""}
	}
	switch e := last.(type) {
	case event.TurnFinished:
		switch {
		case f.lost:
			f.say("To work on the message again: chatvault inbox retry")
			return &exitError{exitFailed, ""}
		case e.IsWaitingForResponse:
			f.say(answerHint(f.state.Question.Options))
			return &exitError{exitWaiting, ""}
		case !f.worked:
			return nil
		case f.state.Goal.Status == event.GoalPaused && f.signals.stopping.Load():
			return &exitError{exitStopped, ""}
		case f.state.Goal.Status == event.GoalPaused && f.state.Goal.Failed:
			return &exitError{exitFailed, ""}
		case f.state.Goal.Status == event.GoalPaused:
			f.say(`Go on with: chatvault ask -c "go on"; give it up with: chatvault goal drop`)
		}
		return nil
	case event.TurnStopped:
		return &exitError{exitStopped, ""}
	default:
		return &exitError{exitFailed, ""}
	}
}

// say tells a person what comes next; a program reads the events.
func (f *following) say(text string) {
	if !f.json {
		fmt.Fprintln(f.streams.Err, text)
	}
}

// answerHint says how to answer a question.
func answerHint(options []string) string {
	if len(options) == 0 {
		return `Answer with: chatvault ask -c "…"`
	}
	return "Answer with its number, or in other words: chatvault ask -c 1"
}
