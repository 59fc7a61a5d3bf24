package cli

import (
	"cmp"
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
)

// drainTime is how long a turn may continue after the first signal.
const drainTime = 60 * time.Second

func newServe(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Work on what SmartHole routes here, without the chat",
		Long: `Connect to SmartHole and work on the messages that it routes here, without the chat:
answers, what the agent says on the way and questions go back as notifications. What happens
is told on stderr, a line each.

SIGTERM or SIGINT takes no further message and lets the turn that runs end, for a minute at
most; a second one ends at once. Either way nothing is lost: what is not done is in the inbox
and taken up at the next start.`,
		Example: `  chatvault serve --vault ~/notes`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runServe(s, g) },
	}
}

func runServe(s Streams, g *globals) error {
	a, err := open(s, g, session.Options{Name: "serve", LeaveGoal: true, CatchUp: true})
	if err != nil {
		return err
	}
	defer a.Close()
	first, stopFirst := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stopFirst()
	say := func(format string, args ...any) {
		fmt.Fprintln(s.Err, time.Now().Format(time.RFC3339)+" "+fmt.Sprintf(format, args...))
	}
	events := a.Subscribe()
	told := make(chan struct{})
	routine.Go("serve log", func() {
		defer close(told)
		serveLog(events, say)
	})
	defer func() {
		events.Close()
		<-told
	}()
	for _, text := range a.Warnings() {
		say("%s", text)
	}
	if err := a.Routing.On(); err != nil {
		return usageError("%v", err)
	}
	if err := resumeRouted(a, say); err != nil {
		return failure("%v", err)
	}
	name, _ := a.Provider()
	say("serving %s with %s", a.Dir(), name)
	for {
		select {
		case status := <-a.Routing.Changes(first):
			say("SmartHole: %s", strings.TrimSuffix(fmt.Sprintf("%s (%s)", status.State, status.Reason), " ()"))
		case <-first.Done():
			stopFirst() // from here on a second signal ends the process at once
			return drain(a, say)
		}
	}
}

// drain stops accepting messages and waits for the running turn.
func drain(a *session.Session, say func(string, ...any)) error {
	second, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if a.Busy() {
		say("ending: waiting for the turn that runs")
	}
	a.Drain()
	for end := time.Now().Add(drainTime); a.Busy(); {
		if !routine.Sleep(second, 20*time.Millisecond) || time.Now().After(end) {
			say("the turn did not end; it resumes at the next start")
			return nil
		}
	}
	a.Routing.Settle(time.Second)
	last, cut := context.WithTimeout(second, drainTime)
	defer cut()
	a.Finish(last)
	say("ended")
	return nil
}

// resumeRouted resumes routed messages that an earlier process left, in their conversation. One whose changes have
// begun continues where it stopped, so no change is made twice. Typed messages wait for the chat.
func resumeRouted(a *session.Session, say func(string, ...any)) error {
	pending, warnings, err := a.Inbox.Recover()
	for _, w := range warnings {
		say("%s", w)
	}
	if err != nil {
		return err
	}
	for _, p := range pending {
		if p.Message.Source != event.SourceWebSocket {
			say("a typed message is unfinished; the chat offers it: %s", excerptLine(p.Message.Text))
			continue
		}
		if !p.Same {
			say("not resumed, as its conversation has changed; chatvault inbox retry %s: %s", p.Message.ID, excerptLine(p.Message.Text))
			continue
		}
		say("resuming: %s", excerptLine(p.Message.Text))
		if err := a.Inbox.Retry(context.Background(), p.Message.ID); err != nil {
			say("it could not be resumed: %v", err)
		}
	}
	return nil
}

func excerptLine(s string) string { return text.Clip(text.FirstLine(s), 80) }

// serveLog logs events until the processor is closed.
func serveLog(events *event.Subscription, say func(string, ...any)) {
	var state session.State
	for {
		batch, err := events.Next(context.Background())
		if err != nil {
			return
		}
		failpoint.Pass("round serve log")
		for _, e := range batch {
			line := printed.Line(&state, e)
			switch e := e.(type) {
			case event.Received:
				line = fmt.Sprintf("Received (%s): %s", cmp.Or(e.Message.From(), string(e.Message.Source)), text.FirstLine(e.Message.Text))
			case event.Requested:
				if e.Request.Kind == event.RequestApproval {
					line = fmt.Sprintf("Not done, because it needs consent: %s %s", e.Request.Change.Kind, e.Request.Change.Subject())
				}
			case event.TurnFinished:
				line = "Finished: " + text.FirstLine(e.Response)
			}
			if line != "" {
				say("%s", text.Clip(text.OneLine(line), maxLogged))
			}
			state.Apply(e)
		}
	}
}

// maxLogged is the maximum length of a line of the log, in characters.
const maxLogged = 200
