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
	format string // empty means by the file's extension, else Markdown
	file   string // empty or "-" for stdout
	force  bool
}

// The formats of an export.
const (
	formatMarkdown = "markdown"
	formatJSON     = "json"
)

func newConversationsExport(s Streams, g *globals) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use: "export ID", Short: "Write a conversation as a Markdown note, or as JSON", Args: oneID("exported"),
		Long: `Write a conversation as a Markdown note to keep, or as JSON with all that is recorded of it,
to stdout or to a file. The note has what was said, and of the tools one line each; keys are
left out of both. A file is made for you alone (mode 0600), and none is overwritten without
--force.`,
		Example: `  chatvault conversations export last > fence.md
  chatvault conversations export 20261121-1531 -o ~/notes/Chats/Fence.md
  chatvault conversations export last --format json | jq .title`,
		RunE: func(_ *cobra.Command, args []string) error { return conversationsExport(s, g, args[0], o) },
	}
	c.Flags().StringVarP(&o.format, "format", "f", "", "markdown or json (default: by the file's name, else markdown)")
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to this file")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite the file if it exists")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formatMarkdown, formatJSON}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// exportFormat returns the requested format.
func exportFormat(o exportOptions) (string, error) {
	switch strings.ToLower(o.format) {
	case formatMarkdown, "md":
		return formatMarkdown, nil
	case formatJSON:
		return formatJSON, nil
	case "":
		if strings.EqualFold(filepath.Ext(o.file), ".json") {
			return formatJSON, nil
		}
		return formatMarkdown, nil
	}
	return "", usageError("--format is markdown or json, not %q", o.format)
}

func conversationsExport(s Streams, g *globals, word string, o exportOptions) error {
	format, err := exportFormat(o)
	if err != nil {
		return err
	}
	return withShelf(s, g, func(h *shelf) error {
		c, err := h.told(word)
		if err != nil {
			return err
		}
		hide := session.Keyless(session.Secrets(h.config, s.LookupEnv))
		data, err := session.Exported(c, format == formatJSON, c.ID == h.active, hide)
		switch {
		case err != nil:
			return err
		case o.file == "" || o.file == "-":
			if s.Out.IsTerminal() && format == formatMarkdown {
				data = []byte(ansi.Wordwrap(terminal.Text(string(data)), s.Out.Width(), ""))
			}
			_, err = s.Out.Write(data)
		default:
			if err = session.WriteExport(o.file, data, o.force); err != nil {
				return failure("%v", err)
			}
			_, err = fmt.Fprintf(s.Out, "Wrote %s.\n", o.file)
		}
		if n := c.Entry().Branches; err == nil && n > 0 && format == formatMarkdown {
			fmt.Fprintf(s.Err, "%s %s not in the note; JSON has everything.\n", count(n, "branch"), plural(n, "is", "are"))
		}
		return err
	})
}

func newConversationsShow(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	var o exportOptions
	c := &cobra.Command{
		Use: "show ID", Short: "Print a conversation for reading", Args: oneID("shown"),
		Long: `Print a conversation as Markdown, as chatvault conversations export does: what you said, what
the agent did, told and asked on the way, and its answers.`,
		Example: `  chatvault conversations show last
  chatvault conversations show active --json | jq '.turns[].messages'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				o.format = formatJSON
			}
			return conversationsExport(s, g, args[0], o)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print everything recorded about it as one JSON object")
	return c
}
