package agent

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/tools"
)

// TestPlanSendsAllToolsRunsReadingOnes: a tool that a turn may not call that plans is sent all the same, and does not run.
func TestPlanSendsAllToolsRunsReadingOnes(t *testing.T) {
	both := use("list_files", `{}`, "write_file", `{}`)
	model := &fakeModel{t: t, replies: []reply{both, both, say(llm.NoPlan)}}
	var ran []string
	a := Agent{Provider: model, MaxRounds: 10, Log: slog.New(slog.DiscardHandler)}
	out, err := a.Run(t.Context(), Task{
		TurnID: "t", Request: []llm.Message{{Role: llm.RoleUser, Content: "go"}}, Purpose: llm.PurposePlan,
		Tools: box(tool("list_files", true, "none"), tool("write_file", false, "written")),
		Emit: func(e event.Event) {
			if e, ok := e.(event.ToolFinished); ok {
				ran = append(ran, fmt.Sprintf("%s %v", e.Name, !e.IsError))
			}
		},
	})
	if err != nil || out.Response != llm.NoPlan {
		t.Fatal(out, err)
	}
	grows(t, model.calls()) // all tools are sent each time
	want := []string{"list_files true", "list_files true", "write_file false", "write_file false"}
	slices.Sort(ran)
	if !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	for _, m := range model.calls()[2].Messages {
		if m.IsError && !strings.Contains(m.Content, "write_file cannot be called now") {
			t.Errorf("the model is told %q", m.Content)
		}
	}
}

// A model that counts more tokens than were estimated is told of the same tools in its next call.
func TestToolsStayWhenTokensAreCounted(t *testing.T) {
	real := tools.NewRegistry(nil, tools.Options{}).Turn(nil)
	var specs []llm.ToolSpec
	for _, tool := range real.Tools() {
		specs = append(specs, llm.ToolSpec{Name: tool.Name(), Description: tool.Description(), Parameters: tool.Schema()})
	}
	look := use("nothing", `{}`)
	model := &fakeModel{t: t, replies: []reply{func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if yield(llm.Chunk{Usage: &llm.Usage{PromptTokens: window.RequestTokens(req) * 3 / 2, CompletionTokens: 9}}, nil) {
			look(ctx, req, yield)
		}
	}, say("done")}}
	a := Agent{Provider: model, MaxRounds: 10, Log: slog.New(slog.DiscardHandler), Window: window.SpecTokens(specs)*100/toolShare + 10}
	if _, err := a.Run(t.Context(), Task{
		TurnID: "t", Request: []llm.Message{{Role: llm.RoleUser, Content: "go"}},
		Tools: func(tools.Messenger) Toolbox { return real }, Emit: func(event.Event) {},
	}); err != nil {
		t.Fatal(err)
	}
	calls := model.calls()
	if grows(t, calls); len(calls) != 2 || len(calls[0].Tools) != len(specs) {
		t.Errorf("%d calls, with %d of %d tools", len(calls), len(calls[0].Tools), len(specs))
	}
}
