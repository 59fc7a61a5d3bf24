package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/session"
	"chatvault/internal/session/export"
	"chatvault/internal/terminal"
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
