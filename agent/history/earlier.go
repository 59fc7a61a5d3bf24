package history

import (
	"fmt"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/text"
)

// Bounds of what is told of a conversation, in characters, and of what a model may make of it.
const (
	MaxTitle   = 80
	MaxSummary = 700
)

const earlierIntro = "Conversations before this one (get_conversation shows them, and earlier ones):"

// Earlier are the lines on conversations that ended, oldest first, that the model was not told in this one.
func Earlier(c *conversation.Conversation, ended []conversation.Entry) []string {
	told := map[string]bool{}
	for i := c.Compacted(); i < len(c.Turns); i++ {
		for _, m := range c.Turns[i].Messages {
			if m.Role == conversation.RoleUser && strings.Contains(m.Context, earlierIntro) {
				for line := range strings.SplitSeq(m.Context, "\n") {
					told[line] = true
				}
			}
		}
	}
	var lines []string
	for _, e := range ended {
		if x := c.Continues; x != nil && x.ID == e.ID && x.Summary != "" {
			continue // it stands at the beginning
		}
		if line := earlierLine(e); e.ID != c.ID && line != "" && !told[line] {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{earlierIntro}, lines...)
}

// earlierLine is what the model is told of a conversation that has ended.
func earlierLine(e conversation.Entry) string {
	name := text.Excerpt(text.Printable(e.Name()), MaxTitle)
	if name == "" {
		return ""
	}
	line := fmt.Sprintf("- %s, until %s: “%s”", e.ID, e.Last.Local().Format("Monday, 2006-01-02 15:04"), name)
	if s := text.Excerpt(text.Printable(e.Summary), MaxSummary); s != "" {
		line += ". " + s
	}
	return line
}

// continuedText is what the model is told at the beginning of a conversation that continues
// another one.
func continuedText(x *conversation.Continuation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[This conversation continues an earlier one that had ended: %s, until %s: “%s”.", x.ID, x.Ended.Local().Format("Monday, 2006-01-02 15:04"), text.Excerpt(text.Printable(x.Name), MaxTitle))
	if len(x.Turns) > 0 {
		b.WriteString(" Its last messages follow, with long texts shortened.")
	}
	if x.Omitted > 0 {
		b.WriteString(" get_conversation shows what came before them.")
	}
	switch {
	case x.Summary != "":
		b.WriteString(" This is its summary:]\n\n" + strings.TrimSpace(x.Summary))
	default:
		b.WriteString(" It has no summary.]")
	}
	if x.Older != "" {
		b.WriteString("\n\n[This is what was known about its older part:]\n\n" + strings.TrimSpace(x.Older))
	}
	return b.String()
}
