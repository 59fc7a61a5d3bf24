package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan(s Streams) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "man", Short: "Print the manual page, or write one for each command", Args: cobra.NoArgs,
		Example: "  chatvault man | man -l -\n  chatvault man --dir ~/.local/share/man/man1",
		RunE: func(c *cobra.Command, _ []string) error {
			head := &doc.GenManHeader{Title: "CHATVAULT", Section: "1", Source: "chatvault " + versionText(), Manual: "chatvault"}
			c.Root().DisableAutoGenTag = true
			if dir == "" {
				return doc.GenMan(c.Root(), head, s.Out)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return failure("cannot make %s: %v", dir, err)
			}
			return doc.GenManTree(c.Root(), head, filepath.Clean(dir))
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "write one page per command into this folder")
	return c
}
