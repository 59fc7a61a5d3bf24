package link

import (
	"fmt"
	"strings"
	"testing"
)

var kindNames = map[Kind]string{
	Wiki: "wiki", Embed: "embed", Markdown: "markdown", Image: "image", Definition: "definition",
	Property: "property", Canvas: "canvas", HTML: "HTML",
}

// formatLinks formats links, one per line: kind, line, destination as written, path, anchor, alias.
func formatLinks(text string, links []Link) string {
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, "%s %d %s", kindNames[l.Kind], l.Line, text[l.Whole.Start:l.Whole.End])
		if raw := text[l.Dest.Start:l.Dest.End]; raw != l.Path {
			fmt.Fprintf(&b, " dest=%s", raw)
		}
		fmt.Fprintf(&b, " path=%s", l.Path)
		if l.Anchor != "" {
			fmt.Fprintf(&b, " anchor=%s", l.Anchor)
		}
		if l.Alias != "" {
			fmt.Fprintf(&b, " alias=%s", l.Alias)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", "just words", ""},
		{"empty", "", ""},
		{"wikilinks", "a [[One]] b\n![[Two.png|100x145]] [[Three#H1#H2|x | y]] [[#Here]] [[Four#^b1]]", `
wiki 1 [[One]] path=One
embed 2 ![[Two.png|100x145]] path=Two.png alias=100x145
wiki 2 [[Three#H1#H2|x | y]] path=Three anchor=#H1#H2 alias=x | y
wiki 2 [[#Here]] path= anchor=#Here
wiki 2 [[Four#^b1]] path=Four anchor=#^b1`},
		{"blanks in a wikilink", "[[ One Two | x]] [[ #H ]]", `
wiki 1 [[ One Two | x]] path=One Two alias= x
wiki 1 [[ #H ]] path= anchor=#H`},
		{"brackets in a wikilink", "[[a [b] c]] [[[d]] [[e [[f]] [[g]h]]", `
wiki 1 [[a [b] c]] path=a [b] c
wiki 1 [[d]] path=d
wiki 1 [[f]] path=f
wiki 1 [[g]h]] path=g]h`},
		{"no wikilinks", `[[]] [[|a]] [[open \[[x]] [[y` + "\nz]] [[http://x.org/a]]", ""},
		{"in a table", `| [[a\|b]] | [[c#d\|e]] |`, `
wiki 1 [[a\|b]] path=a alias=b
wiki 1 [[c#d\|e]] path=c anchor=#d alias=e`},
		{"Markdown", `[t](a.md) ![i](b%20c.png "title") [u](<d e.md>) [v](../f.md#g%20h) [w](#i) [x](j(k).md) [](l.md)`, `
markdown 1 [t](a.md) path=a.md alias=t
image 1 ![i](b%20c.png "title") dest=b%20c.png path=b c.png alias=i
markdown 1 [u](<d e.md>) path=d e.md alias=u
markdown 1 [v](../f.md#g%20h) path=../f.md anchor=#g%20h alias=v
markdown 1 [w](#i) path= anchor=#i alias=w
markdown 1 [x](j(k).md) path=j(k).md alias=x
markdown 1 [](l.md) path=l.md`},
		{"escaped Markdown", `[a](b\(c.md) [d](e%23f.md) [g](h&amp;i.md) [j](100%.md) [k](%FF.md) \[l](m.md) [n\](o.md) [p](q\#r)`, `
markdown 1 [a](b\(c.md) dest=b\(c.md path=b(c.md alias=a
markdown 1 [d](e%23f.md) dest=e%23f.md path=e#f.md alias=d
markdown 1 [g](h&amp;i.md) dest=h&amp;i.md path=h&i.md alias=g
markdown 1 [j](100%.md) path=100%.md alias=j
markdown 1 [k](%FF.md) path=%FF.md alias=k
markdown 1 [p](q\#r) path=q anchor=#r alias=p`},
		{"external", "[a](http://b) [c](mailto:d) [e](obsidian://open?vault=f) ![g](//h/i.png) <http://j> [k](data:,x)", ""},
		{"an image in a link", "[![a](b.png)](c.md) [d [e](f.md) g](h.md) ![i [j](k.md)](l.png)", `
markdown 1 [![a](b.png)](c.md) path=c.md alias=![a](b.png)
image 1 ![a](b.png) path=b.png alias=a
markdown 1 [e](f.md) path=f.md alias=e
image 1 ![i [j](k.md)](l.png) path=l.png alias=i [j](k.md)
markdown 1 [j](k.md) path=k.md alias=j`},
		{"no Markdown", "[a] (b.md) [c](d e.md) [f](g.md [h](<i.md) [j]() [k](<>)", ""},
		{"over two lines", "[a\nb](c.md) [d](e.md\n\"t\")", `
markdown 1 [a
b](c.md) path=c.md alias=a
b
markdown 2 [d](e.md
"t") path=e.md alias=d`},
		{"paragraphs part", "[a\n\nb](c.md)", ""},
		{"definitions", "[a]: b.md\n[c d]: <e f.md#g> 'h'\n[i]:\n  j%20k.md\n\n- [l]: m.md\n", `
definition 1 [a]: b.md path=b.md alias=a
definition 2 [c d]: <e f.md#g> 'h' path=e f.md anchor=#g alias=c d
definition 3 [i]:
  j%20k.md dest=j%20k.md path=j k.md alias=i
definition 6 [l]: m.md path=m.md alias=l`},
		{"no definitions", "[a\\]: b.md\n\nx\n[a]: b.md\n\n[^1]: [[foot]]\n[c]: d e.md\n[]: f.md\n[g]: http://h", "wiki 6 [[foot]] path=foot"},
		{"a footnote in the text", "x^[see [[a]] there]", "wiki 1 [[a]] path=a"},
		{"tasks", "- [ ] [[a]]\n- [x] [b](c.md)", "wiki 1 [[a]] path=a\nmarkdown 2 [b](c.md) path=c.md alias=b"},
		{"headings and quotes", "# [[a]]\n> [[b]]\n> > [[c]]\n1. [[d]]\n   - > [[e]]", `
wiki 1 [[a]] path=a
wiki 2 [[b]] path=b
wiki 3 [[c]] path=c
wiki 4 [[d]] path=d
wiki 5 [[e]] path=e`},
		{"CRLF and BOM", "\xef\xbb\xbf---\r\na: \"[[b]]\"\r\n---\r\n[[c]]\r\n\r\n[d]: e.md\r\n", `
property 2 [[b]] path=b
wiki 4 [[c]] path=c
definition 6 [d]: e.md path=e.md alias=d`},
		{"HTML is text", "<div>[[a]]</div>", "wiki 1 [[a]] path=a"},
		{"HTML", "a <img alt=\"x > y\" src=\"b%20c.png?w=1#d\"><A HREF = 'e f.md'>t</A>\n<a href=g.md\n class=h>i</a> <a href=\"http://j\"> <a href=\"#k\"> <img data-src=\"l\" src> <a href=\"\"> <br/>\n\n<p>\n<video src=\"m&amp;n.mp4\"/>\n</p>", `
HTML 1 <img alt="x > y" src="b%20c.png?w=1#d"> dest=b%20c.png path=b c.png anchor=?w=1#d
HTML 1 <A HREF = 'e f.md'> path=e f.md
HTML 2 <a href=g.md
 class=h> path=g.md
HTML 3 <a href="#k"> path= anchor=#k
HTML 6 <video src="m&amp;n.mp4"/> dest=m&amp;n.mp4 path=m&n.mp4`},
		{"queries", "[a](b.md?c=d#e) ![f](g.png?h) [i](What?.md) [j](Is it 1.5?.md)[k](Is%201.5?.md#l) [m](n%3Fo.md?p)", `
markdown 1 [a](b.md?c=d#e) path=b.md anchor=?c=d#e alias=a
image 1 ![f](g.png?h) path=g.png anchor=?h alias=f
markdown 1 [i](What?.md) path=What?.md alias=i
markdown 1 [k](Is%201.5?.md#l) dest=Is%201.5?.md path=Is 1.5?.md anchor=#l alias=k
markdown 1 [m](n%3Fo.md?p) dest=n%3Fo.md path=n?o.md anchor=?p alias=m`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.TrimSpace(formatLinks(c.text, Parse("n.md", []byte(c.text))))
			if want := strings.TrimSpace(c.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestParseSkips: links named "no" are not found, those named "yes" are.
func TestParseSkips(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"inline code", "`[[no]]` [[yes]] ``a ` [[no]]`` `[[yes]]\n\n``[[yes]]` \\`[[yes]]`"},
		{"inline code over two lines", "`a\n[[no]]` [[yes]]"},
		{"code ends with its paragraph", "`a\n\n[[yes]] `\n\n- ` a\n- [[yes]] `"},
		{"fences", "```\n[[no]]\n```\n[[yes]]\n~~~~ md\n[[no]]\n~~~\n[[no]]\n~~~~\n[[yes]]\n``` a`b\n[[yes]]\n"},
		{"a fence that never closes", "[[yes]]\n```\n[[no]]\n\n[[no]]"},
		{"a fence in a list", "- a\n  ```\n  [[no]]\n  ```\n  [[yes]]\n- b\n  ```\n  [[no]]\n[[yes]]"},
		{"a fence in a quote", "> ```\n> [[no]]\n[[yes]]\n> ```\n> [[no]]\n> ```\n> [[yes]]"},
		{"indented code", "a\n    [[yes]]\n\n    [[no]]\n\n\t[[no]]\n[[yes]]\n# h\n    [[no]]"},
		{"indentation in lists", "- a\n\n    - [[yes]]\n\n      [[yes]]\n\n            [[no]]\n\n1. b\n\n\t[[yes]]\n\n\t- [[yes]]\n\t\t- [[yes]]"},
		{"an item of code", "-     [[no]]\n- [[yes]]"},
		{"after a list", "- a\n\nb\n\n    [[no]]"},
		{"inline comments", "%%[[no]]%% [[yes]] %% a\n[[no]] %% [[yes]] 100%% [[yes]]"},
		{"block comments", "[[yes]]\n%%\n[[no]]\n\n[[no]]\n%%\n[[yes]]\n%% [[no]] %% [[yes]]\n%%\n[[no]]\n"},
		{"a comment in a list", "- %% [[no]]\n- [[no]]\n%% [[yes]]\n- [[yes]]"},
		{"HTML comments", "<!-- [[no]] --> [[yes]] a <!-- [[no]]\n[no](no.md) --> [[yes]] <!--> [[yes]] <!---> [[yes]]\n\nb <!-- [[yes]]\n\n[[yes]]"},
		{"HTML comments over blocks", "<!--\n[[no]]\n\n# [[no]]\n- [[no]]\n| [[no]] |\n\n[[no]] --> [[yes]]\n[[yes]]\n<div><!-- [[no]]\n\n[[no]]\n-->\n[[yes]]</div>\n<!-- --> <!-- [[no]]\n[[no]] --> [[yes]]"},
		{"HTML comments in lists, quotes and tables", "- <!-- [[no]] --> [[yes]]\n  <!--\n  [[no]]\n\n  [[no]]\n  -->\n  [[yes]]\n\n> <!--\n> [[no]]\n> --> [[yes]]\n\n| <!-- [[no]] --> | [[yes]] |"},
		{"an HTML comment that never ends", "[[yes]]\n<!--\n[[no]]\n\n[[no]]"},
		{"no comment in code", "`<!--` [[yes]] `-->`\n\n```\n<!--\n```\n[[yes]]"},
		{"an attribute of HTML", "<a title=\"[[no]]\" x='[no](no.md)'>[[yes]]</a> <b [[yes]]> a < b [[yes]] <http://x.org/[[yes]]>"},
		{"inline math", "$[[no]]$ [[yes]] $a$ [[yes]] $5 [[yes]] and $6 [[yes]]\n\\$a [[yes]]$ $ [[yes]] $"},
		{"math in one line only", "$a\n[[yes]]$"},
		{"block math", "$$\n[[no]]\n\n[[no]]\n$$\n[[yes]] $$[[no]]$$ [[yes]]\n\n$$ [[no]] $$ [[yes]]"},
		{"math that never ends", "$$ [[yes]]\n\n[[yes]]"},
		{"only unclosed math", "[[yes]]\n\n$$\n[[no]]\n\n[[no]]"},
		{"front matter", "---\na: \"[[yes]]\"\nb: '[[yes]]'\nc: [[no]]\nd: see [[yes]]\ne: [\"[[yes]]\", '[[yes]]', [[no]]]\nf:\n  - \"[[yes]]\"\n  - [[no]]\n# [[no]]\ng: |\n  [[yes]]\nh: x # [[no]]\n\"[[no]]\": 1\ni: {j: \"[[yes]]\"}\n---\n[[yes]]"},
		{"front matter that never ends", "---\na: [[yes]]"},
		{"no front matter", "\n---\na: [[yes]]\n---"},
		{"escapes", `\[[yes [[no]]`[:0] + `\[[no]] \\[[yes]] [\[no]]`},
		{"table", "| a | ` |\n| [[yes]] | ` |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, l := range Parse("n.md", []byte(c.text)) {
				if l.Path != "yes" {
					t.Errorf("found %s in line %d", c.text[l.Whole.Start:l.Whole.End], l.Line)
				}
			}
			if got, want := len(Parse("n.md", []byte(c.text))), strings.Count(c.text, "[[yes]]"); got != want {
				t.Errorf("found %d links, want %d", got, want)
			}
		})
	}
}

