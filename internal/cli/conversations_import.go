package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"chatvault/conversation/legacy"
)

func newImport(s Streams, g *globals) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use: "import FILE", Short: "Import the conversations of the SmartHole plugin (its data.json)",
		Long: `Take over the conversations that the Obsidian plugin kept in its data.json, in its present
form (conversationData) and in the older one (recentConversations and summaries, which become
one “Migrated conversation history”). What was imported before is left as it is, so that a
file can be imported again. With - the file is read from a pipe.`,
		Example: `  chatvault conversations import --dry-run ~/notes/.obsidian/plugins/smarthole/data.json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError("which file is to be imported? The plugin's data.json, in .obsidian/plugins/ of its vault\nRun '%s --help' for usage.", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runImport(s, g, args[0], dry) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show what would be imported, without importing")
	return c
}

func runImport(s Streams, g *globals, file string, dry bool) error {
	data, err := readImport(s, file)
	if err != nil {
		return err
	}
	convs, warnings, err := legacy.Parse(data)
	if err != nil {
		return failure("nothing was imported from %s: %v", file, err)
	}
	for _, w := range warnings {
		s.warn(w)
	}
	h, err := openShelf(s, g, !dry)
	if err != nil {
		return err
	}
	defer h.close()
	c, err := h.catalog()
	if err != nil {
		return err
	}
	if dry {
		added := 0
		for _, conv := range convs {
			if !c.has(conv.ID) {
				added++
				fmt.Fprintln(s.Out, nameOf(conv.Entry()))
			}
		}
		_, err := fmt.Fprintf(s.Out, "%s would be imported; %d %s there already. Nothing was changed.\n",
			count(added, "conversation"), len(convs)-added, either(len(convs)-added, "was", "were"))
		return err
	}
	added, skipped, err := h.Import(convs)
	if err != nil {
		return failure("%s imported; then: %v", count(added, "conversation"), err)
	}
	if _, err := fmt.Fprintf(s.Out, "%s imported; %d %s there already.\n", count(added, "conversation"), skipped, either(skipped, "was", "were")); err != nil {
		return err
	}
	if most, ended := h.config.MaxConversations.V, c.ended()+added; added > 0 && ended > most {
		fmt.Fprintf(s.Err, "Warning: %s %s ended, and max_conversations_retained is %d: the oldest go when chatvault is used next, unless you raise it.\n", count(ended, "conversation"), either(ended, "has", "have"), most)
	}
	return nil
}

func (c catalog) has(id string) bool { _, ok := c.short[id]; return ok }

// readImport reads the file that is to be imported.
func readImport(s Streams, file string) ([]byte, error) {
	in := s.In
	if file != "-" {
		f, err := os.Open(file)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, failure("there is no file %s", file)
		case err != nil:
			return nil, failure("%v", err)
		}
		defer func() { _ = f.Close() }()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, failure("%s is a folder; name the data.json in it", file)
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, legacy.MaxBytes+1))
	switch {
	case err != nil:
		return nil, failure("%s cannot be read: %v", file, err)
	case len(data) > legacy.MaxBytes:
		return nil, failure("%s is larger than %d MiB; it is not the plugin's data.json", file, legacy.MaxBytes>>20)
	}
	return data, nil
}
