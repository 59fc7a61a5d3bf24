package cli

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// newTopics are the pages of the guide, for `chatvault help TOPIC`: commands that do nothing. A page
// that is named as a command would hide it, and is none.
func newTopics(s Streams, root *cobra.Command) (topics []*cobra.Command) {
	if s.Guide == nil {
		return nil
	}
	pages, _ := fs.Glob(s.Guide, "*.md")
	for _, page := range pages {
		text, err := fs.ReadFile(s.Guide, page)
		name := strings.TrimSuffix(page, ".md")
		if err != nil || slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
			continue
		}
		title, _, _ := strings.Cut(string(text), "\n")
		topics = append(topics, &cobra.Command{Use: name, Short: strings.TrimLeft(title, "# "), Long: string(text), DisableFlagsInUseLine: true})
	}
	return topics
}
