package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/theme"
)

func dark() *theme.Styles { return theme.New(theme.Dark, colorprofile.TrueColor) }

// fragments are combined in generated texts.
var fragments = []string{
	"# Heading\n", "## Two *words*\n", "plain text ", "and **bold text** ", "`code span` ", "\n", "\n\n", "\n\n\n",
	"- item\n", "- [ ] open task\n", "- [x] done task\n", "  - nested item\n", "1. first\n", "2. second\n", "* star\n",
	"> quoted\n", "> [!warning] Take care\n> body\n", "```go\nfunc main() {}\n", "```\n", "~~~\n", "    indented\n",
	"| a | b |\n|---|--:|\n| 1 | 2 |\n", "| more | cells |\n", "---\n", "===\n", "title: x\n", "[[Note|label]] ", "![[Embed]] ",
	"[text](https://example.com/a) ", "<b>html</b> ", "<div>\n", "</div>\n", "<!-- comment\n", "-->\n", "日本語のとても長い文章です。", "👩‍👩‍👧‍👦 ",
	"é ", "verylongwordwithoutanybreak", "\t", " ", "==marked== ", "~~gone~~ ", "[1]: https://x.example\n", "&#27;[31m ", "*", "_", "[", "|", "\\",
	"---\ntags: [a]\n", "---\n", "x: y\n", "$x^2$ ", "$$\n", "%%\n", "%%hidden%% ", "[^1] ", "[^1]: note\n", "#tag ", "$5 ", "$", "%%",
	"a\n", "Setext\n---\n",
}

func someMarkdown(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 24).Draw(t, "fragments"), "")
}

// A streamed text ends up like one drawn at once.
func TestStreamMatchesRender(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := someMarkdown(t)
		width := rapid.IntRange(1, 90).Draw(t, "width")
		r := NewRenderer(dark(), width)
		want := r.Render(text)

		s := NewStream(r)
		for rest := text; rest != ""; {
			n := min(rapid.IntRange(1, 12).Draw(t, "chunk"), len(rest))
			s.Append(rest[:n])
			rest = rest[n:]
			if rapid.Bool().Draw(t, "draw") {
				s.drawnAt = time.Time{} // as if enough time had passed
				s.Lines()
			}
		}
		s.Finish()
		if got := s.Lines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("text %q\nstreamed:\n%s\nwhole:\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// Every line fits and is complete in itself.
func TestLinesFitAndAreComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(t, "terminal draws clusters"))
		defer cells.SetClusters(false)
		width := rapid.IntRange(minWidth, 60).Draw(t, "width")
		text := someMarkdown(t)
		for i, line := range NewRenderer(dark(), width).Render(text) {
			if w := cells.Width(line); w > width {
				t.Fatalf("line %d of %q is %d cells wide, more than %d: %q", i, text, w, width, line)
			}
			if strings.ContainsAny(line, "\n\r\t") {
				t.Fatalf("line %d of %q holds a control character: %q", i, text, line)
			}
			if last := strings.LastIndex(line, "\x1b["); last >= 0 && !strings.HasPrefix(line[last:], theme.Reset) {
				t.Fatalf("line %d of %q does not end its style: %q", i, text, line)
			}
		}
	})
}

