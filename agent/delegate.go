package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Bounds of sub-agents.
const (
	maxSubagentRounds = 8      // rounds of tool calls, where the turn's own limit is not lower
	maxReport         = 20_000 // characters of a report
	promptSubagent    = "delegate"
	partOfReport      = "\n\n"
)

// Delegate runs a sub-agent on a task and returns its report. It has the read-only tools and a context of its own.
// The error, for the model, explains why there is no report.
func (m messenger) Delegate(ctx context.Context, task string) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	a := m.Agent
	a.MaxRounds = min(m.MaxRounds, maxSubagentRounds)
	box, call := readOnly{m.Tools(nil)}, tools.CallOf(ctx)
	system, err := m.prompt(promptSubagent, func(v *prompts.Vars) { v.Task, v.Tools = task, prompts.Tools(box.Tools()) })
	if err != nil {
		return report(Outcome{}, err)
	}
	out, err := a.Run(ctx, Task{
		TurnID: m.TurnID, Conversation: m.Conversation, Purpose: llm.PurposeDelegate, Meter: m.Meter, part: m.spent,
		System: system, Request: []llm.Message{{Role: llm.RoleUser, Content: task, Time: time.Now()}},
		Tools: func(tools.Messenger) Toolbox { return box },
		Emit: func(e event.Event) {
			switch e.(type) {
			case event.PromptRead, event.TextDelta, event.TextDone, event.ReasoningDelta, event.ToolCallDelta, event.Suggested: // its steps are shown, its text is not
			default:
				m.Emit(event.Nested{Meta: m.meta(), CallID: call, Event: e})
			}
		},
	})
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return report(out, err)
}

// isSubagent reports whether this is the run of a sub-agent.
func (r *run) isSubagent() bool { return r.part != nil }

// readOnly is a toolbox without the tools that change something.
type readOnly struct{ Toolbox }

func (b readOnly) Tools() []tools.Tool {
	return slices.DeleteFunc(slices.Clone(b.Toolbox.Tools()), func(t tools.Tool) bool { return !t.ReadOnly() })
}

func (b readOnly) Lookup(name string) (tools.Tool, bool) {
	t, ok := b.Toolbox.Lookup(name)
	return t, ok && t.ReadOnly()
}

func (b readOnly) Call(ctx context.Context, name string, args json.RawMessage) tools.Result {
	if t, ok := b.Toolbox.Lookup(name); ok && !t.ReadOnly() {
		return tools.Result{Text: "Error: A sub-agent only reads: it cannot call " + name + ". Say in your report what should be changed.", IsError: true, Summary: "not run"}
	}
	return b.Toolbox.Call(ctx, name, args)
}

// report returns a sub-agent's report for its parent: its answer, or what it said before it was cut short, and why.
func report(out Outcome, err error) (string, error) {
	said, early := out.Response, ""
	if out.Reason != event.StopCompleted && out.Reason != event.StopUnable {
		early = string(out.Reason)
	}
	if err != nil {
		_, early = failureText(err)
		early = "it failed: " + strings.TrimSuffix(early, ".")
	}
	if early != "" {
		said = spoken(out.Messages)
	}
	switch said = text.MiddleOut(strings.TrimSpace(said), maxReport); {
	case early != "" && said == "":
		return "", fmt.Errorf("the sub-agent ended without a report: %s", early)
	case early != "":
		return said + partOfReport + "[The sub-agent ended early: " + early + ". The report may be incomplete.]", nil
	}
	return said, nil
}

// spoken returns the text of all messages of the agent in a run.
func spoken(record []conversation.Message) string {
	var said []string
	for _, m := range record {
		if m.Role == conversation.RoleAssistant && !text.Blank(m.Content) {
			said = append(said, strings.TrimSpace(m.Content))
		}
	}
	return strings.Join(said, partOfReport)
}
