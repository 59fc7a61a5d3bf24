package note

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// checkNote checks the invariants of Parse for any text.
func checkNote(t interface {
	Fatalf(string, ...any)
}, text []byte,
) Note {
	n := Parse(text)
	lines := bytes.Count(text, []byte("\n")) + 1
	last := 0
	for _, h := range n.Headings {
		if h.Start < last || h.End <= h.Start || h.End > len(text) || h.Level < 1 || h.Level > 6 {
			t.Fatalf("%q: heading %+v after %d", text, h, last)
		}
		if got := 1 + bytes.Count(text[:h.Start], []byte("\n")); got != h.Line {
			t.Fatalf("%q: heading %+v is on line %d", text, h, got)
		}
		last = h.End
	}
	last = 0
	for _, task := range n.Tasks {
		if task.Line <= last || task.Line > lines {
			t.Fatalf("%q: task %+v after line %d", text, task, last)
		}
		last = task.Line
	}
	all := strings.Split(string(text), "\n")
	for _, tag := range n.Tags {
		if !IsTag(tag.Name) || tag.Line < 1 || tag.Line > lines {
			t.Fatalf("%q: tag %+v", text, tag)
		}
		if tag.Line > n.Front.Lines && !strings.Contains(all[tag.Line-1], "#"+tag.Name) {
			t.Fatalf("%q: tag %+v is not on its line", text, tag)
		}
	}
	if n.Front.Start > n.Front.End || n.Front.End > len(text) {
		t.Fatalf("%q: front matter %+v", text, n.Front)
	}
	return n
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# A\n\ntext #b\n", "---\ntags: [a]\n---\n- [ ] x 📅 2026-11-21\n", "> - [x] a\n> ```\n> #b\n> ```\n", "%%\n#a\n%% b\n", "$$\n$$ #a\n", "<!-- -->\n<pre>\n</pre>\n",
		"a\n===\n\t- b\n\n\t\tc\n", "``` `\n`` #a ``\n", "1. [ ] due:: [[2026-01-01]]\n", "[[#a]] [b](#c) <d #e>\n", "\ufeff---\r\nk: |\r\n  x\r\n---\r\n", "\\\n#t# #t",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkNote(t, text) })
}

// FuzzFront sets and removes a property of arbitrary front matter.
func FuzzFront(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [c, 'd']\n", "a:\n  - b # c\n- d\n", "\"a\": |\n  b\n", "a: &x [*x]\n", "? a\n: b\n", "a: {b: c}\nd: 'e\n  f'\n"} {
		f.Add([]byte(seed), "a", "x: y")
	}
	f.Fuzz(func(t *testing.T, front []byte, key, value string) {
		text := append(append([]byte("---\n"), front...), "\n---\nbody"...)
		before, err := Properties(text)
		after, setErr := Set(text, key, value)
		if setErr != nil {
			return
		}
		if err != nil {
			t.Fatalf("Set(%q) ignored an error: %v", text, err)
		}
		if !bytes.HasSuffix(after, []byte("body")) || !bytes.HasPrefix(after, []byte("---")) {
			t.Fatalf("Set(%q, %q, %q) = %q", text, key, value, after)
		}
		now, err := Properties(after)
		if at := Find(now, key); err != nil || at < 0 || now[at].Value != value {
			t.Fatalf("Set(%q, %q, %q) = %q: %v %v", text, key, value, after, now, err)
		}
		if len(now) < len(before) {
			t.Fatalf("Set(%q, %q, %q) = %q: text was lost", text, key, value, after)
		}
	})
}

func TestParseInvariants(t *testing.T) {
	parts := rapid.SliceOf(rapid.SampledFrom([]string{
		"# ", "## A", "#t", "#a/b", "- ", "- [ ] ", "1. [x] ", "> ", "    ", "\t", "\n", "\n", "\n\n", "\r\n", "```", "~~~", "`", "``", "%%", "$", "$$", "<!--", "-->", "<div>", "<pre>", "</pre>",
		"[[", "]]", "](", ")", "---", "===", "***", "\\", "text", " ", "é", "📅 2026-11-21", "due:: 2026-01-01", "---\n", "tags: a\n", "\ufeff", "\xff",
	}))
	rapid.Check(t, func(t *rapid.T) { checkNote(t, []byte(strings.Join(parts.Draw(t, "parts"), ""))) })
}

// TestParseTakesLinearTime: 128 KB of opening marks without closing ones take no longer than plain text.
func TestParseTakesLinearTime(t *testing.T) {
	for _, part := range []string{
		"a ", "#", "#a", "`", "` `` ``` ", "%%", "% %", "$", "$a ", "$$ ", "<a ", "<!-- ", "[[", "[[a]", "](", "[a](b", "> ", ">", "- ", "- - [ ] ", "1. ", "\t", "    ", "\\", "\n", "#a\n", "> #a\n", "- [ ] #a\n",
		"```\n", "~~~\n", "%%\n", "$$\n", "<div>\n", "<pre>\n", "</pre", "a\n", "a\n=\n", "\xff", "due:: ", "📅", "- [ ] due:: ", "::", "due::due", "  - a\n", "k: v\n", "- [ ] x\n\n   ", "*a", "===",
	} {
		for _, head := range []string{"", "x #a `", "---\n", "- [ ] ", "> "} {
			text := []byte(head + strings.Repeat(part, (128<<10)/len(part)))
			begin := time.Now()
			checkNoteShape(t, text)
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("%q after %q: %v for 128 KB", part, head, took)
			}
		}
	}
}

func checkNoteShape(t *testing.T, text []byte) {
	for _, tag := range Parse(text).Tags {
		if !utf8.ValidString(tag.Name) {
			t.Fatalf("%q", tag.Name)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte("---\ntitle: Weekly review\ntags: [review, weekly/2026]\ndate: 2026-11-21\naliases:\n  - Review\n---\n# Weekly review\n\n" +
		strings.Repeat("Some prose with a [[Link|to a note]], `code #no`, and #tag/nested at the end of a line.\n\n- [ ] a task 📅 2026-11-30 #todo\n- [x] done\n\n## Section\n\n", 20))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(text)
	}
}
