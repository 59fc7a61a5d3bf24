package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/agent"
)

// maxPipedBytes bounds what `ask` takes from a pipe.
const maxPipedBytes = 4 << 20

type askOptions struct {
	prompt       string
	continueConv bool
	json         bool
}

func newAsk(s Streams, g *globals) *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "ask [PROMPT…]",
		Short: "Ask once, without the chat: the answer on stdout, progress on stderr",
		Long: `Ask once, without the chat. The answer streams to stdout, progress and what the agent
says while it works to stderr. What is piped in is appended to the prompt.

Exit status: 0 answered (also when a limit ended the turn), 1 failed, 2 bad usage or
configuration, 3 the agent asked a question (answer it with: chatvault ask -c "…"),
130 stopped by Ctrl+C.`,
		Example: `  chatvault ask "what do I know about sourdough?"
  git log --oneline -5 | chatvault ask add these commits to today\'s daily note
  chatvault ask -c "the second one"
  chatvault ask --json "list my open tasks" | jq -r .type`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			o.prompt = strings.Join(args, " ")
			return runAsk(s, g, o)
		},
	}
	c.Flags().BoolVarP(&o.continueConv, "continue", "c", false, "continue the active conversation (default: begin a new one)")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object an event")
	return c
}

func runAsk(s Streams, g *globals, o askOptions) error {
	err := ask(s, g, o)
	var e *exitError
	if o.json && err != nil && (!errors.As(err, &e) || e.text != "") {
		code := "error"
		if e != nil && e.status == exitUsage {
			code = "usage"
		}
		_ = newJSONPrinter(s).failure(code, err.Error())
	}
	return err
}

func ask(s Streams, g *globals, o askOptions) error {
	prompt, err := withPiped(o.prompt, s)
	if err != nil {
		return err
	}
	a, err := open(s, g, appOptions{name: "ask", newConversation: !o.continueConv})
	if err != nil {
		return err
	}
	defer a.close()
	return a.follow(s, o.json, func() (string, error) {
		m, err := a.processor.Submit(context.Background(), agent.Inbound{Text: prompt})
		return m.ID, err
	})
}

// withPiped is the prompt with what is piped in after it.
func withPiped(prompt string, s Streams) (string, error) {
	if !s.InIsTerminal && s.In != nil {
		data, err := io.ReadAll(io.LimitReader(s.In, maxPipedBytes+1))
		if err != nil {
			return "", failure("cannot read standard input: %v", err)
		}
		if len(data) > maxPipedBytes {
			return "", usageError("standard input holds more than %d MiB; put it into a note and refer to the note", maxPipedBytes>>20)
		}
		if piped := strings.TrimRight(string(data), "\n"); strings.TrimSpace(piped) != "" {
			prompt = strings.TrimSpace(prompt + "\n\n" + piped)
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", usageError("nothing was asked\nRun: chatvault ask \"your question\"")
	}
	return prompt, nil
}

type eventPrinter interface{ event(agent.Event) error }

// follow begins a turn, of the message whose id begin returns, and prints what happens until
// it ends. Its error carries the exit status.
func (a *app) follow(s Streams, asJSON bool, begin func() (id string, err error)) error {
	var printer eventPrinter = newPlainPrinter(s)
	if asJSON {
		printer = newJSONPrinter(s)
	}
	sub := a.processor.Subscribe()
	defer sub.Close()
	signals := a.watchSignals()
	defer signals.end()

	id, err := begin()
	if err != nil {
		return failure("%v", err)
	}
	unread := false // nobody reads what is printed any more
	for {
		events, err := sub.Next(context.Background())
		if sig := signals.ending(); err != nil && sig != 0 {
			return &exitError{128 + sig, "ended by a signal; the message is kept: chatvault inbox list"}
		}
		if err != nil {
			return failure("the processor ended: %v", err)
		}
		for _, e := range events {
			if !unread && printer.event(e) != nil {
				unread = true
				a.processor.Stop()
			}
			if e.Header().TurnID != id {
				continue
			}
			if _, ok := e.(agent.TurnStarted); ok && (unread || signals.stopping.Load()) {
				a.processor.Stop() // it was told to when there was nothing to stop yet
			}
			done, err := askStatus(e, s, asJSON)
			switch sig := signals.ending(); {
			case !done:
			case sig != 0:
				if !asJSON {
					fmt.Fprintln(s.Err, "The message is kept: chatvault inbox list")
				}
				return &exitError{128 + sig, ""}
			case unread:
				return &exitError{exitFailed, ""}
			default:
				return err
			}
		}
	}
}

// askStatus is the exit of a turn's last event.
func askStatus(e agent.Event, s Streams, asJSON bool) (done bool, err error) {
	switch e := e.(type) {
	case agent.TurnFinished:
		if !e.IsWaitingForResponse {
			return true, nil
		}
		if !asJSON {
			fmt.Fprintln(s.Err, `Answer with: chatvault ask -c "…"`)
		}
		return true, &exitError{exitWaiting, ""}
	case agent.TurnStopped:
		return true, &exitError{exitStopped, ""}
	case agent.TurnFailed:
		return true, &exitError{exitFailed, ""}
	}
	return false, nil
}
