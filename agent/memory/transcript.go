package memory

import (
	"fmt"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/internal/base/text"
)

// Transcript renders messages as text for a model that summarizes them, in at most limit estimated tokens. It
// shortens long texts first, then leaves out the middle. Further lines of a message are indented, so that it cannot
// imitate another.
func Transcript(messages []llm.Message, limit int) string {
	share := min(max(3*limit/(len(messages)+1), 200), 8000) // bytes of each text
	var entries []string
	add := func(who, s string, most int) {
		if !text.Blank(s) {
			entries = append(entries, who+": "+strings.ReplaceAll(Clip(strings.TrimSpace(s), most), "\n", "\n  "))
		}
	}
	for _, m := range messages {
		switch said := m.Content; {
		case m.Program:
			add("Program", said, share)
			add("Program", m.Context, share)
		case m.Role == llm.RoleUser:
			add("User", said, share)
			add("Program", m.Context, share)
			add("Attached", m.Attached, share)
		case m.Role == llm.RoleAssistant:
			add("Assistant", said, share)
			for _, call := range m.ToolCalls {
				add("Call", call.Name+" "+Clip(call.Arguments, share/4), share)
			}
		case m.Role == llm.RoleTool:
			who := "Result of " + m.ToolName
			if m.IsError {
				who = "Failure of " + m.ToolName
			}
			add(who, said, share/2)
		}
	}
	tokens := 0
	for _, e := range entries {
		tokens += window.Tokens(e) + 1
	}
	if tokens > limit {
		entries = withoutMiddle(entries, limit)
	}
	return strings.Join(entries, "\n")
}

// Clip shortens a text by leaving out its middle if it is much longer than most bytes.
func Clip(text string, most int) string {
	const note = 100 // length of the note in bytes
	if len(text) <= most+note {
		return text
	}
	return window.Shorten(text, most, "")
}

// withoutMiddle leaves out entries in the middle until the rest fits limit tokens: the first request and the newest
// messages matter most.
func withoutMiddle(entries []string, limit int) []string {
	const noteTokens = 20
	left := limit - noteTokens
	head, tail := 0, len(entries)
	for used := 0; head < tail; head++ {
		n := window.Tokens(entries[head]) + 1
		if used += n; used > limit*3/10 {
			break
		}
		left -= n
	}
	for head < tail {
		n := window.Tokens(entries[tail-1]) + 1
		if n > left {
			break
		}
		left -= n
		tail--
	}
	out := append([]string(nil), entries[:head]...)
	if head < tail {
		out = append(out, fmt.Sprintf("[… %d entries of the conversation are left out here]", tail-head))
	}
	return append(out, entries[tail:]...)
}
