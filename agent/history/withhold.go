package history

import (
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/base/text"
)

// Rule reports, from the arguments and the result of a recorded call, whether models must no longer see it because a
// note has become private.
type Rule func(arguments, result string) bool

// withheldText takes the place of a result.
const withheldText = "(Left out: this is private now.)"

// Withheld returns a conversation without the results and arguments of calls that are now private. Messages about
// them stay.
func Withheld(c *conversation.Conversation, withhold Rule) *conversation.Conversation {
	if c == nil || withhold == nil {
		return c
	}
	out := *c
	out.Turns = slices.Clone(c.Turns)
	for i, t := range c.Turns {
		arguments := map[string]string{}
		for _, m := range t.Messages {
			for _, call := range m.ToolCalls {
				arguments[call.ID] = call.Arguments
			}
		}
		secret := map[string]bool{} // ids of calls
		for _, m := range t.Messages {
			if m.Role == conversation.RoleTool && withhold(arguments[m.ToolCallID], m.Content) {
				secret[m.ToolCallID] = true
			}
		}
		if len(secret) == 0 && !slices.ContainsFunc(t.Messages, func(m conversation.Message) bool { return len(m.Attached) > 0 || m.Context != "" }) {
			continue
		}
		out.Turns[i].Messages = make([]conversation.Message, len(t.Messages))
		for j, m := range t.Messages {
			if m.Role == conversation.RoleTool && secret[m.ToolCallID] {
				m.Content, m.Attached = withheldText, nil
			}
			m.Attached = slices.DeleteFunc(slices.Clone(m.Attached), func(a conversation.Attachment) bool {
				return withhold(pathArguments(a.Path), a.Text)
			})
			m.Context = withheldContext(m.Context, withhold)
			if len(secret) > 0 {
				m.Echo = UnsealedEcho(m) // thoughts quote what was read
			}
			if len(m.ToolCalls) > 0 {
				calls := make([]conversation.ToolCall, len(m.ToolCalls))
				for k, call := range m.ToolCalls {
					if calls[k] = call; secret[call.ID] {
						calls[k].Arguments, calls[k].Target = "{}", ""
					}
				}
				m.ToolCalls = calls
			}
			out.Turns[i].Messages[j] = m
		}
	}
	return &out
}

// withheldContext returns the context of a message without folders and changes that are private now. If there are
// none, it returns the same bytes.
func withheldContext(context string, withhold Rule) string {
	var out []string
	results := false // of a stopped turn's calls, as older versions told them
	for line := range strings.SplitSeq(context, "\n") {
		quoted := strings.HasPrefix(line, text.QuoteMark)
		if results = strings.HasPrefix(line, "What the tools had returned by then;") || results && (quoted || strings.HasPrefix(line, "-") || strings.HasPrefix(line, "(")); results {
			continue
		}
		at := strings.LastIndex(line, AlreadyDone)
		switch {
		case strings.HasPrefix(line, overviewIntro):
			line = withheldOverview(line, withhold)
		case quoted:
		case at >= 0 && withhold("{}", line[at:]):
			line = line[:at] + withheldText
		case at < 0 && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "Attached to it: ")) && withhold("{}", line): // as older versions told them
			line = withheldText
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}
