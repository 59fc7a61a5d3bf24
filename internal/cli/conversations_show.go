package cli

import (
	"io"

	"chatvault/internal/text"

	"github.com/spf13/cobra"

	"chatvault/internal/cli/page"
)

type showOptions struct {
	json   bool
	branch int // 1-based, as show numbers them; 0: the active path
}

func newConversationsShow(s Streams, g *globals) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show ID", Short: "Print a conversation for reading", Args: oneID("shown"),
		Long: `Print a conversation as one reads it: what you said, what the agent did, told and asked
on the way, and its answers. Where an earlier message was edited, the branch that was left is
mentioned; --branch shows the conversation as it went there.`,
		Example: `  chatvault conversations show last
  chatvault conversations show 20261121-1531 --branch 1
  chatvault conversations show active --json | jq '.turns[].messages'`,
		ValidArgsFunction: completeIDs(s, g, false),
		RunE:              func(_ *cobra.Command, args []string) error { return conversationsShow(s, g, args[0], o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print everything recorded about it as one JSON object")
	c.Flags().IntVar(&o.branch, "branch", 0, "show the branch with this number")
	return c
}

func conversationsShow(s Streams, g *globals, word string, o showOptions) error {
	return withShelf(s, g, func(h *shelf) error {
		t, active, err := h.told(word, o.branch)
		if err != nil {
			return err
		}
		if o.json {
			return text.WriteJSON(s.Out, t.Document(active))
		}
		p := page.New(s.Out, s.ink(h.config))
		p.Conversation(t, active)
		_, err = io.WriteString(s.Out, p.String())
		return err
	})
}
