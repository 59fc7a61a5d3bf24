package agent

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/internal/text"
)

const (
	earlierTold  = 2 // conversations that ended last, of which the model is told
	earlierIntro = "Of the conversations before this one (get_conversation shows them, and earlier ones):"
)

// earlierContext tells the model of the conversations that ended last, beside the user's message:
// with the first one, and again where a title and a summary were made since, or the message that
// told of it stands in the prompt no more. So nothing changes in what was sent before.
func (p *Processor) earlierContext(t *turn) []string {
	ended, err := p.opt.Conversations.Recent(earlierTold)
	if err != nil {
		p.opt.Log.Warn("the earlier conversations could not be read", "error", err)
		return nil
	}
	slices.Reverse(ended) // oldest first
	lines := untold(t.conv, ended)
	if len(lines) == 0 {
		return nil
	}
	return append([]string{earlierIntro}, lines...)
}

// untold are the lines on ended conversations that the model was not told in this one.
func untold(c *conversation.Conversation, ended []conversation.Entry) []string {
	told := map[string]bool{}
	for i := c.Compacted(); i < len(c.Turns); i++ {
		for _, m := range c.Turns[i].Messages {
			if m.Role == conversation.RoleUser && strings.Contains(m.Context, earlierIntro) {
				for _, line := range strings.Split(m.Context, "\n") {
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
	return lines
}

// earlierLine is what the model is told of a conversation that has ended.
func earlierLine(e conversation.Entry) string {
	name := text.Excerpt(text.Printable(e.Name()), maxTitleRunes)
	if name == "" {
		return ""
	}
	line := fmt.Sprintf("- %s, until %s: “%s”", e.ID, e.Last.Local().Format("Monday, 2006-01-02 15:04"), name)
	if s := text.Excerpt(text.Printable(e.Summary), maxSummary); s != "" {
		line += ". " + s
	}
	return line
}
