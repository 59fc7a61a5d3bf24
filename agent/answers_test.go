package agent_test

import (
	"fmt"
	"strings"
	"time"

	"chatvault/internal/llmtest"
)

// answer is what a model may say: good, poor or odd, and interrupted at times.
func (s *sequence) answer() llmtest.Step {
	switch s.IntN(20) {
	case 0:
		return llmtest.Reply("  \n") // nothing, in other words
	case 1:
		return llmtest.Say(llmtest.Reasoning("Let me think."))
	case 2:
		return llmtest.Reply("Half an answer", llmtest.Finish([]string{"length", "content_filter"}[s.IntN(2)]))
	case 3:
		return llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After-Ms", fmt.Sprint(1+s.IntN(9)))
	case 4:
		return llmtest.ToolCall("send_message", map[string]any{"message": "Which one?", "is_question": s.IntN(3) == 0})
	case 5:
		return llmtest.Reply("Working on it.", s.call(), llmtest.Finish("length"))
	case 6:
		return llmtest.Say(s.call(), llmtest.Flush(), s.end())
	case 7:
		return llmtest.Reply("Let me see.", s.call(), s.end())
	case 8:
		return llmtest.Reply("All of it, at once.", llmtest.Plain(), s.call())
	case 11, 12:
		return llmtest.Reply(s.long(), s.call())
	case 13:
		return llmtest.Reply(s.long())
	case 14:
		return s.tooLong()
	case 15:
		return llmtest.ToolCall("ask_user", map[string]any{"question": "Which one?", "options": []string{"This", "That"}})
	case 9, 10:
		var calls []llmtest.Option
		for range 1 + s.IntN(20) {
			calls = append(calls, s.call())
		}
		return llmtest.Say(calls...)
	default:
		return llmtest.Reply("I will look.", s.call())
	}
}

// long is a text of some thousand tokens that does not repeat itself.
func (s *sequence) long() string {
	var b strings.Builder
	for range 200 + s.IntN(1500) {
		_, _ = fmt.Fprintf(&b, "%x ", s.Uint32())
	}
	return b.String()
}

// tooLong refuses a history as too long for the model.
func (s *sequence) tooLong() llmtest.Step {
	return llmtest.Fail(400, []string{
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`,
		`{"error":"request (9000 tokens) exceeds the available context size (8192)"}`,
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`,
	}[s.IntN(3)])
}

// end is how an answer is interrupted.
func (s *sequence) end() llmtest.Option {
	return []llmtest.Option{
		llmtest.Cut(), llmtest.Reset(), llmtest.NoFinish(), llmtest.Hang(),
		llmtest.StreamError("overloaded"), llmtest.Bytes("data: {\"choi\n\n"), llmtest.Delay(200 * time.Millisecond),
	}[s.IntN(7)]
}

// call is a tool call; a note is written under a new name each time, so that one that is
// written twice shows.
func (s *sequence) call() llmtest.Option {
	id := []string{"", "call_0", "same", strings.Repeat("long", 20), "bad id\x1b"}[s.IntN(5)]
	s.names++
	note := fmt.Sprintf("new/%d-%d.md", s.names, s.Uint32())
	name, args := "read_file", `{"path":"a.md"}`
	switch s.IntN(14) {
	case 0, 1, 2, 3:
		name, args = "write_file", fmt.Sprintf(`{"path":%q,"content":"text\n"}`, note)
	case 4:
		name, args = "edit_file", `{"path":"b.md","old_text":"beta","new_text":"beta beta"}`
	case 5:
		name, args = "search_files", `{"pattern":"alpha"}`
	case 6:
		name, args = "move_file", fmt.Sprintf(`{"source":"b.md","destination":%q}`, note)
	case 7:
		name, args = "no_such\u202etool \x1b[2J", `{}`
	case 8:
		args = []string{`{"path":`, `[]`, `null`, `"a.md"`, `{"path":"../../etc/passwd"}`, `{"path":".smarthole/inbox"}`}[s.IntN(6)]
	case 9:
		name, args = "send_message", `{"message":"Half way."}`
	case 10:
		name, args = "delegate", `{"task":"Look for alpha."}`
	case 11:
		name, args = "task_list", `{"items":[{"text":"Look","done":true},{"text":"Write","done":false}]}`
	}
	return llmtest.CallID(id, name, args)
}
