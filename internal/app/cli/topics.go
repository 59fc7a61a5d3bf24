package cli

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// picture matches an image that is alone on a line of a page: a terminal shows none.
var picture = lazyregexp.New(`(?m)^!\[.*\n\n?`)

// newTopics returns the pages of the guide for `chatvault help TOPIC`: commands that do nothing, and load their text
// on request. A page with a command's name is omitted, as it would hide the command.
func newTopics(s Streams, root *cobra.Command) (topics []*cobra.Command) {
	if s.Guide == nil {
		return nil
	}
	pages, _ := fs.Glob(s.Guide, "*.md")
	for _, page := range pages {
		body, err := fs.ReadFile(s.Guide, page)
		name := strings.TrimSuffix(page, ".md")
		if err != nil || slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
			continue
		}
		title, _, _ := strings.Cut(string(body), "\n")
		c := &cobra.Command{Use: name, Short: strings.Clone(strings.TrimLeft(title, "# ")), DisableFlagsInUseLine: true}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			page, _ := fs.ReadFile(s.Guide, page) // it existed at the start
			c.Long = picture().ReplaceAllString(string(page), "")
			root.HelpFunc()(c, args)
		})
		topics = append(topics, c)
	}
	return topics
}

func newMan(s Streams) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "man", Short: "Print the manual page, or write one for each command", Args: cobra.NoArgs,
		Example: "  chatvault man | man -l -\n  chatvault man --dir ~/.local/share/man/man1",
		RunE: func(c *cobra.Command, _ []string) error {
			c.Root().DisableAutoGenTag = true
			header := &doc.GenManHeader{Source: "chatvault " + versionText(), Manual: "chatvault"}
			if dir == "" {
				return doc.GenMan(c.Root(), header, s.Out)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return failure("cannot make %s: %v", dir, err)
			}
			return doc.GenManTree(c.Root(), header, dir)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "write one page per command into this folder")
	return c
}

// newHelp returns the help command, for commands and pages.
func newHelp(named []*cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND | PAGE]", Short: "Help about a command, or a page of the guide",
		Example:   "  chatvault help ask\n  chatvault help keys",
		ValidArgs: text.Of(named, func(c *cobra.Command) cobra.Completion { return cobra.CompletionWithDesc(c.Name(), c.Short) }),
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 && about.HasSubCommands() {
				return usageError("no command or page of the guide is called %q; chatvault help lists them", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
