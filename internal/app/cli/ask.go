package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/agent/typed"
	"chatvault/internal/app/ask"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
	"chatvault/internal/base/trust"
	completion "chatvault/tui/complete"
)

// maxPipedBytes is the maximum size of input piped to `ask`.
const maxPipedBytes = 4 << 20

type askOptions struct {
	prompt       string
	continueConv bool
	plan, goal   bool
	json         bool
	approve      bool
	raw          bool
	sender       string
	schema       string // file with the JSON Schema of the answer
}

func newAsk(s Streams, g *globals) *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "ask [PROMPT…]",
		Short: "Ask once, without the chat: the answer on stdout, progress on stderr",
		Long: `Ask once, without the chat. The answer streams to stdout, progress and what the agent
says while it works to stderr. At a terminal its Markdown is drawn, unless --raw is given. What is piped in is appended to the prompt. Files, folders and
pictures of the vault that it names as @path go with it.

With --plan the agent looks and changes nothing; its answer is a plan, to be carried out
with: chatvault ask -c 1. With --goal the request is a goal: the agent works on, turn after
turn, until a check says that it is met, or until goal_max_turns, a budget or Ctrl+C pauses
it; the next message (chatvault ask -c "go on") resumes it.

Where approval is set, a change waits for your consent: at a terminal you see what it would
do and are asked; anywhere else it is denied, unless --approve is given.

With --schema the answer is JSON that is valid against the JSON Schema in the file, and
stdout has nothing else. The agent may use its tools first. If the answer is still not valid
after a second try, stdout stays empty, stderr says why, and the exit status is 1.

Exit status: 0 answered, or the goal is met; 3 the agent asked a question (answer it with:
chatvault ask -c "…", or with the number of an option: chatvault ask -c 2); chatvault help
scripting lists the others, and the events of --json.`,
		Example: `  chatvault ask "what do I know about sourdough?"
  chatvault ask 'what does @"Scans/bill.png" say?'
  git log --oneline -5 | chatvault ask add these commits to today\'s daily note
  chatvault ask -c "the second one"
  chatvault ask --plan "sort the notes in Inbox into folders"
  chatvault ask --goal "every recipe has tags and a photo credit"
  chatvault ask --json "list my open tasks" | jq -r .type
  chatvault ask --schema tasks.schema.json "which tasks are overdue?" | jq .`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			o.prompt = strings.Join(args, " ")
			return runAsk(s, g, o)
		},
	}
	c.Flags().BoolVarP(&o.continueConv, "continue", "c", false, "continue the last conversation, unless it is open elsewhere (default: begin a new one)")
	c.Flags().BoolVar(&o.plan, "plan", false, "ask for a plan, and change nothing before you approve it")
	c.Flags().BoolVar(&o.goal, "goal", false, "make the request a goal, and work on until it is met")
	c.Flags().BoolVar(&o.approve, "approve", false, "approve every change that the setting approval would ask about")
	c.Flags().StringVar(&o.sender, "as", "", "the name of who asks, where several people talk in one conversation")
	c.Flags().BoolVar(&o.raw, "raw", false, "print the answer's Markdown at a terminal too, instead of drawing it")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object per event")
	c.Flags().StringVar(&o.schema, "schema", "", "answer with JSON that is valid against the JSON Schema in this file")
	return c
}

