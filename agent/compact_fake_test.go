package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/tools"
)

func summarising(summary reply, replies ...reply) reply {
	n := 0
	return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
		if req.Purpose == llm.PurposeCompact {
			summary(ctx, req, yield)
			return
		}
		n++
		replies[min(n, len(replies))-1](ctx, req, yield)
	}
}

func (f *fakeModel) of(p llm.Purpose) []llm.Request {
	return slices.DeleteFunc(f.calls(), func(r llm.Request) bool { return r.Purpose != p })
}

func told(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Prompt())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Arguments)
		}
	}
	return b.String()
}

func page(size int) fakeTool {
	return fakeTool{name: "read_file", readOnly: true, call: func(_ context.Context, args json.RawMessage) tools.Result {
		var a struct{ Path string }
		_ = json.Unmarshal(args, &a)
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%d: line %d of %s\n", i, i, a.Path)
		}
		return tools.Result{Text: b.String()}
	}}
}

var edits = fakeTool{name: "edit_file", call: func(_ context.Context, args json.RawMessage) tools.Result {
	var a struct{ Path string }
	_ = json.Unmarshal(args, &a)
	return tools.Result{Text: fmt.Sprintf("Replaced 1 occurrence in %q.\n-old\n+new", a.Path)}
}}

func long(tokens int) string { return varied(tokens) }

func (h *harness) sized(window int) *harness {
	h.opt.Window = window
	return h
}

// varied is a text of n characters that does not repeat itself.
func varied(n int) string {
	const first, all = '一', 20_000
	text := make([]rune, n)
	for i := range text {
		text[i] = first + rune(i*7919%all)
	}
	return string(text)
}
