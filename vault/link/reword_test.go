package link

import (
	"path"
	"strings"
	"testing"
)

// moves returns the new paths when a file or folder is renamed.
func moves(paths []string, from, to string) map[string]string {
	m := map[string]string{}
	for _, p := range paths {
		if p == from {
			m[p] = to
		} else if rest, ok := strings.CutPrefix(p, from+"/"); ok {
			m[p] = to + "/" + rest
			for in := path.Dir(p); strings.HasPrefix(in+"/", from+"/"); in = path.Dir(in) {
				m[in+"/"] = to + strings.TrimPrefix(in, from) + "/"
			}
		}
	}
	return m
}

func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		name   string
		paths  []string // all files
		from   string   // the path to move
		to     string
		in     string // the file that contains the text
		format Format
		text   string
		want   string // "" means unchanged
	}{
		{
			"a name",
			[]string{"a.md", "n.md"},
			"a.md", "b.md", "n.md", "",
			"[[a]] ![[a#H|x]] [t](a.md) [u](<a.md> 'q') ![[a|100]] [[A]] [[a.md]] [[#a]] [[b]]x\n\n[d]: a.md#z 'q'",
			"[[b]] ![[b#H|x]] [t](b.md) [u](<b.md> 'q') ![[b|100]] [[b]] [[b.md]] [[#a]] [[b]]x\n\n[d]: b.md#z 'q'",
		},
		{"to a folder: the name is enough", []string{"a.md", "n.md"}, "a.md", "x/a.md", "n.md", "", "[[a]] [[a]] [t](a.md) [[a#b]]", ""},
		{
			"to a folder, links from the root",
			[]string{"x/a.md", "n.md"},
			"x/a.md", "y/z/a.md", "n.md", "",
			"[[x/a]] [t](x/a.md) [[/x/a]] [[./x/a]] [[X/A#b]]", "[[y/z/a]] [t](y/z/a.md) [[/y/z/a]] [[./y/z/a]] [[y/z/a#b]]",
		},
		{
			"to a folder, relative links",
			[]string{"x/a.md", "y/n.md"},
			"x/a.md", "y/a.md", "y/n.md", "",
			"[t](../x/a.md) [t](../x/a) [[../x/a|u]]", "[t](./a.md) [t](./a) [[./a|u]]",
		},
		{
			"the format is relative",
			[]string{"x/a.md", "x/n.md"},
			"x/a.md", "y/a.md", "x/n.md", Relative,
			"[t](a.md) [[a]]", "[t](../y/a.md) [[../y/a]]",
		},
		{"the format is absolute", []string{"a.md", "n.md"}, "a.md", "y/a.md", "n.md", Absolute, "[t](a.md) [[a]]", "[t](y/a.md) [[y/a]]"},
		{
			"the moved note's own links",
			[]string{"x/a.md", "x/b.md", "c.md", "x/y/d.md", "x/e.png"},
			"x/a.md", "z/w/a.md", "x/a.md", "",
			"[[b]] [t](./b.md) [t](../c.md) [[c]] [t](y/d.md) ![[y/../e.png]] ![](./e.png) [[./a]] [[a]] [[nothing]] [t](./nothing.md)",
			"[[b]] [t](../../x/b.md) [t](../../c.md) [[c]] [t](y/d.md) ![[y/../e.png]] ![](../../x/e.png) [[./a]] [[a]] [[nothing]] [t](./nothing.md)",
		},
		{"a name becomes ambiguous", []string{"x/a.md", "y/b.md", "n.md"}, "y/b.md", "a.md", "n.md", "", "[[a]] [[b]]", "[[x/a]] [[a]]"},
		{"the same, relative", []string{"x/a.md", "y/b.md", "z/n.md"}, "y/b.md", "a.md", "z/n.md", Relative, "[[a]] [[b]]", "[[../x/a]] [[a]]"},
		{"a note of the same name is added to the folder", []string{"x/a.md", "y/b.md", "z/n.md"}, "y/b.md", "z/a.md", "z/n.md", "", "[[a]] [t](a.md)", "[[x/a]] [t](x/a.md)"},
		{"a note is added next to one of the same name", []string{"x/a.md", "yyy/a.md", "n.md"}, "n.md", "yyy/n.md", "n.md", "", "[[a]]", "[[x/a]]"},
		{"the moved name is ambiguous", []string{"x/a.md", "y/b.md", "n.md"}, "y/b.md", "y/a.md", "n.md", "", "[[b]] [[a]]", "[[y/a]] [[a]]"},
		{"unresolved stays so", []string{"a.md", "n.md"}, "a.md", "c.md", "n.md", "", "[[b]] [[x/a]] [t](../a.md) [t](x%20y.md)", ""},
		{"the shorter path of the same name is removed", []string{"a.md", "x/a.md", "n.md"}, "a.md", "b.md", "n.md", "", "[[a]] [[x/a]]", "[[b]] [[x/a]]"},
		{"case only", []string{"note.md", "n.md"}, "note.md", "Note.md", "n.md", "", "[[note]] [[NOTE]] [t](note.md)", "[[Note]] [[Note]] [t](Note.md)"},
		{"case of a folder only", []string{"x/a.md", "n.md"}, "x", "X", "n.md", "", "[[a]] [[x/a]] [t](./x/A.md)", "[[a]] [[X/a]] [t](./X/a.md)"},
		{"a folder", []string{"p/a.md", "p/q/b.md", "n.md"}, "p", "r/s", "n.md", "", "[[a]] [[p/a]] [t](p/q/b.md) [[q/b]]", "[[a]] [[r/s/a]] [t](r/s/q/b.md) [[q/b]]"},
		{"within a folder", []string{"p/a.md", "p/q/b.md", "n.md"}, "p", "r/s", "p/a.md", "", "[[b]] [t](q/b.md) [t](./q/b.md) [t](../n.md) [[p/q/b]]", "[[b]] [t](q/b.md) [t](./q/b.md) [t](../../n.md) [[r/s/q/b]]"},
		{
			"percent signs and blanks",
			[]string{"a b.md", "x y/ä.md", "100%.md", "n.md"},
			"a b.md", "c d/e (f).md", "n.md", "",
			"[t](a%20b.md) [t](<a b.md>) [[a b]] ![](<a%20b.md>)", "[t](e%20(f).md) [t](<e (f).md>) [[e (f)]] ![](<e%20(f).md>)",
		},
		{"encoded letters stay so", []string{"ä b.md", "n.md"}, "ä b.md", "ö (c.md", "n.md", "", "[t](%C3%A4%20b.md) [t](ä%20b.md)", "[t](%C3%B6%20%28c.md) [t](ö%20%28c.md)"},
		{"percent in a name", []string{"a.md", "n.md"}, "a.md", "50%.md", "n.md", "", "[t](a.md) [[a]]", "[t](50%25.md) [[50%]]"},
		{"percent that would be decoded", []string{"a.md", "n.md"}, "a.md", "5%41 %.md", "n.md", "", "[t](a.md) [[a]]", "[t](5%2541%20%25.md) [[5%41 %]]"},
		{"an entity in a name", []string{"a.md", "n.md"}, "a.md", "b&amp;c.md", "n.md", "", "[t](a.md) [[a]]", "[t](b%26amp;c.md) [[b&amp;c]]"},
		{"a name with a scheme", []string{"x/a.md", "n.md"}, "x/a.md", "Re: y/a.md", "n.md", "", "[t](x/a.md)", "[t](Re%3A%20y/a.md)"},
		{"a hash in a folder", []string{"x/a.md", "n.md"}, "x", "C#", "n.md", "", "[[a]] [t](x/a.md) [[x/a|q]] [[x/a#h i]] ![[x/a|9]]", "[[a]] [t](C%23/a.md) [[a|q]] [[a#h i]] ![[a|9]]"},
		{
			"a hash that a wikilink needs",
			[]string{"x/a.md", "a.md", "n.md"},
			"x", "C#", "n.md", "", "[[x/a|q]] [[x/a#h i]] ![[x/a|9]] [[x/a]]",
			"[q](C%23/a.md) [a > h i](C%23/a.md#h%20i) ![9](C%23/a.md) [a](C%23/a.md)",
		},
		{"what would be math", []string{"a.md", "n.md"}, "a.md", "US$ b.md", "n.md", "", "It cost $5, see [[a]] and [t](a.md)", "It cost $5, see [US\\$ b](US%24%20b.md) and [t](US%24%20b.md)"},
		{"a dollar sign that is no math", []string{"a.md", "n.md"}, "a.md", "US$ b.md", "n.md", "", "See [[a]].", "See [[US$ b]]."},
		{"what would be code", []string{"a.md", "n.md"}, "a.md", "b`c.md", "n.md", "", "An ` and [[a]]", "An ` and [b\\`c](b%60c.md)"},
		{"what would be emphasised", []string{"a.md", "n.md"}, "a.md", "b#c.md", "n.md", "", "[[a|*em* of my_note, 100%]]", "[\\*em\\* of my_note, 100\\%](b%23c.md)"},
		{"brackets", []string{"a.md", "n.md"}, "a.md", "b [c].md", "n.md", "", "[[a]] [t](a.md) [[a.md|x]]", "[[b [c].md]] [t](b%20[c].md) [[b [c].md|x]]"},
		{"brackets that no wikilink holds", []string{"a.md", "n.md"}, "a.md", "b]]c.md", "n.md", "", "[[a]] [[a|x]]", "[b\\]\\]c](b]]c.md) [x](b]]c.md)"},
		{"an extension is needed", []string{"a.md", "b.png", "n.md"}, "a.md", "c/b.png.md", "n.md", "", "[[a]]", "[[b.png.md]]"},
		{"a note becomes an attachment", []string{"a.md", "n.md"}, "a.md", "a.txt", "n.md", "", "[[a]] [[a.md]]", "[[a.txt]] [[a.txt]]"},
		{"attachments", []string{"a.png", "n.md"}, "a.png", "i/b.png", "n.md", "", "![[a.png|100x145]] ![t](a.png \"x\") [[a]]", "![[b.png|100x145]] ![t](b.png \"x\") [[a]]"},
		{"capitals in the extension", []string{"a.MD", "n.md"}, "a.MD", "b.MD", "n.md", "", "[[a]] [[A.md]] [t](a.MD)", "[[b]] [[b.MD]] [t](b.MD)"},
		{"normal forms", []string{"caf\u00e9.md", "n.md"}, "caf\u00e9.md", "x/caf\u00e9.md", "n.md", Absolute, "[[cafe\u0301]]", "[[x/caf\u00e9]]"},
		{
			"properties",
			[]string{"it's.md", "n.md"},
			"it's.md", "that's \u201cx\u201d.md", "n.md", "",
			"---\na: \"[[it's]]\"\nb: '[[it''s|y]]'\nc: [[it's]]\n---\n", "---\na: \"[[that's \u201cx\u201d]]\"\nb: '[[that''s \u201cx\u201d|y]]'\nc: [[it's]]\n---\n",
		},
		{
			"a canvas",
			[]string{"a b.md", "n.canvas"},
			"a b.md", "x/ä.md", "n.canvas", "",
			`{"nodes":[{"file":"a b.md","subpath":"#h"},{"text":"[[a b|\"q\"]] [t](a%20b.md)\n"},{"text":"\u00e4 [[\u0061 b]]"}]}`,
			`{"nodes":[{"file":"x/ä.md","subpath":"#h"},{"text":"[[ä|\"q\"]] [t](ä.md)\n"},{"text":"\u00e4 [[ä]]"}]}`,
		},
		{"a canvas names paths only", []string{"x/a.md", "x/n.canvas"}, "x/a.md", "a.md", "x/n.canvas", "", `{"nodes":[{"file":"a.md"},{"file":"x/a.md"}]}`, `{"nodes":[{"file":"a.md"},{"file":"a.md"}]}`},
		{"in a table", []string{"a.md", "n.md"}, "a.md", "b.md", "n.md", "", `| [[a\|x]] | [[a#h\|y]] |`, `| [[b\|x]] | [[b#h\|y]] |`},
		{"blanks stay", []string{"a.md", "n.md"}, "a.md", "b.md", "n.md", "", "[[ a | x ]] [t]( a.md )", "[[ b | x ]] [t]( b.md )"},
		{"code and comments stay", []string{"a.md", "n.md"}, "a.md", "b.md", "n.md", "", "`[[a]]` %%[[a]]%% $[[a]]$\n\n    [[a]]", ""},
		{"CRLF and BOM stay", []string{"a.md", "n.md"}, "a.md", "b.md", "n.md", "", "\xef\xbb\xbf---\r\nx: \"[[a]]\"\r\n---\r\n[[a]]\r\n", "\xef\xbb\xbf---\r\nx: \"[[b]]\"\r\n---\r\n[[b]]\r\n"},
		{"an image in a link", []string{"a.md", "i.png", "n.md"}, "i.png", "j.png", "n.md", "", "[![t](i.png)](a.md)", "[![t](j.png)](a.md)"},
		{"another way up", []string{"x/a.md", "x/n.md"}, "x/a.md", "x/b.md", "x/n.md", "", "[t](./../x/a.md) [t](../x/a.md)", "[t](./b.md) [t](./b.md)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			moved := moves(c.paths, c.from, c.to)
			r := NewRenaming(NewNames(c.paths), moved, c.format)
			got := r.Rewrite(c.in, []byte(c.text))
			want := c.want
			if want == "" {
				want = c.text
			}
			if string(got.Text) != want {
				t.Errorf("got  %s\nwant %s", got.Text, want)
			}
			if (got.Links > 0) != (want != c.text) || len(got.Lost) > 0 {
				t.Errorf("%d links, lost %v", got.Links, got.Lost)
			}
			if want != c.text && !NewPrefilter(Home{}, moved).Keeps(c.in, []byte(c.text)) {
				t.Error("the prefilter excludes the note")
			}
		})
	}
}

