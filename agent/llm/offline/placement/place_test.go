package placement

import (
	"strings"
	"testing"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/toolresult"
)

func TestAt(t *testing.T) {
	for _, c := range []struct {
		name, note string
		command    grammar.Command
		want       string
	}{
		{"to nothing", "", grammar.Command{Body: "a"}, "a\n"},
		{"a paragraph", "# T\n\na\n", grammar.Command{Body: "b"}, "# T\n\na\n\nb\n"},
		{"an item to a list", "- a\n", grammar.Command{Body: "b", Form: grammar.Bullet}, "- a\n- b\n"},
		{"plain text to a list", "* a\n", grammar.Command{Body: "b"}, "* a\n* b\n"},
		{"plain text to numbers", "1. a\n2. b\n", grammar.Command{Body: "c"}, "1. a\n2. b\n3. c\n"},
		{"plain text to tasks", "- [ ] a\n", grammar.Command{Body: "b"}, "- [ ] a\n- [ ] b\n"},
		{"under a heading", "## A\n\na\n\n## B\n\nb\n", grammar.Command{Body: "c", Heading: "A"}, "## A\n\na\n\nc\n\n## B\n\nb\n"},
		{"under a misspelt heading", "## Budget\n\na\n", grammar.Command{Body: "c", Heading: "bugdet"}, "## Budget\n\na\n\nc\n"},
		{"under a new heading", "a\n", grammar.Command{Body: "c", Heading: "New"}, "a\n\n## New\n\nc\n"},
		{"at the top", "---\nk: v\n---\n# T\n\na\n", grammar.Command{Body: "c", Top: true}, "---\nk: v\n---\n# T\n\nc\n\na\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := strings.SplitAfter(c.note, "\n")
			lines = lines[:len(lines)-1]
			var read []toolresult.Numbered
			for i, l := range lines {
				read = append(read, toolresult.Numbered{N: i + 1, Text: strings.TrimSuffix(l, "\n")})
			}
			at := At(read, len(read), false, c.command)
			got := strings.Join(lines[:at.Line], "") + strings.TrimSuffix(at.Text, "\n") + "\n" + strings.Join(lines[at.Line:], "")
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestFormatted(t *testing.T) {
	for _, c := range []struct {
		body     string
		form     grammar.BodyKind
		verbatim bool
		want     string
	}{
		{"eggs, milk and bread", grammar.Task, false, "- [ ] eggs\n- [ ] milk\n- [ ] bread"},
		{"eggs, milk and bread", grammar.Task, true, "- [ ] eggs, milk and bread"},
		{"eggs, milk and bread", grammar.Bullet, false, "- eggs, milk and bread"},
		{"* one\n* two", grammar.Bullet, false, "- one\n- two"},
		{"call Bob, who said that he would be back by noon, about it", grammar.Items, false, "- call Bob, who said that he would be back by noon, about it"},
		{"# Log", grammar.Section, false, "## Log"},
		{"a, b", grammar.Plain, false, "a, b"},
	} {
		if got := Formatted(grammar.Command{Body: c.body, Form: c.form, Verbatim: c.verbatim}); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.body, got, c.want)
		}
	}
}
