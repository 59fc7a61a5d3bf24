// Package historytest draws histories for tests, and checks them.
package historytest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

// Asked is a call and its result.
func Asked(id, tool, args, result string) []llm.Message {
	return []llm.Message{
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: id, Name: tool, Arguments: args}}},
		{Role: llm.RoleTool, ToolCallID: id, ToolName: tool, Content: result},
	}
}

// Histories draws valid Histories: turns of questions, steps with calls and results of all
// sizes, messages that were folded in, and at the end either a question or the newest step.
var Histories = rapid.Custom(func(t *rapid.T) []llm.Message {
	id := 0
	step := func() []llm.Message {
		n := rapid.IntRange(1, 3).Draw(t, "calls")
		call := llm.Message{Role: llm.RoleAssistant, Content: rapid.SampledFrom([]string{"", "Looking."}).Draw(t, "says")}
		out := []llm.Message{{}}
		for range n {
			id++
			c := llm.ToolCall{ID: fmt.Sprint(id), Name: rapid.SampledFrom([]string{"read_file", "search_files", "edit_file", "delegate"}).Draw(t, "tool"), Arguments: `{"path":"a.md"}`}
			call.ToolCalls = append(call.ToolCalls, c)
			size := rapid.SampledFrom([]int{1, 100, 3000, 3500, 9000, 60_000}).Draw(t, "size")
			text := rapid.SampledFrom([]string{"12: text\n", "x", "同じ", "é\n"}).Draw(t, "text")
			out = append(out, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: strings.Repeat(text, size/len(text)+1), IsError: rapid.Bool().Draw(t, "failed")})
		}
		out[0] = call
		return out
	}
	out := []llm.Message{{Role: llm.RoleSystem, Content: "You are."}}
	for range rapid.IntRange(0, 3).Draw(t, "turns") {
		out = append(out, llm.Message{Role: llm.RoleUser, Content: strings.Repeat("Question. ", rapid.IntRange(1, 3000).Draw(t, "question"))})
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			out = append(out, step()...)
		}
		out = append(out, llm.Message{Role: llm.RoleAssistant, Content: "Answer."})
	}
	out = append(out, llm.Message{Role: llm.RoleUser, Content: "Now this."})
	for range rapid.IntRange(0, 4).Draw(t, "steps of the turn") {
		out = append(out, step()...)
		if rapid.IntRange(0, 4).Draw(t, "folded") == 0 {
			out = append(out, llm.Message{Role: llm.RoleUser, Content: "And that."})
		}
	}
	return out
})

// EqualMessages says whether two messages are the same to a provider.
func EqualMessages(a, b llm.Message) bool {
	return a.Role == b.Role && a.Content == b.Content && a.Context == b.Context && a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls)
}

// What every endpoint takes.
var (
	callID   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)
	toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// Faults is the rule every history keeps: each call answered once, right after it, no id
// twice, nothing empty, names and ids as every endpoint takes them, arguments an object.
func Faults(messages []llm.Message) (out []string) {
	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	open, ids := []string{}, map[string]bool{}
	for i, m := range messages {
		if m.Role != llm.RoleTool && len(open) > 0 {
			fault("message %d: calls %v are not answered", i, open)
			open = nil
		}
		switch m.Role {
		case llm.RoleTool:
			if len(open) == 0 || open[0] != m.ToolCallID {
				fault("message %d answers %q, open are %v", i, m.ToolCallID, open)
			} else {
				open = open[1:]
			}
			if m.Content == "" {
				fault("message %d: empty tool result", i)
			}
		case llm.RoleAssistant:
			if strings.TrimSpace(m.Content) == "" && (m.Content != "" || len(m.ToolCalls) == 0) {
				fault("message %d: empty assistant message", i)
			}
			for _, c := range m.ToolCalls {
				if ids[c.ID] || !callID.MatchString(c.ID) {
					fault("message %d: call id %q is odd or used twice", i, c.ID)
				}
				if !toolName.MatchString(c.Name) {
					fault("message %d: tool name %q", i, c.Name)
				}
				ids[c.ID] = true
				open = append(open, c.ID)
				var o map[string]any
				if json.Unmarshal([]byte(c.Arguments), &o) != nil || o == nil {
					fault("message %d: arguments %q are no object", i, c.Arguments)
				}
			}
		default:
			if strings.TrimSpace(m.Content) == "" {
				fault("message %d: empty %s message", i, m.Role)
			}
		}
	}
	if len(open) > 0 {
		fault("calls %v are not answered at the end", open)
	}
	return out
}