// All letters and digits of the text are drawn.
func TestNothingOfTheTextIsDropped(t *testing.T) {
	words := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x3000 && r < 0xa000 {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	for _, text := range []string{
		"para one\npara two\n\n> quoted text\n\n1. one\n2. two\n\n   three\n",
		"[label][1]\n\n[1]: https://example.com\n[^1]: note\n",
		"<details>\n<summary>sum</summary>\nbody\n</details>\n\nafter",
		"日本語の文章と english が混ざる長い行です。日本語の文章と english が混ざる長い行です。",
		"| a | b |\n|---|---|\n| one | a longer cell that wraps around |\n",
		"line with aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa end",
	} {
		for _, width := range []int{12, 24, 80} {
			got := words(ansi.Strip(strings.Join(NewRenderer(dark(), width).Render(text), "")))
			want := words(text)
			// Wrapped tables reorder text; compare as bags.
			if !sameLetters(got, want) {
				t.Errorf("width %d: drew %q, want the letters of %q", width, got, want)
			}
		}
	}
}

func sameLetters(a, b string) bool {
	count := map[rune]int{}
	for _, r := range a {
		count[r]++
	}
	for _, r := range b {
		count[r]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func TestHostileTextIsDrawnQuickly(t *testing.T) {
	for name, text := range map[string]string{
		"quotes":     strings.Repeat(">", 5000) + " deep\n",
		"nested":     strings.Repeat("> ", 300) + "- deep\n",
		"lists":      strings.Repeat("- ", 2000) + "deep\n",
		"deep lists": strings.Repeat(strings.Repeat("* > 1. ", 2000)+"deep\n", 50),
		"brackets":   strings.Repeat("[", 20000),
		"links":      strings.Repeat("[a](", 5000),
		"stars":      strings.Repeat("*a **b ", 3000),
		"backticks":  strings.Repeat("`a``b```", 3000),
		"more links": strings.Repeat("[a](", 50_000),
		"labels":     strings.Repeat("[a](b) ", 5000),
		"wikilinks":  strings.Repeat("[[a", 5000),
		"marks":      strings.Repeat("==a=b", 5000),
		"entities":   strings.Repeat("&#27;", 5000),
		"dollars":    strings.Repeat("$a ", 20000),
		"formulas":   strings.Repeat("$a$", 20000),
		"comments":   strings.Repeat("%% ", 20000) + "%",
		"asides":     strings.Repeat("$$\n%%\n", 5000),
		"footnotes":  strings.Repeat("[^", 20000),
		"tags":       strings.Repeat(" #a", 20000),
		"bars":       strings.Repeat("|", 5000) + "\n" + strings.Repeat("|-", 5000) + "\n",
		"long word":  strings.Repeat("x", 200000),
		"combining":  "e" + strings.Repeat("\u0301", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			NewRenderer(dark(), 80).Render(text)
			if d := time.Since(began); d > 10*time.Second { // a third of a second on an idle machine
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestCharacterReferencesReachNoTerminal(t *testing.T) {
	got := strings.Join(NewRenderer(theme.New(theme.None, colorprofile.ASCII), 80).Render("a &#27;[2J &#x9b;2J &#7; `&#27;`"), "\n")
	if strings.ContainsAny(got, "\x1b\x07\u009b") {
		t.Errorf("control characters got through: %q", got)
	}
}

const sample = `---
title: Sample
tags: [a, b]
---
# A heading with *emphasis*

A paragraph with **bold**, *italic*, ~~struck~~, ==marked== and ` + "`code`" + `, a [[Projects/Alpha|link to a note]], an ![[Embed]],
a [page](https://example.com/page) and https://example.org.

## Tasks and lists

- [ ] buy nectarines
- [x] bake the tart, which is done and long enough to wrap at a narrow width
- plain item
  - nested item
    1. numbered deeper

9. nine
10. ten

> A quote that
> goes on.

> [!warning] Take care
> The oven is hot.

| Fruit | Season | Price |
|:------|:------:|------:|
| Nectarine | June to September | 3.20 |
| 桃 (もも) | summer | 12.00 |

` + "```go\n// Bake bakes.\nfunc Bake(d time.Duration) error { return nil } // 42 \"done\"\n```" + `

---

The area is $\pi r^2$, at $5 to $6 a piece[^1], see #garden/trees. %% ask Anna %%

$$
\sum_{i=1}^n a_i * b_i
$$

%%
A remark for myself.
%%

[^1]: In June, *before* tax.
[^2]: Later.

日本語のとても長い文章は、単語の間に空白がなくても、きちんと折り返されます。家族👩‍👩‍👧‍👦も。
`

func TestGolden(t *testing.T) {
	for _, name := range []string{theme.Dark, theme.None} {
		for _, width := range []int{40, 80, 160} {
			file := fmt.Sprintf("sample-%s-%d.golden", name, width)
			t.Run(file, func(t *testing.T) {
				got := strings.Join(NewRenderer(theme.New(name, colorprofile.TrueColor), width).Render(sample), "\n") + "\n"
				golden.Check(t, file, got)
			})
		}
	}
}

// Regressions: texts that were drawn twice or out of order when streamed byte by byte.
func TestStreamByByte(t *testing.T) {
	for _, text := range []string{
		"-->\n| a | b |\n|---|--:|\n| 1 | 2 |\n",
		"*# Heading\n| a | b |\n|---|--:|\n| 1 | 2 |\nSetext\n---\n",
		"# Heading\nplain # Heading\n| a | b |\n|---|--:|\n| 1 | 2 |\nSetext\n---\nafter\n\nmore\n",
		sample, sample + sample,
	} {
		r := NewRenderer(dark(), 60)
		s := NewStream(r)
		for i := range len(text) {
			s.Append(text[i : i+1])
			s.drawnAt = time.Time{}
			s.Lines()
		}
		s.Finish()
		if got, want := strings.Join(s.Lines(), "\n"), strings.Join(r.Render(text), "\n"); got != want {
			t.Errorf("text %q\nstreamed:\n%s\nwhole:\n%s", text, got, want)
		}
	}
}

// An odd name is a link like any other; text that looks like a link but contains links is not one.
func TestWikilinksToOddNames(t *testing.T) {
	for source, want := range map[string]string{
		`- [["trick\x1b[31m.md"]]`:          `"trick\x1b[31m.md"`,
		`see [[a [draft].md]] there`:        `see a [draft].md there`,
		`[[one](a.md), [two](b.md)]] or so`: `[one (a.md), two (b.md)]] or so`,
	} {
		r := NewRenderer(theme.New(theme.Dark, colorprofile.ASCII), 80)
		s := NewStream(r)
		s.Append(source)
		s.Finish()
		if got := ansi.Strip(strings.Join(s.Lines(), "\n")); !strings.Contains(got, want) {
			t.Errorf("%s is drawn as %q, want %q in it", source, got, want)
		}
	}
}

// Front matter is drawn as lines between rules.
func TestFrontMatterWithinAText(t *testing.T) {
	rule := strings.Repeat("─", 40)
	const source = "The note:\n\n---\ntags: [a]\nsource: [[Plum]]\n---\n\nBody"
	got := ansi.Strip(strings.Join(NewRenderer(theme.New(theme.None, colorprofile.ASCII), 60).Render(source), "|"))
	if want := "The note:||" + rule + "||tags: [a]|source: Plum||" + rule + "||Body"; got != want {
		t.Errorf("%q is drawn as\n%q, want\n%q", source, got, want)
	}
}

// Done and open tasks have the same spacing.
func TestDoneTaskOfSeveralParagraphs(t *testing.T) {
	drawn := func(mark string) string {
		text := "- [" + mark + "] bake it\n\n  It takes an hour.\n\n  > hot\n\n  - a tin\n"
		return ansi.Strip(strings.Join(NewRenderer(dark(), 40).Render(text), "\n"))
	}
	if open, done := drawn(" "), drawn("x"); done != strings.Replace(open, "☐", "☑", 1) || !strings.Contains(done, "it\n\n  It") {
		t.Errorf("open:\n%s\ndone:\n%s", open, done)
	}
}
