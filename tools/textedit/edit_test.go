package textedit

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawFile draws a file with mixed line ends, with or without byte order mark and final line end. No line ends with a
// lone carriage return: an inserted line end would become part of it.
func drawFile(t *rapid.T) string {
	var b strings.Builder
	if rapid.Bool().Draw(t, "bom") {
		b.WriteString(byteOrderMark)
	}
	ends := rapid.SampledFrom([][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}).Draw(t, "ends")
	n := rapid.IntRange(0, 12).Draw(t, "lines")
	for i := range n {
		b.WriteString(rapid.StringMatching(`([ab é\r]{0,6}x)?`).Draw(t, "line"))
		if i < n-1 || rapid.Bool().Draw(t, "ended") {
			b.WriteString(rapid.SampledFrom(ends).Draw(t, "end"))
		}
	}
	return b.String()
}

// TestTextFileKeepsBytes checks that without a splice, or with one that replaces text by itself, the content is
// unchanged.
func TestTextFileKeepsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawFile(t)
		f := NewFile([]byte(before))
		if got := string(f.Content(nil)); got != before {
			t.Fatalf("got %q, want %q", got, before)
		}
		start := rapid.IntRange(0, len(f.View)).Draw(t, "start")
		end := rapid.IntRange(start, len(f.View)).Draw(t, "end")
		same := f.trim(Splice{Start: start, End: end, text: f.View[start:end]})
		if got := string(f.Content([]Splice{same})); got != before {
			t.Fatalf("replacing %d to %d by itself: got %q, want %q", start, end, got, before)
		}
	})
}

// TestReplaceChangesOnlyWhatIsMeant checks that all bytes outside the replaced text are unchanged, and that the new
// text has the file's line ends.
func TestReplaceChangesOnlyWhatIsMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawFile(t)
		f := NewFile([]byte(before))
		if f.View == "" {
			return
		}
		start := rapid.IntRange(0, len(f.View)-1).Draw(t, "start")
		end := rapid.IntRange(start+1, len(f.View)).Draw(t, "end")
		old := f.View[start:end]
		replacement := rapid.StringMatching(`[yz\n]{0,8}`).Draw(t, "new")
		e, err := ReplaceText(f, "a.md", old, replacement, false)
		if strings.Count(f.View, old) > 1 || err != nil {
			if err == nil {
				t.Fatalf("%q is there more than once and was replaced", old)
			}
			return
		}
		after := string(f.Content(e.Splices))
		head, tail := f.bom+f.body[:f.bodyOffset(start)], f.body[f.bodyOffset(end):]
		if !strings.HasPrefix(after, head) || !strings.HasSuffix(after, tail) || len(after) < len(head)+len(tail) {
			t.Fatalf("%q → %q changes more than %q", before, after, old)
		}
		if got := toLineFeeds(after[len(head) : len(after)-len(tail)]); got != replacement && !strings.Contains(before, "\r") {
			t.Fatalf("%q became %q, want %q", old, got, replacement)
		}
		if f.LineEnd == "\r\n" && !strings.Contains(strings.ReplaceAll(before, "\r\n", ""), "\n") &&
			strings.Contains(strings.ReplaceAll(after, "\r\n", ""), "\n") {
			t.Fatalf("%q → %q: a bare line feed in a CRLF file", before, after)
		}
	})
}

// TestInsertThenDelete checks that deleting inserted lines restores the file exactly.
func TestInsertThenDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawFile(t)
		f := NewFile([]byte(before))
		if f.View == "" {
			return // a line inserted into an empty file may be deleted with its final line end
		}
		n := rapid.IntRange(0, f.lines()).Draw(t, "after")
		content := rapid.StringMatching(`[yz\n]{1,8}`).Draw(t, "content")
		e, err := InsertLines(f, "a.md", content, n)
		if err != nil {
			t.Fatal(err)
		}
		middle := string(f.Content(e.Splices))
		g := NewFile([]byte(middle))
		count := g.lines() - f.lines()
		if want := 1 + strings.Count(strings.TrimSuffix(content, "\n"), "\n"); count != want {
			t.Fatalf("%q → %q: %d lines more, want %d", before, middle, count, want)
		}
		if n == f.lines() && strings.HasSuffix(middle, "\n") && !strings.HasSuffix(before, "\n") {
			return // a blank last line needs its line end
		}
		if e, err = DeleteLines(g, "a.md", n+1, n+count); err != nil {
			t.Fatal(err)
		}
		if got := string(g.Content(e.Splices)); got != before {
			t.Fatalf("%q → %q → %q", before, middle, got)
		}
	})
}

func TestWhyNotFound(t *testing.T) {
	view := "# Plan\n\nThe  budget is\ttight.\nAsk “Ana” – soon\nCafé au lait\n- [ ] Call Bob about the garden\nlast line\n"
	tests := []struct{ name, old, want string }{
		{"whitespace", "The budget is tight.", `Line 3 has it with different whitespace`},
		{"line breaks", "tight.\n\nAsk “Ana”", `Line 3 has it with different whitespace`},
		{"indentation", "  last line", `Line 7 has it with different whitespace`},
		{"case", "# plan", `Line 1 has it with different whitespace, case or punctuation.`},
		{"signs", `Ask "Ana" - soon`, `Line 4 has it with different whitespace, case or punctuation`},
		{"Unicode form", "Cafe\u0301 au lait", `Line 5 has it with different whitespace, case or punctuation`},
		{"several at once", "the budget IS tight.", `Line 3 has it with different whitespace`},
		{"nothing", "zzzzqqqq", `Read the file again`},
		{"only space", " \t", copyExactly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(view, tt.old) && tt.name != "only space" {
				t.Fatal("it is there")
			}
			if got := whyNotFound(view, tt.old); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestWhyNotFoundNeverPanics checks that the hint is always short.
func TestWhyNotFoundNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view := toLineFeeds(rapid.StringOf(rapid.RuneFrom([]rune("ab \n\té“’\u00a0…1:\u0301"))).Draw(t, "view"))
		old := toLineFeeds(rapid.StringOf(rapid.RuneFrom([]rune("aB \n\té\"'…1:\u0301"))).Draw(t, "old"))
		if text := whyNotFound(view, old); text == "" || len(text) > 1000 {
			t.Fatalf("%d bytes: %s", len(text), text)
		}
	})
}

// TestHintsAreBounded checks that repetitive text takes no longer than other text.
func TestHintsAreBounded(t *testing.T) {
	began := time.Now()
	_ = whyNotFound(strings.Repeat("a\n", 500_000), strings.Repeat("a\n", 20_000)+"b")
	f := NewFile([]byte(strings.Repeat("a", 1<<19)))
	if _, err := ReplaceText(f, "a.md", strings.Repeat("a", 1<<18), "b", false); err == nil {
		t.Error("replaced one of many")
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("took %v", took)
	}
}
