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

// TestWrite: a terminal gets only text, however the input is split; other destinations
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

// TestOnlyText: whatever is written in whatever pieces, a terminal gets no control character.
func TestOnlyText(t *testing.T) {
	rows := corpus(t)
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		w := New(&b, true)
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			text := rapid.OneOf(rapid.SampledFrom(rows), rapid.String(), rapid.SampledFrom([]string{"\x1b", "\x1b]", "\x1b[1m", "\r", "\u200d", "\xf0\x9f"})).Draw(t, "text")
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		_ = w.Flush()
		if strings.ContainsFunc(b.String(), func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }) {
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
