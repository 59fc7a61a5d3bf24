package cli

import (
	"io"

	"github.com/spf13/cobra"

	"chatvault/internal/session/telling"
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
		c, err := h.catalog()
		if err != nil {
			return err
		}
		conv, _, err := h.open(c, word)
		if err != nil {
			return err
		}
		t, err := telling.Tell(conv, o.branch)
		if err != nil {
			return failure("%v", err)
		}
		t.Gone = !c.hasSource(conv.Continues)
		if o.json {
			return telling.WriteJSON(s.Out, t.Document(conv.ID == c.active))
		}
		p := newPage(s, h.config)
		p.conversation(t, conv.ID == c.active)
		_, err = io.WriteString(s.Out, p.String())
		return err
	})
}
