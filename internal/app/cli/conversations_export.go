package cli

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

func newConversationsExport(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "export ID", Aliases: []string{"show"}, Short: "Print a conversation as a Markdown note, or as JSON", Args: oneID,
		Long: `Print a conversation as Markdown, to read or to keep as a note: what you said, what the agent
did, told and asked on the way, and its answers. As JSON it has all that is recorded of it. Keys
are left out of both.`,
		Example: `  chatvault conversations show last
  chatvault conversations export 20261121-1531 > Fence.md
  chatvault conversations show active --json | jq '.turns[].messages'`,
		RunE: func(_ *cobra.Command, args []string) error { return conversationsExport(s, g, args[0], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print everything recorded about it as one JSON object")
	return c
}

func conversationsExport(s Streams, g *globals, word string, asJSON bool) error {
	return withShelf(s, g, func(h *shelf) error {
		e, err := h.find(word)
		if err != nil {
			return err
		}
		c, err := h.Get(e.ID)
		if err != nil {
			return failure("conversation %s cannot be read: %v", e.ID, err)
		}
		hide := session.Keyless(session.Secrets(h.config, s.LookupEnv))
		data, err := session.Exported(c, asJSON, c.ID == h.active, hide)
		if err != nil {
			return err
		}
		if s.Out.IsTerminal() && !asJSON {
			data = []byte(ansi.Wordwrap(terminal.Text(string(data)), s.Out.Width(), ""))
		}
		_, err = s.Out.Write(data)
		if n := c.Entry().Branches; n > 0 && !asJSON {
			fmt.Fprintf(s.Err, "Left out: %s; JSON has everything.\n", text.Count(n, "branch"))
		}
		return err
	})
}
