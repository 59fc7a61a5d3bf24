package dialog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/list"
)

var noTime time.Time

type line string

func (l line) Lines(int) []string { return []string{string(l)} }

func column(n int) *list.List {
	l := list.New(func(list.Item, list.Item) int { return 0 })
	for i := range n {
		l.Append(line(fmt.Sprintf("line %02d", i)))
	}
	return l
}

func reader(n int, writing bool) *Reader {
	return NewReader(plainStyles(), "A conversation", "3 turns", column(n), []Choice{
		{Label: "Back"}, {Label: "Delete it…", Result: "delete", Stays: true}, {Label: "Switch to it", Result: "switch"},
	}, "left", writing)
}

func TestReaderReads(t *testing.T) {
	r := reader(100, false)
	var s Stack
	s.Push(r)
	text := func() string { return strings.Join(s.Lines(60, 20, noTime), "\n") }
	for _, want := range []string{"A conversation", "3 turns", "line 00", "› Back", "↓"} {
		if !strings.Contains(text(), want) {
			t.Fatalf("%q is missing:\n%s", want, text())
		}
	}
	s.Key(press("pgdown"), time.Now())
	if strings.Contains(text(), "line 00") {
		t.Errorf("it does not scroll:\n%s", text())
	}
	s.Key(press("end"), time.Now())
	if !strings.Contains(text(), "line 99") || strings.Contains(text(), "↓  │") {
		t.Errorf("not at the end:\n%s", text())
	}
	s.Key(press("home"), time.Now())
	s.Key(press("shift+down"), time.Now())
	if text := text(); strings.Contains(text, "line 00") || !strings.Contains(text, "line 01") {
		t.Errorf("a line down from the beginning:\n%s", text)
	}
}

func TestReaderDecides(t *testing.T) {
	up, down, enter, esc := press("up"), press("down"), press("enter"), press("esc")
	for _, tt := range []struct {
		name    string
		writing bool
		keys    []tea.KeyPressMsg
		want    any
		typed   bool
		open    bool
	}{
		{"back", false, []tea.KeyPressMsg{enter}, nil, false, false},
		{"esc", false, []tea.KeyPressMsg{esc}, "left", false, false},
		{"ctrl+c", false, []tea.KeyPressMsg{press("ctrl+c")}, "left", false, false},
		{"what asks first leaves it open", false, []tea.KeyPressMsg{down, enter}, "delete", false, true},
		{"up goes round", false, []tea.KeyPressMsg{up, enter}, "switch", false, false},
		{"a letter is text", false, []tea.KeyPressMsg{runes("s")}, nil, true, true},
		{"enter after text is for the text", false, []tea.KeyPressMsg{up, runes("so"), enter}, nil, true, true},
		{"an arrow comes to the first choice", false, []tea.KeyPressMsg{up, runes("so"), down, down, enter}, "delete", false, true},
		{"enter while one writes is for the text", true, []tea.KeyPressMsg{enter}, nil, true, true},
		{"home is for the text, too", true, []tea.KeyPressMsg{press("home")}, nil, true, true},
		{"esc while one writes", true, []tea.KeyPressMsg{esc}, "left", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(reader(50, tt.writing))
			var got Outcome
			for _, k := range tt.keys {
				s.Lines(60, 20, noTime)
				got = s.Key(k, time.Now())
			}
			if got.Result != tt.want || got.Typed != tt.typed || s.Empty() == tt.open {
				t.Errorf("%+v, open %v", got, !s.Empty())
			}
		})
	}
}

func TestReaderFitsAnyScreen(t *testing.T) {
	for _, n := range []int{0, 5, 200} {
		for _, w := range []int{0, 4, 11, 22, 23, 24, 39, 79, 120} {
			for h := 1; h < 30; h += 1 + h/12 {
				r := reader(n, false)
				r.Ready(true)
				lines := r.Lines(w+1, h)
				if len(lines) > h {
					t.Fatalf("%d lines at %d×%d", len(lines), w+1, h)
				}
				for _, l := range lines {
					if cells.Width(l) > w+1 {
						t.Fatalf("a line of %d cells at %d×%d: %q", cells.Width(l), w+1, h, l)
					}
				}
				if text := strings.Join(lines, "\n"); w > 10 && !strings.Contains(text, "› Back") && w > 20 {
					t.Fatalf("the choices are out of sight at %d×%d:\n%s", w+1, h, text)
				}
			}
		}
	}
}

// The letters of pagers scroll, even several at once from a held key, and q closes; with a text field below they are
// typed there.
func TestReaderPages(t *testing.T) {
	r := reader(100, false)
	top := func(want string) {
		t.Helper()
		text := strings.Join(r.Lines(60, 20), "\n")
		for line := range strings.Lines(text) {
			if _, after, ok := strings.Cut(line, "line "); ok {
				if after[:2] != want {
					t.Errorf("line %s is at the top, want %s", after[:2], want)
				}
				return
			}
		}
		t.Fatal("no line is shown")
	}
	top("00")
	for _, tt := range []struct{ keys, top string }{
		{"j", "01"}, {"jjjj", "05"}, {"kk", "03"}, {"g", "00"}, {"G", "97"}, {"g", "00"},
	} {
		if out := r.Key(runes(tt.keys)); out != (Outcome{}) {
			t.Errorf("%s: %+v", tt.keys, out)
		}
		if tt.top == "97" {
			if !strings.Contains(strings.Join(r.Lines(60, 20), "\n"), "line 99") {
				t.Error("not at the end")
			}
			continue
		}
		top(tt.top)
	}
	if out := r.Key(runes("jk")); !out.Typed {
		t.Error("letters that make no sense in a pager are text")
	}
	if out := reader(9, false).Key(runes("q")); !out.Closed || out.Result != "left" {
		t.Errorf("q: %+v", out)
	}
	if out := reader(9, true).Key(runes("q")); !out.Typed || out.Closed {
		t.Errorf("q in a text: %+v", out)
	}
}
