package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

func rows(labels ...string) []Row {
	out := make([]Row, len(labels))
	for i, l := range labels {
		out[i] = Row{Label: l, Result: l}
	}
	return out
}

func picker(labels ...string) *Picker {
	return NewPicker(plainStyles(), "Pick one", "There is none", rows(labels...), []string{"Enter picks · Esc leaves"})
}

func TestPickerSelects(t *testing.T) {
	up, down, enter := press("up"), press("down"), press("enter")
	for _, tt := range []struct {
		name string
		keys []tea.KeyPressMsg
		want any
	}{
		{"the first", []tea.KeyPressMsg{enter}, "apple tart"},
		{"down", []tea.KeyPressMsg{down, enter}, "plum jam"},
		{"up goes round", []tea.KeyPressMsg{up, enter}, "tart plums"},
		{"down goes round", []tea.KeyPressMsg{down, down, down, enter}, "apple tart"},
		{"as in a shell", []tea.KeyPressMsg{press("ctrl+n"), press("ctrl+n"), press("ctrl+p"), enter}, "plum jam"},
		{"a page", []tea.KeyPressMsg{press("pgdown"), enter}, "tart plums"},
		{"narrowed", []tea.KeyPressMsg{runes("plum"), enter}, "plum jam"},
		{"narrowed by two words", []tea.KeyPressMsg{runes("TART plum"), enter}, "tart plums"},
		{"narrowed by letters", []tea.KeyPressMsg{runes("pjm"), enter}, "plum jam"},
		{"narrowed, and the second", []tea.KeyPressMsg{runes("tart"), down, enter}, "tart plums"},
		{"narrowed to nothing", []tea.KeyPressMsg{runes("quince"), enter, down, up, press("pgup"), enter}, nil},
		{"narrowed, then not", []tea.KeyPressMsg{runes("quince"), press("ctrl+u"), enter}, "apple tart"},
		{"a letter picks nothing", []tea.KeyPressMsg{runes("q")}, nil},
		{"a word picks nothing", []tea.KeyPressMsg{runes("enter"), runes("down")}, nil},
		{"esc", []tea.KeyPressMsg{down, press("esc")}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s Stack
			s.Push(picker("apple tart", "plum jam", "tart plums"))
			s.Lines(80, 24, noTime)
			var got Outcome
			for _, k := range tt.keys {
				if !s.Writes() {
					t.Fatal("text is not for it")
				}
				got = s.Key(k, time.Now())
			}
			last := keys.Name(tt.keys[len(tt.keys)-1])
			closed := tt.want != nil || last == "esc"
			if got.Result != tt.want || got.Typed || s.Empty() != closed {
				t.Errorf("%+v, closed %v; want %v, closed %v", got, s.Empty(), tt.want, closed)
			}
		})
	}
}

func TestPickerStaysOpenBelowItsResult(t *testing.T) {
	p := picker("a", "b")
	p.shown[0].Stays = true
	var s Stack
	s.Push(p)
	if out := s.Key(press("enter"), time.Now()); out.Result != "a" || out.Closed || s.Empty() {
		t.Errorf("%+v", out)
	}
	p.Key(press("down"))
	p.Refresh(rows("x")) // another row is gone
	if out := s.Key(press("enter"), time.Now()); out.Result != "x" || !s.Empty() {
		t.Errorf("%+v", out)
	}
}

func TestPickerSearches(t *testing.T) {
	p := picker("apple tart", "plum jam")
	p.Searches(func(q string) any { return "search " + q })
	text := func() string { return strings.Join(p.Lines(60, 20), "\n") }
	if out := p.Key(runes("?")); out.Result != nil || !strings.Contains(text(), "Type words to search") {
		t.Fatalf("%+v\n%s", out, text())
	}
	if out := p.Key(runes("ripe")); out.Result != "search ripe" || out.Closed || !strings.Contains(text(), "Searching…") {
		t.Fatalf("%+v\n%s", out, text())
	}
	if out := p.Key(press("left")); out.Result != nil {
		t.Errorf("the same words are searched for again: %+v", out)
	}
	p.Found("rip", rows("late"))
	if strings.Contains(text(), "late") {
		t.Error("what was found for other words is shown")
	}
	p.Found("ripe", []Row{{Label: "found", Below: []string{"…the plums are ripe…"}, Result: 1}})
	if !strings.Contains(text(), "› found") || !strings.Contains(text(), "    …the plums are ripe…") {
		t.Errorf("what was found is not shown:\n%s", text())
	}
	p.Key(press("ctrl+u"))
	p.Key(press("ctrl+e"))
	p.Key(press("backspace"))
	if !strings.Contains(text(), "› apple tart") {
		t.Errorf("the list does not come back:\n%s", text())
	}
	p.Found("ripe", rows("late"))
	if strings.Contains(text(), "late") {
		t.Error("what was found is shown after the search was left")
	}
}

