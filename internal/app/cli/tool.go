package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
	"chatvault/tools"
	"chatvault/tools/skill"
	"chatvault/vault/journal"
)

func newTool(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "tool [NAME [JSON]]",
		Short: "List the agent's tools, or run one on the vault",
		Long: `Without a name, list the agent's tools with the JSON Schemas of their arguments.
With one, run it on the vault and print exactly what the agent would see. The arguments are
one JSON object, given or piped in. A tool's error goes to stderr, with exit status 1.`,
		Example: `  chatvault tool
  chatvault tool search_files '{"pattern": "sourdough"}'
  chatvault tool --json list_tasks '{"due_until": "today"}' | jq .data
  echo '{"path": "Inbox.md"}' | chatvault tool read_file`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listTools(s, asJSON)
			}
			given := ""
			if len(args) > 1 {
				given = args[1]
			} else if !s.InIsTerminal {
				data, err := io.ReadAll(s.In)
				if err != nil {
					return failure("cannot read the arguments from standard input: %v", err)
				}
				given = string(data)
			}
			return runTool(s, g, args[0], given, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "list as one JSON array; print the result as one JSON object, with its data")
	return c
}

func listTools(s Streams, asJSON bool) error {
	list := tools.NewRegistry(nil, tools.Options{Conversations: &conversation.Manager{}, Finder: ranked.NewFinder(nil, false, ""), Skills: func() []skill.Skill { return make([]skill.Skill, 1) }}).Turn(printer{io.Discard}).Tools()
	if asJSON {
		type tool struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		}
		out := make([]tool, len(list))
		for i, t := range list {
			out[i] = tool{t.Name(), t.Description(), t.Schema()}
		}
		return text.WriteJSON(s.Out, out)
	}
	for i, t := range list {
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		var schema bytes.Buffer
		if err := json.Indent(&schema, t.Schema(), "  ", "  "); err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s\n  %s\n\n  %s\n", t.Name(), strings.ReplaceAll(strings.TrimSpace(t.Description()), "\n", "\n  "), schema.String())
	}
	return nil
}

// collectSeldom is the GC percentage of a process that runs a single call: at the default of 100 it would collect ten
// times in a tenth of a second.
const collectSeldom = 400

// toolResult is the result of a tool as JSON; docs/schema/tool-result.json describes it.
type toolResult struct {
	Schema  int    `json:"schema"` // version
	Tool    string `json:"tool"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`         // what the agent would see
	Data    any    `json:"data,omitempty"` // of tools with results for programs
}

func runTool(s Streams, g *globals, name, args string, asJSON bool) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectSeldom)
	}
	v, cfg, err := openVault(s, g)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	ctx, stop := interruptible()
	defer stop()
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	limits := session.ToolLimits(cfg)
	if state, err := home.Look(v.Dir()); err == nil {
		defer func() { _ = state.Close() }()
		limits.Conversations = conversation.NewManager(state, conversation.Options{Warn: func(text string) { fmt.Fprintln(s.Err, text) }})
	}
	kept := home.KeepJournal(v, s.warn)
	defer func() { _ = kept.Close() }()
	home.Recover(ctx, v, s.warn)
	limits.Finder = ranked.NewFinder(v, false, cfg.SaveChats.V)
	if own, err := os.OpenRoot(v.Dir()); err == nil {
		defer func() { _ = own.Close() }()
		answers, done, _ := home.AnswersFor(own.Name()) // unreadable answers are no consent
		defer done()
		library := session.Skills(cfg, own, answers)
		limits.Skills = library.Used
	}
	turn := tools.NewRegistry(v, limits).Turn(printer{s.Err})
	request := tools.Request{
		Turn: journal.NewID(time.Now()), Source: "tool",
		Title: strings.TrimSpace(name + " " + tools.Target(name, json.RawMessage(args))),
	}
	r := turn.Call(tools.WithRequest(ctx, request), name, json.RawMessage(args))
	err = v.History.EndTurn(request.Turn)
	if err == nil && len(turn.Changes()) > 0 {
		err = home.PruneSeldom(ctx, v, kept, cfg)
	}
	if ctx.Err() != nil {
		return &exitError{Status: exitStopped}
	}
	if err != nil {
		s.warn(err.Error())
	}
	switch {
	case asJSON:
		err = text.Encoder(s.Out).Encode(toolResult{1, name, r.IsError, r.Text, r.Data})
	case r.IsError:
		fmt.Fprintln(s.Err, r.Text)
	default:
		err = s.say(r.Text)
	}
	if r.IsError {
		return &exitError{Status: exitFailed}
	}
	return err
}

// printer is a messenger that prints the agent's messages.
type printer struct{ w io.Writer }

func (p printer) SendMessage(_ context.Context, text string, isQuestion bool) error {
	_, err := fmt.Fprintln(p.w, printed.Line(nil, event.AgentMessage{Content: text, IsQuestion: isQuestion}))
	return err
}
