package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/terminal"
)

type listOptions struct {
	json  bool
	all   bool
	limit int
}

func newConversationsList(s Streams, g *globals) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use: "list", Short: "List conversations, newest first", Args: cobra.NoArgs,
		Long: `List conversations, newest first: the ID, when it began, its turns, and its title (until it has one, how it begins). The active one, which
the next message goes on with, is marked with *.`,
		Example: "  chatvault conversations list\n  chatvault conversations list --all --json | jq -r .title",
		RunE:    func(*cobra.Command, []string) error { return conversationsList(s, g, o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object per conversation")
	c.Flags().IntVarP(&o.limit, "limit", "n", 20, "maximum number to list")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "list all")
	return c
}

func conversationsList(s Streams, g *globals, o listOptions) error {
	if o.limit < 1 {
		return usageError("--limit is at least 1; --all lists all")
	}
	return withShelf(s, g, func(h *shelf) error {
		var err error
		list := h.entries
		if !o.all && len(list) > o.limit {
			list = list[:o.limit]
		}
		switch {
		case o.json:
			lines := make([]entryJSON, len(list))
			for i, e := range list {
				lines[i] = entryJSON{e, e.ID == h.active}
			}
			err = printLines(s, lines)
		case len(list) == 0:
			_, err = fmt.Fprintln(s.Out, "There are no conversations yet.")
		default:
			_, err = io.WriteString(s.Out, strings.Join(h.lines(s, list), "\n")+"\n")
		}
		if err != nil {
			return err
		}
		if more := len(h.entries) - len(list); more > 0 {
			fmt.Fprintf(s.Err, "%d more: chatvault conversations list --all\n", more)
		}
		return nil
	})
}

// entryJSON is a conversation in JSON output.
type entryJSON struct {
	conversation.Entry
	Active bool `json:"active,omitempty"`
}

// lines returns a line for each conversation. On a terminal they fit its width.
func (c catalog) lines(s Streams, list []conversation.Entry) []string {
	idWidth, turnsWidth := 0, 0
	for _, e := range list {
		idWidth = max(idWidth, len(e.ID))
		turnsWidth = max(turnsWidth, len(count(e.Turns, "turn")))
	}
	lines := make([]string, len(list))
	for i, e := range list {
		mark := " "
		if e.ID == c.active {
			mark = "*"
		}
		head := fmt.Sprintf("%s %-*s  %s  %*s  ", mark, idWidth, e.ID, e.Started.Local().Format(export.WhenLayout), turnsWidth, count(e.Turns, "turn"))
		title, tail := session.TitleOf(e), ""
		if e.Branches > 0 {
			tail = " [" + count(e.Branches, "branch") + "]"
		}
		title = s.fitTitle(title, head+tail)
		lines[i] = head + title + tail
	}
	return lines
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
	c.Flags().IntVarP(&o.limit, "limit", "n", 20, "maximum number to find")
	return c
}

func conversationsSearch(s Streams, g *globals, query string, o listOptions) error {
	if o.limit < 1 {
		return usageError("--limit is at least 1")
	}
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
			return failure("%s", nothingFound(query))
		case o.json:
			lines := make([]hitJSON, len(hits))
			for i, hit := range hits {
				lines[i] = hitJSON{entryJSON{hit.Entry, hit.ID == h.active}, append([]conversation.Excerpt{}, hit.Excerpts...)}
			}
			return printLines(s, lines)
		}
		_, err = io.WriteString(s.Out, h.hits(s, s.ink(h.config), hits))
		if len(hits) == o.limit {
			fmt.Fprintf(s.Err, "There may be more: --limit %d\n", 5*o.limit)
		}
		return err
	})
}

func nothingFound(query string) string {
	if len(strings.Fields(query)) == 1 {
		return fmt.Sprintf("no conversation has %q in it", query)
	}
	return fmt.Sprintf("no conversation has all the words of %q in it", query)
}

// hitJSON is a match in JSON output.
type hitJSON struct {
	entryJSON
	Excerpts []conversation.Excerpt `json:"excerpts"`
}

// hits returns the matches: each conversation's line and its excerpts.
func (c catalog) hits(s Streams, i ink, hits []conversation.Hit) string {
	var b strings.Builder
	list := make([]conversation.Entry, len(hits))
	for n, hit := range hits {
		list[n] = hit.Entry
	}
	for n, line := range c.lines(s, list) {
		if n > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(i.bold(line) + "\n")
		for _, e := range hits[n].Excerpts {
			text, who := e.Text, "agent"
			if e.Role == conversation.RoleUser {
				who = cmp.Or(e.Sender, "you")
			}
			if s.Out.IsTerminal() {
				text = terminal.Line(text)
			}
			text = fmt.Sprintf("    %s: %s", who, text)
			if s.Out.IsTerminal() {
				text = ansi.Truncate(text, s.Out.Width(), "…")
			}
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}
