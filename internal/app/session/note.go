package session

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/text"
)

// AsNote returns a conversation as a Markdown note: front matter, messages, and a line per tool call. The user's text
// is quoted; the agent's is Markdown already.
func AsNote(c *conversation.Conversation) string { return (&noteWriter{}).tell(c) }

func (n *noteWriter) tell(c *conversation.Conversation) string {
	n.frontMatter(c)
	n.block("# " + export.Escaped(TitleOf(c.Entry())))
	if c.Summary != "" {
		n.block(export.Quoted("**Summary**\n\n" + c.Summary))
	}
	for i := range c.Turns {
		for _, item := range TurnItems(&c.Turns[i], true) {
			n.item(item)
		}
	}
	return n.String()
}

type noteWriter struct {
	strings.Builder
	day    time.Time // of the previous message
	listed bool      // the previous block is an unfinished list
	spoken bool      // without tool calls
}

func (n *noteWriter) frontMatter(c *conversation.Conversation) {
	n.WriteString("---\n")
	field := func(key, value string) { fmt.Fprintf(n, "%s: %s\n", key, value) }
	field("id", strconv.Quote(c.ID))
	field("title", strconv.QuoteToGraphic(TitleOf(c.Entry())))
	field("started", c.Started.Local().Format(time.RFC3339))
	if !c.Ended.IsZero() {
		field("ended", c.Ended.Local().Format(time.RFC3339))
	}
	n.WriteString("---\n")
}

func (n *noteWriter) block(text string) {
	n.listed = false
	n.WriteString("\n" + strings.TrimRight(text, "\n") + "\n")
}

// bullet writes a list item, for what happens between a message and its answer.
func (n *noteWriter) bullet(text string) {
	if !n.listed {
		n.WriteByte('\n')
	}
	n.listed = true
	n.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")
}

func (n *noteWriter) item(item HistoryItem) {
	switch item.Role {
	case HistoryUser, HistoryGoal:
		n.said(item)
		n.block(export.Quoted(item.Content))
	case HistoryAssistant:
		n.said(item)
		n.block(export.Contained(item.Content))
	case HistoryTool:
		if n.spoken {
			return
		}
		call, result := ToolWords(item)
		n.bullet(strings.TrimSuffix(export.CodeSpan(call)+": "+export.Escaped(result), ": "))
	case HistoryQuestion:
		n.bullet("**Question:** " + item.Content + OptionLines(item.Options))
	case HistorySummary, HistoryReasoning: // not said
	case HistoryError:
		n.bullet("**This turn failed:** " + export.Escaped(item.Content))
	default:
		n.bullet(item.Content)
	}
}

// said writes the speaker and the time, with the date if it has changed.
func (n *noteWriter) said(item HistoryItem) {
	when := item.Time.Local()
	layout := "15:04"
	if when.Format(time.DateOnly) != n.day.Format(time.DateOnly) {
		layout = export.WhenLayout
	}
	n.day = when
	n.block(fmt.Sprintf("**%s** · %s", export.Escaped(SpeakerOf(item)), when.Format(layout)))
}

// SpeakerOf returns the speaker of an item.
func SpeakerOf(item HistoryItem) string {
	you := cmp.Or(item.Sender, "You")
	switch {
	case item.Role == HistoryAssistant:
		return "Agent"
	case item.Role == HistoryGoal:
		return "Toward the goal"
	case item.Plan:
		return you + ", asking for a plan"
	case item.Added:
		return you + ", while it worked"
	default:
		return you
	}
}

// ToolWords describes a recorded call and its result, a line each.
func ToolWords(item HistoryItem) (call, result string) {
	call = text.OneLine(item.Content + " " + item.Target)
	result = item.Summary
	switch {
	case item.IsError:
		result = "failed: " + strings.TrimPrefix(text.FirstLine(item.Detail), "Error: ")
	case strings.TrimSpace(result) == "":
		result = text.FirstLine(item.Detail)
	}
	return call, text.Excerpt(result, maxResult)
}

// maxResult is the maximum length of a shown tool result, in characters.
const maxResult = 160
