package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal"
)

type exportOptions struct {
	json  bool
	file  string // empty for stdout
	force bool
}

func newConversationsExport(s Streams, g *globals) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use: "export ID", Short: "Write a conversation as a Markdown note, or as JSON", Args: oneID,
		Long: `Write a conversation as a Markdown note to keep, or as JSON with all that is recorded of it,
to stdout or to a file. The note has what was said, and of the tools one line each; keys are
left out of both. A file is made for you alone (mode 0600), and none is overwritten without
--force.`,
		Example: `  chatvault conversations export last > fence.md
  chatvault conversations export 20261121-1531 -o ~/notes/Chats/Fence.md
  chatvault conversations export last --json | jq .title`,
		RunE: func(_ *cobra.Command, args []string) error { return conversationsExport(s, g, args[0], o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "write everything recorded about it as one JSON object (default if the file's name ends in .json)")
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to this file")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite the file if it exists")
	return c
}

func conversationsExport(s Streams, g *globals, word string, o exportOptions) error {
	o.json = o.json || strings.EqualFold(filepath.Ext(o.file), ".json")
	return withShelf(s, g, func(h *shelf) error {
		c, err := h.told(word)
		if err != nil {
			return err
		}
		hide := session.Keyless(session.Secrets(h.config, s.LookupEnv))
		data, err := session.Exported(c, o.json, c.ID == h.active, hide)
		if err != nil {
			return err
		}
		if o.file != "" {
			if err := session.WriteExport(o.file, data, o.force); err != nil {
				return failure("%v", err)
			}
			return s.say("Wrote " + o.file + ".")
		}
		if s.Out.IsTerminal() && !o.json {
			data = []byte(ansi.Wordwrap(terminal.Text(string(data)), s.Out.Width(), ""))
		}
		_, err = s.Out.Write(data)
		if n := c.Entry().Branches; n > 0 && !o.json {
			fmt.Fprintf(s.Err, "Left out: %s; JSON has everything.\n", count(n, "branch"))
		}
		return err
	})
}

func newConversationsShow(s Streams, g *globals) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use: "show ID", Short: "Print a conversation for reading", Args: oneID,
		Long: `Print a conversation as Markdown, as chatvault conversations export does: what you said, what
the agent did, told and asked on the way, and its answers.`,
		Example: `  chatvault conversations show last
  chatvault conversations show active --json | jq '.turns[].messages'`,
		RunE: func(_ *cobra.Command, args []string) error { return conversationsExport(s, g, args[0], o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print everything recorded about it as one JSON object")
	return c
}
