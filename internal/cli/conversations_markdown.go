package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/session"
)

// note is a conversation as a Markdown note that a person would keep: front matter, what was
// said, and of the tools a line each. What the user wrote is quoted; what the agent answered is
// Markdown already.
func note(t telling) string {
	n := &noteWriter{}
	n.frontMatter(t)
	n.block("# " + escaped(titleOf(t.Entry())))
	if t.Summary != "" {
		n.block(quoted("**Summary**\n\n" + t.Summary))
	}
	for _, item := range carriedItems(t.Conversation, t.gone) {
		n.item(item)
	}
	for i := range t.turns {
		turn := &t.turns[i]
		for _, item := range turnItems(turn, true) {
			n.item(item)
		}
		if used := toolsAlone(turn); used != "" {
			n.bullet(codeSpan(used))
		}
	}
	return n.String()
}

type noteWriter struct {
	strings.Builder
	day    time.Time // of the message before
	listed bool      // the block before is a list that goes on
}

func (n *noteWriter) frontMatter(t telling) {
	n.WriteString("---\n")
	field := func(key, value string) { fmt.Fprintf(n, "%s: %s\n", key, value) }
	field("id", strconv.Quote(t.ID))
	field("title", strconv.QuoteToGraphic(titleOf(t.Entry())))
	field("started", t.Started.Local().Format(time.RFC3339))
	if !t.Ended.IsZero() {
		field("ended", t.Ended.Local().Format(time.RFC3339))
	}
	if t.Continues != nil {
		field("continues", strconv.Quote(t.Continues.ID))
	}
	if t.branch > 0 {
		field("branch", strconv.Quote(t.branches[t.branch-1].ID))
	}
	n.WriteString("---\n")
}

func (n *noteWriter) block(text string) {
	n.listed = false
	n.WriteString("\n" + strings.TrimRight(text, "\n") + "\n")
}

// bullet is an item of a list: what goes on between a message and its answer.
func (n *noteWriter) bullet(text string) {
	if !n.listed {
		n.WriteByte('\n')
	}
	n.listed = true
	n.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")
}

func (n *noteWriter) item(item session.HistoryItem) {
	switch item.Role {
	case session.HistoryUser, session.HistoryGoal:
		n.said(item)
		n.block(quoted(item.Content))
	case session.HistoryAssistant:
		n.said(item)
		n.block(contained(item.Content))
	case session.HistoryTool:
		n.bullet(toolItem(item))
	case session.HistoryQuestion:
		n.bullet("**Question:** " + item.Content + session.OptionLines(item.Options))
	case session.HistorySummary: // it is for the model
	case session.HistoryContinued:
		n.block("---")
		n.block("*" + escaped(continuedText(item)) + ".*")
		if item.Summary != "" {
			n.block(quoted(item.Summary))
		}
	case session.HistoryError:
		n.bullet("**This turn failed:** " + escaped(item.Content))
	default:
		n.bullet(item.Content)
	}
}

// said is who said something, and when: the day where it is another than before.
func (n *noteWriter) said(item session.HistoryItem) {
	when := item.Time.Local()
	layout := "15:04"
	if !sameDay(when, n.day) {
		layout = whenLayout
	}
	n.day = when
	n.block(fmt.Sprintf("**%s** · %s", speakerOf(item), when.Format(layout)))
}

// toolItem is a tool call on one line.
func toolItem(item session.HistoryItem) string {
	call, result := toolWords(item)
	if result == "" {
		return codeSpan(call)
	}
	return codeSpan(call) + ": " + escaped(result)
}