// At any size the picker fits, the marked row is visible, and no row's text draws over it.
func TestPickerFitsAnyScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Row
		for i := range rapid.IntRange(0, 30).Draw(t, "rows") {
			r := Row{Label: fmt.Sprintf("no%02d %s", i, rapid.SampledFrom([]string{"", "a\x1b[31mb\u202ec\nd", strings.Repeat("long ", 40), "日本語"}).Draw(t, "label"))}
			r.Right = rapid.SampledFrom([]string{"", "3 turns · Nov 20, 9:14 AM", strings.Repeat("x", 200)}).Draw(t, "right")
			r.Below = slices.Repeat([]string{"below │ it\r"}, rapid.IntRange(0, 3).Draw(t, "below"))
			r.Here = rapid.Bool().Draw(t, "here")
			list = append(list, r)
		}
		p := NewPicker(plainStyles(), "Pick "+strings.Repeat("one ", 30), "none", list, []string{strings.Repeat("foot ", 30), "foot"})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			w, h := rapid.SampledFrom([]int{1, 5, 12, 24, 40, 80, 200}).Draw(t, "width"), rapid.IntRange(1, 30).Draw(t, "height")
			lines := p.Lines(w, h)
			if len(lines) > h {
				t.Fatalf("%d lines at a height of %d", len(lines), h)
			}
			for _, l := range lines {
				if cells.Width(l) > w {
					t.Fatalf("a line of %d cells at a width of %d: %q", cells.Width(l), w, l)
				}
				if l = strings.Replace(l, theme.Cursor, "", 1); strings.ContainsAny(l, "\x1b\n\r\u202e") {
					t.Fatalf("%q", l)
				}
			}
			if len(p.shown) > 0 && w >= 12 && h >= 4 {
				if text := strings.Join(lines, "\n"); !strings.Contains(text, "› ") || !strings.Contains(text, fmt.Sprintf("no%02d", p.at)) && !list[p.at].Here {
					t.Fatalf("row %d is out of sight at %d×%d:\n%s", p.at, w, h, text)
				}
			}
			p.Key(press(rapid.SampledFrom([]string{"up", "down", "pgup", "pgdown"}).Draw(t, "key")))
			p.Scroll(rapid.SampledFrom([]int{-3, 0, 3}).Draw(t, "wheel"))
		}
	})
}

func TestMatching(t *testing.T) {
	list := []Row{{Label: "The tart of plums"}, {Label: "Jam", Find: "from plums\nand a tart"}, {Label: "tart, plum"}, {Label: "t-a-r-t-p-l-u-m"}, {Label: "Éclair"}}
	for _, tt := range []struct {
		query string
		want  []int
	}{
		{"", []int{0, 1, 2, 3, 4}},
		{"  ", []int{0, 1, 2, 3, 4}},
		{"TART plum", []int{0, 2, 1}},
		{"jam plums", []int{1}},
		{"tartplum", []int{0, 2, 3}},
		{"éc", []int{4}},
		{"plums tart x", nil},
	} {
		var got []int
		p := NewPicker(plainStyles(), "", "", list, nil)
		p.Write(tt.query)
		for _, r := range p.shown {
			got = append(got, slices.IndexFunc(list, func(x Row) bool { return x.Label == r.Label }))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.query, got, tt.want)
		}
	}
}

// If not all rows are visible, the last line has a mark.
func TestPickerShowsThatThereIsMore(t *testing.T) {
	rows := make([]Row, 8)
	for i := range rows {
		rows[i] = Row{Label: strings.Repeat("x", i+1)}
	}
	p := NewPicker(plainStyles(), "Theme", "", rows, nil)
	if text := strings.Join(p.Lines(60, 9), "\n"); !strings.Contains(text, "↓") {
		t.Errorf("nothing says that more lie below:\n%s", text)
	}
	if text := strings.Join(p.Lines(60, 30), "\n"); strings.Contains(text, "↓") {
		t.Errorf("all are in sight:\n%s", text)
	}
}
