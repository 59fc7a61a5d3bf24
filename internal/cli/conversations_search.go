package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/text/unicode/norm"

	"chatvault/conversation"
	"chatvault/internal/terminal"
)

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
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return withShelf(s, g, func(h *shelf) error {
		c, err := h.catalog()
		if err != nil {
			return err
		}
		var hits []conversation.Hit
		if len(c.entries) > 0 {
			hits, err = h.Search(ctx, query, o.limit)
		}
		switch {
		case ctx.Err() != nil:
			return &exitError{exitStopped, ""}
		case err != nil:
			return failure("%v", err)
		case len(hits) == 0:
			return failure("%s", nothingFound(query))
		case o.json:
			return hitsJSON(s.Out, hits, c.active)
		}
		_, err = io.WriteString(s.Out, c.hits(s, newInk(s, h.config), hits, query))
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

func hitsJSON(w io.Writer, hits []conversation.Hit, active string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, hit := range hits {
		line := hitJSON{entryJSON{hit.Entry, hit.ID == active}, []excerptJSON{}}
		for _, e := range hit.Excerpts {
			line.Excerpts = append(line.Excerpts, excerptJSON(e))
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// hitJSON is what was found of a conversation, for programs.
type hitJSON struct {
	entryJSON
	Excerpts []excerptJSON `json:"excerpts"`
}

type excerptJSON struct {
	TurnID string            `json:"turn_id"`
	Role   conversation.Role `json:"role"`
	Time   time.Time         `json:"time"`
	Text   string            `json:"text"`
}

// hits are what was found, in lines: each conversation as a list names it, and its excerpts.
func (c catalog) hits(s Streams, i ink, hits []conversation.Hit, query string) string {
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
			text := e.Text
			if s.Out.IsTerminal() {
				text = terminal.Line(text)
			}
			text = fmt.Sprintf("    %s: %s", speaker(e.Role), emphasised(text, query, i))
			if s.Out.IsTerminal() {
				text = ansi.Truncate(text, s.width(), "…")
			}
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

func speaker(r conversation.Role) string {
	switch r {
	case conversation.RoleUser:
		return "you"
	case conversation.RoleTool:
		return "tool"
	default:
		return "agent"
	}
}

// emphasised is text with the words of a query marked, as the search finds them: whatever their
// case and their Unicode form.
func emphasised(text, query string, i ink) string {
	if !i {
		return text
	}
	text = norm.NFC.String(text)
	var b strings.Builder
	at := 0
	for _, r := range occurrences(text, query) {
		b.WriteString(text[at:r.from] + i.mark(text[r.from:r.to]))
		at = r.to
	}
	return b.String() + text[at:]
}

// stretch is a part of a text, in bytes.
type stretch struct{ from, to int }

// occurrences are where the words of a query stand in a text in NFC, in order, none over another.
func occurrences(text, query string) []stretch {
	var lower strings.Builder
	var origin []int // of each byte of lower, its rune in text
	for at, r := range text {
		n := lower.Len()
		lower.WriteRune(unicode.ToLower(r))
		for range lower.Len() - n {
			origin = append(origin, at)
		}
	}
	origin = append(origin, len(text))
	var all []stretch
	for _, word := range strings.Fields(strings.ToLower(norm.NFC.String(query))) {
		for at := 0; ; {
			n := strings.Index(lower.String()[at:], word)
			if n < 0 {
				break
			}
			all = append(all, stretch{origin[at+n], origin[at+n+len(word)]})
			at += n + len(word)
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.from - b.from })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}
