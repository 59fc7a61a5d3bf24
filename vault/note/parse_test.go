package note

import (
	"fmt"
	"strings"
	"testing"
)

// formatNote formats a note's content as short lines, for tables.
func formatNote(n Note) string {
	var b strings.Builder
	for _, h := range n.Headings {
		fmt.Fprintf(&b, "h%d@%d %s\n", h.Level, h.Line, h.Text)
	}
	for _, t := range n.Tags {
		fmt.Fprintf(&b, "#%s@%d\n", t.Name, t.Line)
	}
	for _, t := range n.Tasks {
		fmt.Fprintf(&b, "[%c]@%d %s", t.Mark, t.Line, t.Text)
		if t.Heading != "" {
			fmt.Fprintf(&b, " under %s", t.Heading)
		}
		if len(t.Tags) > 0 {
			fmt.Fprintf(&b, " tags %v", t.Tags)
		}
		if !t.Due.IsZero() {
			fmt.Fprintf(&b, " due %s", t.Due.Format("2006-01-02"))
		}
		b.WriteByte('\n')
	}
	for _, a := range n.Aliases {
		fmt.Fprintf(&b, "alias %s\n", a)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"headings", "# One\n## Two ##\n#Three\n### \n####### Seven\n   ###### Six #\n    # code\n", "h1@1 One\nh2@2 Two\nh3@4 \nh6@6 Six\n#Three@3\n"},
		{"setext", "One\n===\n\nTwo\nlines\n---\n\n---\n- x\n---\n", "h1@1 One\nh2@4 Two lines\n"},
		{"fences", "```\n# no\n#tag\n```\n~~~ go\n```\n# no\n~~~~\n# yes\n````\n```\n# no\n", "h1@9 yes\n"},
		{"a fence in a list", "- a\n  ```\n  # no\n# yes\n", "h1@4 yes\n"},
		{"a fence in a quote", "> ```\n> #no\n#yes\n", "#yes@3\n"},
		{"indented", "a\n\n    #no\n\n- b\n\n    #yes\n\n      # no\n", "#yes@7\n"},
		{"comments", "%% #no %% #yes\n%%\n# no\n- [ ] no\n%% #yes2\n<!--\n# no\n-->\n#yes3 <!-- #no --> #yes4\n", "#yes@1\n#yes2@5\n#yes3@9\n#yes4@9\n"},
		{"a comment to the end", "a\n\n%%\n# no\n", ""},
		{"math", "$$\n#no\n$$\n$ #yes $ and $x #no$ 5$ #yes2\n", "#yes@4\n#yes2@4\n"},
		{"html", "<div>\n# no\n#no\n</div>\n\n#yes <span style=\"color: #fff\">#no</span>\n\n<pre>\n\n# no\n</pre>\n", "#yes@6\n"},
		{"tags", "#a #b/c #ü_-1 #12 #1a a#no \\#no (#no) #日本語 #🎉x #x! #one#two **#bold** #sl/\n", "#a@1\n#b/c@1\n#ü_-1@1\n#1a@1\n#日本語@1\n#🎉x@1\n#x@1\n#one@1\n#two@1\n#bold@1\n#sl@1\n"},
		{"tags in code and links", "`#no` ``#no ` #no`` [[a #no]] [b](c #no) ` #yes\n", "#yes@1\n"},
		{"tags in headings and quotes", "# A #x\n> #y\n>#z\n> - #w\n", "h1@1 A #x\n#x@1\n#y@2\n#z@3\n#w@4\n"},
		{"tasks", "# H\n- [ ] open #t 📅 2026-11-21\n\t- [x] done [due:: 2026-01-02]\n* [-] no\n1. [/] half due:: [[2026-12-24]]\n- [x](a.md)\n- []\n> - [ ] quoted\n", "h1@1 H\n#t@2\n[ ]@2 open #t 📅 2026-11-21 under H tags [t] due 2026-11-21\n[x]@3 done [due:: 2026-01-02] under H due 2026-01-02\n[-]@4 no under H\n[/]@5 half due:: [[2026-12-24]] under H due 2026-12-24\n[ ]@8 quoted under H\n"},
		{"tasks in code", "```\n- [ ] no\n```\n\n    - [ ] no\n", ""},
		{"line ends", "\ufeff# A\r\n- [ ] b #c\r\n", "h1@1 A\n#c@2\n[ ]@2 b #c under A tags [c]\n"},
		{"front matter", "---\na: 1\n# no\n---\n# A\n", "h1@5 A\n"},
		{"no front matter", "---\n# A\n", "h1@2 A\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := formatNote(Parse([]byte(c.text))); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestTagsAfterLineBreak: a backslash at the end of a line is a line break, so the next line may begin with a tag.
func TestTagsAfterLineBreak(t *testing.T) {
	for text, want := range map[string]string{"a\\\n#b #c": "#b@2\n#c@2\n", "a\\\r\n#b": "#b@2\n", "a \\#b\\": ""} {
		if got := formatNote(Parse([]byte(text))); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