func TestParseProperties(t *testing.T) {
	text := "---\n" + `a: "[[x \"y\" é#h|i]]"
b: '[[it''s#one''s]]'
c: >-
  text [[d]]

  more [[e|f]]
g: !!str "[[h]]"
i: &j "[[k]]"
l: "two
  lines [[m]]"
` + "---\n"
	want := strings.TrimSpace(`
property 2 [[x \"y\" é#h|i]] dest=x \"y\" é path=x "y" é anchor=#h alias=i
property 3 [[it''s#one''s]] dest=it''s path=it's anchor=#one's
property 5 [[d]] path=d
property 7 [[e|f]] path=e alias=f
property 8 [[h]] path=h
property 9 [[k]] path=k
property 11 [[m]] path=m`)
	if got := strings.TrimSpace(formatLinks(text, Parse("n.md", []byte(text)))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestParseCanvas(t *testing.T) {
	text := `{
	"nodes":[
		{"id":"1","type":"file","file":"a\/b c.md","subpath":"#H","x":-1.5e3},
		{"id":"2","type":"text","text":"# [[d]]\n\n> ![[e.png|9]] \"[f](g%20h.md)\" \u00e9[[\ud83d\ude00]]\n\n` + "`[[no]]`" + `"},
		{"id":"3","type":"link","url":"https://example.org"},
		{"id":"4","type":"group","label":"[[no]]","background":"i.png"}
	],
	"edges":[{"id":"5","fromNode":"1","toNode":"2","label":"[[no]]","file":"no.md"}]
}`
	want := strings.TrimSpace(`
canvas 3 "a\/b c.md" dest=a\/b c.md path=a/b c.md anchor=#H
wiki 4 [[d]] path=d
embed 4 ![[e.png|9]] path=e.png alias=9
markdown 4 [f](g%20h.md) dest=g%20h.md path=g h.md alias=f
wiki 4 [[\ud83d\ude00]] dest=\ud83d\ude00 path=😀
canvas 6 "i.png" path=i.png`)
	if got := strings.TrimSpace(formatLinks(text, Parse("x.CANVAS", []byte(text)))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, bad := range []string{
		`{"nodes":[{"file":"a.md"}]`, `{"nodes":[{"file":"a.md"}]} x`, `{"nodes":[{"file":"a.md",}]}`, `[`, ``, `{"nodes":[{"file":"a`,
		strings.Repeat("[", 100_000), `{"nodes":[{"file"}]}`,
	} {
		if links := Parse("x.canvas", []byte(bad)); len(links) != 0 {
			t.Errorf("%.40q has links: %v", bad, links)
		}
	}
	if links := Parse("x.canvas", []byte(`{"nodes":[],"edges":[]}`)); len(links) != 0 {
		t.Errorf("an empty canvas has links: %v", links)
	}
}
