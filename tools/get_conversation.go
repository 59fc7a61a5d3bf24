package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"chatvault/conversation"
	"chatvault/tools/transcript"
	"chatvault/tools/wording"
)

// pastConversations provides earlier conversations; *conversation.Manager implements it.
type pastConversations interface {
	Recent(n int) ([]conversation.Entry, error) // ended ones, newest first; all if n is 0
	Get(id string) (*conversation.Conversation, error)
	Search(ctx context.Context, query string, limit int) ([]conversation.Hit, error)
}

type getConversationArgs struct {
	ConversationID string `json:"conversation_id,omitempty" jsonschema:"show this one in full; the start of its id is enough"`
	ListRecent     int    `json:"list_recent,omitempty" min:"1" jsonschema:"how many to list"`
	Query          string `json:"query,omitempty" jsonschema:"list those with all these words, and the passages"`
	Offset         int    `json:"offset,omitempty" min:"0" jsonschema:"lines, or conversations of the list, to skip"`
}

const (
	recentDefault = 10
	recentMax     = 50
)

var _ = define(definition{
	name:    "get_conversation",
	traits:  Traits{Verb: "looking at earlier conversations", Did: "looked at earlier conversations", Kind: CallReads},
	example: `{"query": "sourdough starter"}`,
	offered: func(_ Messenger, o Options) bool { return o.Conversations != nil },
}, runGetConversation, targetGetConversation)

func targetGetConversation(a getConversationArgs) string {
	switch {
	case a.ConversationID != "":
		return a.ConversationID
	case a.Query != "":
		return `"` + wording.FirstLine(a.Query) + `"`
	default:
		return "the latest"
	}
}

func runGetConversation(ctx context.Context, t *Turn, a getConversationArgs) Result {
	a.ConversationID, a.Query = strings.TrimSpace(a.ConversationID), wording.OneLine(a.Query)
	if a.ConversationID != "" && a.Query != "" {
		return failf("two at once", "conversation_id and query cannot be combined: search first, then show one that was found.")
	}
	if a.ConversationID != "" {
		return t.showConversation(a)
	}
	a.ListRecent = min(cmp.Or(a.ListRecent, recentDefault), recentMax)
	return t.listConversations(ctx, a)
}

// listConversations lists the conversations that ended last or, with a query, those that contain its words.
func (t *Turn) listConversations(ctx context.Context, a getConversationArgs) Result {
	var ended []conversation.Hit
	var err error
	none := "No conversation has ended yet."
	if a.Query == "" {
		var entries []conversation.Entry
		entries, err = t.options.Conversations.Recent(0)
		for _, e := range entries {
			ended = append(ended, conversation.Hit{Entry: e})
		}
	} else {
		ended, err = t.options.Conversations.Search(ctx, a.Query, 0)
		ended = slices.DeleteFunc(ended, func(h conversation.Hit) bool { return h.Ended.IsZero() })
		none = fmt.Sprintf("No ended conversation has all the words of %s. Try fewer or different words.", wording.Quote(wording.Shorten(a.Query, 200)))
	}
	switch {
	case err != nil:
		return failed("get_conversation", err)
	case len(ended) == 0:
		return textf("nothing", "%s", none)
	case a.Query == "":
		return pageOfConversations(ended, a, fmt.Sprintf("%s ended, newest first", wording.Counted(len(ended), "conversation")))
	}
	return pageOfConversations(ended, a, fmt.Sprintf("Found %s, best first", wording.Counted(len(ended), "ended conversation")))
}

// pageOfConversations returns the requested part of a list and how to read on.
func pageOfConversations(list []conversation.Hit, a getConversationArgs, heading string) Result {
	if a.Offset >= len(list) {
		return failf("past the end", "offset %d is past the end of the list, which has %s.", a.Offset, wording.Counted(len(list), "conversation"))
	}
	var b strings.Builder
	b.WriteString(heading + ":\n")
	shown := list[a.Offset:min(len(list), a.Offset+a.ListRecent)]
	for _, h := range shown {
		b.WriteString("\n" + transcript.Line(h.Entry) + "\n")
		if s := wording.OneLine(h.Summary); s != "" {
			b.WriteString("  " + wording.Shorten(s, 1000) + "\n")
		}
		for _, x := range h.Excerpts {
			fmt.Fprintf(&b, "  %s: %s\n", cmp.Or(x.Sender, transcript.Speaker(x.Role)), wording.OneLine(x.Text))
		}
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if next := a.Offset + len(shown); next < len(list) {
		text += fmt.Sprintf("\n\n[%s; continue with offset=%d]", wording.Counted(len(list)-next, "more conversation"), next)
	}
	return Result{Text: text, Summary: wording.Counted(len(shown), "conversation")}
}

// showConversation returns an ended conversation, or a part of it.
func (t *Turn) showConversation(a getConversationArgs) Result {
	c, err := t.options.Conversations.Get(a.ConversationID)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failf("not found", "There is no conversation %s. Call get_conversation without conversation_id to list those that ended.", wording.Quote(wording.Shorten(a.ConversationID, 80)))
	case err != nil:
		return failed("get_conversation", err)
	case c.Ended.IsZero():
		return failf("not ended", "Conversation %s is the current one: what was said in it is in your context already.", wording.Quote(c.ID))
	}
	lines := transcript.Lines(c, t.vault.Private)
	if a.Offset >= len(lines) {
		return failf("past the end", "offset %d is past the end of the conversation, which has %s.", a.Offset, wording.Counted(len(lines), "line"))
	}
	text, shown := t.page(lines[a.Offset:])
	last := a.Offset + shown
	switch {
	case last < len(lines):
		text += fmt.Sprintf("\n[... truncated, showing lines %d-%d, total lines in conversation: %d; continue with offset=%d]", a.Offset+1, last, len(lines), last)
	case a.Offset > 0:
		text += fmt.Sprintf("\n[Showing lines %d-%d of %d total]", a.Offset+1, last, len(lines))
	}
	return Result{Text: text, Summary: wording.Counted(shown, "line")}
}
