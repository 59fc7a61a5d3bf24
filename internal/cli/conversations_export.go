package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/agent/llm"
	"chatvault/agent/llm/openai"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
)

type exportOptions struct {
	format string // empty: by the file's name, else Markdown
	file   string // empty or "-": stdout
	force  bool
	branch int
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
		ValidArgsFunction: completeIDs(s, g, false),
		RunE:              func(_ *cobra.Command, args []string) error { return conversationsExport(s, g, args[0], o) },
	}
	c.Flags().StringVarP(&o.format, "format", "f", "", "markdown or json (default: by the file's name, else markdown)")
	c.Flags().StringVarP(&o.file, "output", "o", "", "write to this file")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite the file if it is there")
	c.Flags().IntVar(&o.branch, "branch", 0, "export the branch with this number")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formatMarkdown, formatJSON}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// exportFormat is the format that was asked for.
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
		c, err := h.catalog()
		if err != nil {
			return err
		}
		conv, e, err := h.open(c, word)
		if err != nil {
			return err
		}
		t, err := tellingOf(conv, o.branch)
		if err != nil {
			return err
		}
		t.gone = !c.hasSource(conv.Continues)
		hide := keyless(secrets(h.config, s.LookupEnv))
		var out bytes.Buffer
		if format == formatJSON {
			err = writeJSON(&out, mapStrings(t.document(e.ID == c.active), hide))
		} else {
			out.WriteString(hide(note(t)))
		}
		if err != nil {
			return err
		}
		if o.file == "" || o.file == "-" {
			_, err = fmt.Fprint(s.Out, out.String())
		} else {
			err = writeExport(o.file, out.Bytes(), o.force)
			if err == nil {
				_, err = fmt.Fprintf(s.Out, "Wrote %s.\n", o.file)
			}
		}
		if n := len(t.branches); err == nil && n > 0 && o.branch == 0 && format == formatMarkdown {
			fmt.Fprintf(s.Err, "%s not in the note; --branch exports one, --format json all.\n", branchesAre(n))
		}
		return err
	})
}

func branchesAre(n int) string {
	if n == 1 {
		return "1 branch is"
	}
	return branches(n) + " are"
}

// writeExport writes a file of the user's, which is there already only with force.
func writeExport(name string, data []byte, force bool) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return failure("%s is a folder; name a file in it", name)
	}
	var err error
	if force {
		err = atomicfile.WritePath(name, data, 0o600)
	} else {
		err = writeNew(name, data)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return failure("%s is there already and was left as it is; --force overwrites it", name)
	case errors.Is(err, fs.ErrNotExist):
		return failure("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
	case err != nil:
		return failure("%s cannot be written: %v", name, err)
	}
	return nil
}

func writeNew(name string, data []byte) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if _, err := root.Lstat(filepath.Base(name)); err == nil { // also what is no file
		return fs.ErrExist
	}
	return atomicfile.Writer{}.Replace(root, filepath.Base(name), data, atomicfile.Options{Perm: 0o600, Exclusive: true})
}

// keyless takes keys out of what leaves the state folder: those that are configured, and what
// looks like one, as it was pasted into the chat.
func keyless(secrets []string) func(string) string {
	return func(text string) string { return llm.RedactKeys(text, secrets...) }
}

// secrets are the keys that are known without asking anybody for them.
func secrets(cfg *config.Config, lookupEnv func(string) (string, bool)) []string {
	sources := []config.KeySource{cfg.APIKey}
	for _, p := range cfg.Providers {
		sources = append(sources, p.Key)
	}
	for _, p := range openai.Presets {
		if p.KeyEnv != "" {
			sources = append(sources, config.EnvKey(p.KeyEnv, config.Origin{}))
		}
	}
	var all []string
	for _, source := range sources {
		if !source.Configured() || source.IsCommand() {
			continue
		}
		// An error says that there is none: no key that is unset is in a conversation.
		if key, err := source.Resolve(context.Background(), lookupEnv); err == nil && !key.Empty() {
			all = append(all, key.Reveal())
		}
	}
	return all
}
