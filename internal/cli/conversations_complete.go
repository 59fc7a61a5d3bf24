package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
)

// maxCompletions bounds what a shell is offered.
const maxCompletions = 100

// completeIDs offers the ids of conversations, with their titles; of several, those that were
// not given yet.
func completeIDs(s Streams, g *globals, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !several {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s.Err = nil // a shell shows it in the middle of the line
		var c catalog
		err := withShelf(s, g, func(h *shelf) (err error) {
			c, err = h.catalog()
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.completions(args, begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func (c catalog) completions(given []string, begun string) []cobra.Completion {
	var out []cobra.Completion
	offer := func(word string, e conversation.Entry) {
		if len(out) < maxCompletions && strings.HasPrefix(word, begun) && !slices.Contains(given, word) {
			out = append(out, cobra.CompletionWithDesc(word, excerpt(terminal.Line(session.TitleOf(e)), 60)))
		}
	}
	for i, e := range c.entries {
		if i == 0 {
			offer(wordLast, e)
		}
		if e.ID == c.active {
			offer(wordActive, e)
		}
	}
	for _, e := range c.entries {
		offer(e.ID, e)
	}
	return out
}
