package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/terminal"
)

// corpus returns hostile byte strings.
func corpus(t *testing.T) []string {
	t.Helper()
	var rows []struct {
		Bytes []byte `json:"bytes_b64"`
	}
	data, err := os.ReadFile(filepath.Join("..", "testdata", "escapes.json"))
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil || len(rows) < 100 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = string(r.Bytes)
	}
	return out
}

// TestWrite: a terminal gets only text and the styles that were set, however the input is split; other destinations
// get every byte unchanged.
func TestWrite(t *testing.T) {
	for _, row := range corpus(t) {
		for _, piece := range []int{1, 3, 1 << 20} {
			var person, pipe bytes.Buffer
			for _, end := range []*Writer{New(&person, true), New(&pipe, false)} {
				for at := 0; at < len(row); at += piece {
					part := row[at:min(at+piece, len(row))]
					if n, err := end.Write([]byte(part)); n != len(part) || err != nil {
						t.Fatalf("%q: %d, %v", row, n, err)
					}
				}
				if err := end.Flush(); err != nil {
					t.Fatal(err)
				}
			}
			if got := person.String(); got != terminal.Text(row) {
				t.Errorf("a terminal gets %q of %q in pieces of %d", got, row, piece)
			}
			if got := pipe.String(); got != row {
				t.Errorf("a pipe gets %q of %q", got, row)
			}
		}
	}
}

// TestStyles: a color contained in the text is shown as text; a style that was set takes effect and has no width.
func TestStyles(t *testing.T) {
	var b bytes.Buffer
	w := New(&b, true)
	line := Bold.Set("a\x1b[31mb\x1b[1m") + " " + Red.Set("") + Bold.Set("c\x1b]1;x\x1b\\") + "\x1b[m"
	if n := ansi.StringWidth(Bold.Set("two") + Cyan.Set("四")); n != 5 {
		t.Errorf("%d cells", n)
	}
	for _, cut := range []string{ansi.Truncate(Bold.Set("some words"), 6, "…"), ansi.Wrap(Red.Set("some words"), 5, "")} {
		if strings.Count(cut, mark) != 2 {
			t.Errorf("a style got lost: %q", cut)
		}
	}
	if _, err := w.Write([]byte(line)); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1ma␛[31mb␛[1m\x1b[22m \x1b[31m\x1b[39m\x1b[1mc␛]1;x␛\\\x1b[22m␛[m"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestCutStyle: the rest of a truncated style is text.
func TestCutStyle(t *testing.T) {
	for n := range len(mark) + 4 {
		for _, after := range []string{"", "\x1b[2J", "1;2;3;4;5;6;7;8;9;10" + markEnd, "?25l" + markEnd, "2J" + markEnd} {
			var b bytes.Buffer
			w := New(&b, true)
			if _, err := w.Write([]byte((mark + "1" + markEnd)[:n] + after)); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune(strings.ReplaceAll(b.String(), "\x1b[1m", ""), '\x1b') {
				t.Errorf("%d: %q", n, b.String())
			}
		}
	}
}

// TestOnlyTextAndStyles: whatever the text between styles, a terminal gets only the sequences of those styles.
func TestOnlyTextAndStyles(t *testing.T) {
	rows := corpus(t)
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := New(&b, true)
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			text := rapid.OneOf(rapid.SampledFrom(rows), rapid.String(), rapid.SampledFrom([]string{"\x1b", "\x1b]", "\x1b[1m", "\r", "\u200d", "\xf0\x9f"})).Draw(t, "text")
			if rapid.Bool().Draw(t, "styled") {
				text = Green.Set(text)
			}
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		_ = w.Flush()
		left := strings.NewReplacer("\x1b[32m", "", "\x1b[39m", "").Replace(b.String())
		if strings.ContainsFunc(left, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }) {
			t.Fatalf("%q", b.String())
		}
	})
}

func TestNilWriter(t *testing.T) {
	var w *Writer
	if n, err := w.Write([]byte("x")); n != 1 || err != nil || w.IsTerminal() || w.Width() != defaultWidth || w.Flush() != nil || w.Unfiltered() == nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := New(failingWriter{}, true).Write([]byte("x")); n != 0 || !errors.Is(err, errFull) {
		t.Errorf("%d, %v", n, err)
	}
}

// failingWriter is a writer that always fails.
type failingWriter struct{}

var errFull = errors.New("no space left")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// TestEmptyFlush: Flush writes nothing if nothing is buffered, so that a failing writer does not delay the exit.
func TestEmptyFlush(t *testing.T) {
	for _, terminal := range []bool{true, false} {
		if err := New(failingWriter{}, terminal).Flush(); err != nil {
			t.Error(err)
		}
	}
}
