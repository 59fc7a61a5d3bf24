package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

type listOptions struct {
	json  bool
	limit int
}

func newConversationsList(s Streams, g *globals) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "list", Short: "List conversations, newest first", Args: cobra.NoArgs,
		Long: `List conversations, newest first: the ID, when it began, its turns, and its title (until it has one, how it begins). The active one, which
the next message goes on with, is marked with *.`,
		Example: "  chatvault conversations list\n  chatvault conversations list --json -n 1000 | jq -r .title",
		RunE:    func(*cobra.Command, []string) error { return conversationsList(s, g, o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object per conversation")
	return limited(c, &o.limit)
}

func conversationsList(s Streams, g *globals, o listOptions) error {
	return withShelf(s, g, func(h *shelf) error {
		list := h.entries[:min(len(h.entries), o.limit)]
		if more := len(h.entries) - len(list); more > 0 {
			defer fmt.Fprintf(s.Err, "%d more: chatvault conversations list -n %d\n", more, len(h.entries))
		}
		switch {
		case o.json:
			return printLines(s, list, h.entryJSON)
		case len(list) == 0:
			return s.say("There are no conversations yet.")
		}
		for _, e := range list {
			fmt.Fprintln(s.Out, h.line(s, e))
		}
		return nil
	})
}

// entryJSON is a conversation in JSON output.
type entryJSON struct {
	conversation.Entry
	Active bool `json:"active,omitempty"`
}

func (c catalog) entryJSON(e conversation.Entry) entryJSON { return entryJSON{e, e.ID == c.active} }

// line returns a conversation on one line. On a terminal it fits its width.
func (c catalog) line(s Streams, e conversation.Entry) string {
	mark, tail := " ", ""
	if e.ID == c.active {
		mark = "*"
	}
	if e.Branches > 0 {
		tail = " [" + text.Count(e.Branches, "branch") + "]"
	}
	head := fmt.Sprintf("%s %-24s  %s  %8s  ", mark, e.ID, e.Started.Local().Format(export.WhenLayout), text.Count(e.Turns, "turn"))
	return head + s.fitTitle(session.TitleOf(e), head+tail) + tail
}

// minTitleWidth is the minimum width of a title, in cells.
const minTitleWidth = 4

// fitTitle shortens a title to fit a terminal's line with beside.
func (s Streams) fitTitle(title, beside string) string {
	if !s.Out.IsTerminal() {
		return title
	}
	return ansi.Truncate(terminal.Line(title), max(s.Out.Width()-ansi.StringWidth(beside), minTitleWidth), "…")
}

func newConversationsSearch(s Streams, g *globals) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "search TEXT", Short: "Find conversations in which words occur",
		Long: `Find conversations in which each of the words occurs, whatever their case, the best and
newest first, with what was said around them.

Exit status: 0 something was found, 1 nothing was, 2 bad usage or configuration.`,
		Example: `  chatvault conversations search garden fence
  chatvault conversations search --json fence | jq -r .id`,
		Args: func(_ *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usageError("what should be searched for? chatvault conversations search garden fence")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return conversationsSearch(s, g, strings.Join(args, " "), o)
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object per conversation")
	return limited(c, &o.limit)
}

func conversationsSearch(s Streams, g *globals, query string, o listOptions) error {
	ctx, stop := interruptible()
	defer stop()
	return withShelf(s, g, func(h *shelf) error {
		var hits []conversation.Hit
		var err error
		if len(h.entries) > 0 {
			hits, err = h.Search(ctx, query, o.limit)
		}
		switch {
		case ctx.Err() != nil:
			return &exitError{Status: exitStopped}
		case err != nil:
			return failure("%v", err)
		case len(hits) == 0:
			return failure("no conversation has all the words of %q in it", query)
		case o.json:
			return printLines(s, hits, func(hit conversation.Hit) hitJSON {
				return hitJSON{h.entryJSON(hit.Entry), append([]conversation.Excerpt{}, hit.Excerpts...)}
			})
		}
		for i, hit := range hits {
			if i > 0 {
				fmt.Fprintln(s.Out)
			}
			h.printHit(s, hit)
		}
		return nil
	})
}

// hitJSON is a match in JSON output.
type hitJSON struct {
	entryJSON
	Excerpts []conversation.Excerpt `json:"excerpts"`
}

// printHit prints a match: the conversation's line and its excerpts.
func (c catalog) printHit(s Streams, hit conversation.Hit) {
	fmt.Fprintln(s.Out, c.line(s, hit.Entry))
	for _, e := range hit.Excerpts {
		who := "agent"
		if e.Role == conversation.RoleUser {
			who = cmp.Or(e.Sender, "you")
		}
		who = "    " + who + ": "
		fmt.Fprintln(s.Out, who+s.fitTitle(e.Text, who))
	}
}
