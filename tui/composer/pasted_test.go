package composer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func screenOf(m *Model) string { return ansi.Strip(strings.Join(m.Lines(), "\n")) }

// A long paste is drawn and edited as one piece, and Value returns it whole.
func TestLongPasteIsOnePiece(t *testing.T) {
	long := lines(500)
	m := newTest()
	m.SetSize(60, 5)
	press(m, "see ")
	m.Paste(long)
	press(m, " please")
	if got := m.Value(); got != "see "+long+" please" {
		t.Fatalf("%d bytes are written", len(got))
	}
	if got := screenOf(m); !strings.Contains(got, "› see [Pasted 500 lines] please") {
		t.Errorf("it shows as:\n%s", got)
	}
	if len(m.editor.lines) != 1 {
		t.Errorf("%d lines", len(m.editor.lines))
	}
	press(m, "home", "alt+f", "alt+f", "X") // behind it: a paste is a word
	if got := m.Value(); got != "see "+long+"X please" {
		t.Errorf("a word further: %q", got[max(0, len(got)-20):])
	}
	press(m, "backspace", "backspace")
	if got := m.Value(); got != "see  please" {
		t.Errorf("deleted: %q", got)
	}
}

func TestPasteThresholds(t *testing.T) {
	for _, tt := range []struct {
		text  string
		shows string
	}{
		{lines(10), ""},
		{lines(10) + "\n", ""},
		{lines(11), "[Pasted 11 lines]"},
		{strings.Repeat("x", 2000), ""},
		{strings.Repeat("x", 2001), "[Pasted 2001 characters]"},
		{strings.Repeat("x", 2000) + "\ny", "[Pasted 2 lines]"},
	} {
		m := newTest()
		m.SetSize(60, 50)
		m.Paste(tt.text)
		if got := strings.Contains(screenOf(m), "[Pasted"); got != (tt.shows != "") || !strings.Contains(screenOf(m), tt.shows) {
			t.Errorf("%d bytes show as:\n%s", len(tt.text), screenOf(m))
		}
		if m.Value() != tt.text {
			t.Errorf("%q: %q", tt.shows, m.Value())
		}
	}
}

func TestUnfolding(t *testing.T) {
	long := lines(12)
	ways := map[string]func(*Model){
		"by the key":           func(m *Model) { press(m, "ctrl+x") },
		"by pasting it again":  func(m *Model) { m.Paste(long) },
		"by pasting it as CRs": func(m *Model) { m.Paste(strings.ReplaceAll(long, "\n", "\r")) },
	}
	for name, unfold := range ways {
		m := newTest()
		press(m, "a ")
		m.Paste(long)
		unfold(m)
		press(m, "!")
		if len(m.editor.lines) != 12 || m.Value() != "a "+long+"!" {
			t.Errorf("%s: %d lines, %q", name, len(m.editor.lines), m.Value())
		}
	}
	m := newTest()
	press(m, "ab", "left")
	m.Paste(long)
	press(m, "left", "ctrl+x", "X") // the cursor stays before the paste
	if m.Value() != "aX"+long+"b" {
		t.Errorf("%q", m.Value())
	}
}

// The history has the whole text, and the draft returns with its paste folded.
func TestHistoryKeepsPastesInFull(t *testing.T) {
	m := newTest()
	press(m, "see ")
	m.Paste(lines(30))
	text := m.Value()
	m.Remember(text)
	m.Clear()
	press(m, "up")
	if m.Value() != text {
		t.Errorf("%q after ↑", m.Value())
	}
	m.Clear()
	m.Paste(lines(40))
	press(m, "up", "down") // the cursor is at the end of either
	if m.Value() != lines(40) || len(m.editor.lines) != 1 {
		t.Errorf("%d lines are the draft: %q", len(m.editor.lines), m.Value())
	}
}

// Text cannot forge a paste, several pastes are kept apart, and a deleted one takes no room.
func TestPastesAreDistinct(t *testing.T) {
	m := newTest()
	m.Paste("\uFDD0\uFDEF" + lines(2))
	if m.Value() != lines(2) {
		t.Errorf("%q", m.Value())
	}
	m.Clear()
	want := ""
	for i := range 40 {
		text := fmt.Sprintf("paste %d\n", i) + lines(11)
		m.Paste(text)
		want += text
	}
	if m.Value() != want {
		t.Error("40 pastes are not what was pasted")
	}
	m.Clear()
	for range 2 {
		if !m.Paste(strings.Repeat("x\n", maxInput/3)) {
			t.Error("refused")
		}
		if m.Paste(strings.Repeat("y\n", maxInput/3)) {
			t.Error("too much was taken")
		}
		press(m, "backspace")
	}
}

// After any input the text equals a plain text in which each paste is one character.
func TestPasteProperties(t *testing.T) {
	long := []string{lines(11), lines(20), strings.Repeat("é", 1200)}
	rapid.Check(t, func(t *rapid.T) {
		m := newTest()
		var want []string // by character
		at := 0
		for range rapid.IntRange(1, 30).Draw(t, "keys") {
			switch rapid.IntRange(0, 5).Draw(t, "key") {
			case 0:
				text := rapid.SampledFrom(long).Draw(t, "paste")
				if at > 0 && want[at-1] == text {
					continue // pasting it again would unfold it
				}
				m.Paste(text)
				want = slices.Insert(want, at, text)
				at++
			case 1:
				text := rapid.SampledFrom([]string{"a", "é", " ", "界"}).Draw(t, "text")
				press(m, text)
				want = slices.Insert(want, at, text)
				at++
			case 2:
				press(m, "backspace")
				if at > 0 {
					at--
					want = slices.Delete(want, at, at+1)
				}
			case 3:
				press(m, "left")
				at = max(at-1, 0)
			case 4:
				press(m, "right")
				at = min(at+1, len(want))
			case 5:
				press(m, "delete")
				if at < len(want) {
					want = slices.Delete(want, at, at+1)
				}
			}
			if got := m.Value(); got != strings.Join(want, "") {
				t.Fatalf("%q, want %q", got, want)
			}
			m.SetSize(rapid.IntRange(4, 40).Draw(t, "width"), rapid.IntRange(1, 5).Draw(t, "limit"))
			if n := len(m.Lines()); n < 1 || n > m.limit {
				t.Fatalf("%d rows of %d", n, m.limit)
			}
		}
	})
}