func runAsk(s Streams, g *globals, o askOptions) error {
	if o.plan && o.goal {
		return usageError("--plan and --goal cannot be combined: ask for a plan first, or set the goal at once")
	}
	schema, err := o.readSchema()
	if err != nil {
		return err
	}
	prompt, err := withPiped(o.prompt, s)
	if err != nil {
		return err
	}
	a, err := open(s, g, session.Options{
		Name: "ask", NewConversation: !o.continueConv, LeaveGoal: !o.continueConv,
		Attended: !o.json && s.attended(), ApproveAll: o.approve,
	})
	if err != nil {
		return err
	}
	held := make(chan os.Signal, 1)
	defer signal.Stop(held)
	defer a.Close()
	if err := formable(a, schema); err != nil {
		return err
	}
	if prompt, err = expandSlash(a, session.Commands(), prompt); err != nil {
		return err
	}
	a.RecoverChange(context.Background())
	if o.continueConv && !o.plan && !o.goal {
		if q := a.Conversations.Question(); q != nil && event.NoOption(prompt, q.Options) {
			return usageError("There is no option %s. The question was: %s%s\nAnswer with an option's number, or in words.",
				strings.TrimSpace(prompt), q.Question, session.OptionLines(q.Options))
		}
	}
	signal.Notify(held, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // a signal while a closes does not interrupt it
	var render func() ask.Rendering
	if !o.raw {
		render = answers(a, s)
	}
	err = follow(a, s, ask.Options{JSON: o.json, Typed: schema != nil, Render: render}, func() (string, error) {
		m := event.Inbound{Text: prompt, AnswerSchema: schema}
		if o.sender != "" {
			m.Metadata = map[string]string{event.MetaSender: o.sender}
		}
		named, err := completion.Attached(context.Background(), a.Mentions.Find, prompt)
		if err != nil {
			return "", err
		}
		m.Attach = text.Of(named, func(f session.VaultFile) string { return f.Path })
		if o.plan {
			m.Mode = event.ModePlan
		}
		if o.goal {
			if _, err := a.SetGoal(prompt); err != nil {
				return "", err
			}
		}
		m, err = a.Submit(context.Background(), m)
		return m.ID, err
	})
	catchUp(s, a, err)
	return err
}

// withPiped returns the prompt followed by piped input.
func withPiped(prompt string, s Streams) (string, error) {
	if !s.InIsTerminal && s.In != nil {
		data, err := io.ReadAll(io.LimitReader(s.In, maxPipedBytes+1))
		if err != nil {
			return "", failure("cannot read standard input: %v", err)
		}
		if len(data) > maxPipedBytes {
			return "", usageError("standard input is more than %d MiB; put it into a note and refer to the note", maxPipedBytes>>20)
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

// formable returns an error if a message has a schema and the engine without a model would answer.
func formable(a *session.Session, schema json.RawMessage) error {
	if schema != nil && a.EngineAnswers(context.Background()) {
		return usageError("--schema needs a language model, and the offline engine would answer: nothing was asked\nChoose a model with --model, or see: chatvault help model")
	}
	return nil
}

// readSchema returns the schema of the answer, or nil if there is none.
func (o askOptions) readSchema() (json.RawMessage, error) {
	switch {
	case o.schema == "":
		return nil, nil
	case o.plan || o.goal:
		return nil, usageError("--schema is for one answer: it cannot be combined with --plan or --goal")
	}
	data, _, err := config.ReadUserFile(o.schema, true)
	if err != nil {
		return nil, usageError("the schema %s %v", o.schema, err)
	}
	form, err := typed.Parse(data)
	if err != nil {
		return nil, usageError("%s is no JSON Schema: %v", o.schema, err)
	}
	return form.Schema, nil
}

// follow begins a turn and prints its events. Its error carries the exit status.
func follow(a *session.Session, s Streams, o ask.Options, begin func() (id string, err error)) error {
	o.Processor, o.Out, o.Err, o.In, o.Attended = a, s.Out, s.Err, s.In, s.attended()
	return ask.Follow(o, begin)
}

// expandSlash expands a prompt that is a command defined by the vault, and returns other text unchanged. A chat
// command, or a mistyped one, is an error: it would cost a model call and do nothing.
func expandSlash(a *session.Session, table []session.Command, prompt string) (string, error) {
	if hint := session.InAsk(prompt, table); hint != "" {
		return "", usageError("%s", hint)
	}
	t, ok, err := a.Typed(context.Background(), prompt, table)
	switch {
	case !ok:
		return prompt, nil
	case err != nil:
		return "", failure("%s cannot be read: %v", trust.Commands, text.Cause(err))
	case t.Hint != "":
		return "", usageError("%s", t.Hint)
	}
	r := t.Command.Do(session.Call{Words: t.Words})
	if r.Err != nil {
		return "", usageError("%v", r.Err)
	}
	return r.Send.Text, nil
}

// askTitles is how many missing titles of earlier processes `ask` creates. Without a chat nothing else does.
const askTitles = 1

// catchUp creates titles and reviews left by a successful turn and by earlier processes.
func catchUp(s Streams, a *session.Session, err error) {
	if slices.Contains([]int{exitOK, exitWaiting, ask.Refused, ask.Short}, exitOf(err).Status) {
		finish(s, func(ctx context.Context) { a.CatchUp(ctx, askTitles) })
	}
}

// quiet is how long finishing may take without a message.
const quiet = time.Second

// finish waits, before the program exits, for model calls on earlier conversations, which cost the same if canceled.
// A signal ends the wait without changing the exit status.
func finish(s Streams, wait func(context.Context)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	defer time.AfterFunc(quiet, routine.Guard("finish", func() {
		fmt.Fprintln(s.Err, "Finishing the title or review of an earlier conversation. Press Ctrl+C to end now.")
	})).Stop()
	wait(ctx)
}