// TestRewriteHidden: a link to a hidden file is unchanged, and no rewritten link leads to one.
func TestRewriteHidden(t *testing.T) {
	paths := []string{"B/t.md", "B/x.md", "n.md"}
	for _, c := range []struct{ from, to, text, want string }{
		{"B/t.md", "B/u.md", "[[t]] [x](t.md) [[A/t]] [[B/t]]", "[[t]] [x](t.md) [[A/t]] [[B/u]]"},
		{"B/t.md", "t.md", "[[t]] [[A/t]]", "[[t]] [[A/t]]"},
		{"B/x.md", "C/t.md", "[[x]] [x](x.md)", "[[C/t]] [x](C/t.md)"},
		{"n.md", "C/n.md", "[x](A/t.md) [y](./A/t.md) [z](./B/t.md)", "[x](A/t.md) [y](./A/t.md) [z](../B/t.md)"},
	} {
		names := NewNames(paths, "A/t.md")
		got := NewRenaming(names, moves(paths, c.from, c.to), Shortest).Rewrite("n.md", []byte(c.text))
		if string(got.Text) != c.want || len(got.Lost) > 0 {
			t.Errorf("%s to %s: got %s, want %s, lost %v", c.from, c.to, got.Text, c.want, got.Lost)
		}
	}
}
