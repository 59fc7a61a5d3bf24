package list

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// text is an item that wraps its words, one character each, at the width.
type text struct {
	name  int
	words int
}

func (x *text) Lines(width int) []string {
	var out []string
	for i := 0; i < x.words; i += width {
		out = append(out, fmt.Sprintf("%d:%d", x.name, i))
	}
	return out
}

func one(Item, Item) int { return 1 }

func filled(n, words int) *List {
	l := New(one)
	for i := range n {
		l.Append(&text{i, words})
	}
	return l
}

func TestFollowsTheEnd(t *testing.T) {
	l := filled(20, 10)
	l.SetSize(5, 6)
	l.Append(&text{99, 5})
	lines := l.Lines()
	if got := lines[len(lines)-1]; got != "99:0" {
		t.Errorf("last line %q, want the newest item's", got)
	}
}

// A growing item is followed until it is higher than the view, and then shown from its first line.
func TestHold(t *testing.T) {
	l := filled(20, 10)
	l.SetSize(5, 6)
	answer := &text{99, 5}
	l.Append(answer)
	l.Hold(answer)
	shows := func(first, last string) {
		t.Helper()
		if lines := l.Lines(); lines[0] != first || lines[5] != last {
			t.Errorf("%d words: from %q to %q, want from %q to %q", answer.words, lines[0], lines[5], first, last)
		}
	}
	shows("18:5", "99:0")
	answer.words = 30
	shows("99:0", "99:25")
	answer.words = 35
	shows("99:0", "99:25")
	if !l.Below() {
		t.Error("nothing is below")
	}
	l.SetSize(5, 9) // all of it fits
	if lines := l.Lines(); l.Below() || !l.Following() || lines[8] != "99:30" {
		t.Errorf("with more lines: %q, below %v", lines, l.Below())
	}
	l.SetSize(5, 6)
	shows("99:0", "99:25")
	l.ScrollDown(1)
	answer.words = 60
	if lines := l.Lines(); lines[5] != "99:55" {
		t.Errorf("scrolled to the end, it ends with %q", lines[5])
	}
	l.Append(&text{100, 5})
	l.Hold(nil)
	if lines := l.Lines(); lines[5] != "100:0" {
		t.Errorf("then %q", lines[5])
	}
}

func TestScrollingUpStopsFollowingAndNothingMoves(t *testing.T) {
	l := filled(20, 10)
	l.SetSize(5, 6)
	l.ScrollUp(1)
	before := strings.Join(l.Lines(), "\n")
	for i := range 5 {
		l.Append(&text{100 + i, 30})
	}
	if got := strings.Join(l.Lines(), "\n"); got != before {
		t.Errorf("view moved:\n%s\nwas:\n%s", got, before)
	}
	if !l.Below() {
		t.Error("nothing is below")
	}
	l.End()
	if l.Below() {
		t.Error("something is below the end")
	}
}

func TestScrollingAShortListKeepsFollowing(t *testing.T) {
	l := filled(2, 3)
	l.SetSize(5, 20)
	l.ScrollUp(5)
	l.Home()
	if !l.Following() {
		t.Error("stopped following although there is nothing above")
	}
}

func TestEmptyItemsTakeNoSpace(t *testing.T) {
	l := New(one)
	l.Append(&text{0, 3}, &text{1, 0}, &text{2, 3})
	l.SetSize(5, 20)
	if got := strings.Join(l.Lines(), "|"); got != "0:0||2:0" {
		t.Errorf("drew %q", got)
	}
}

// all draws every item, as a model for the view.
func all(l *List) []string {
	var out []string
	for _, it := range l.items {
		lines := it.Lines(l.width)
		if len(lines) > 0 && len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// After any operation the view is a window of the whole, full if possible, and scrolling back and forth returns to
// the same lines.
func TestViewIsASliceOfAllLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(one)
		l.SetSize(rapid.IntRange(1, 20).Draw(t, "width"), rapid.IntRange(0, 12).Draw(t, "height"))
		name := 0
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 7).Draw(t, "do") {
			case 0, 1:
				l.Append(&text{name, rapid.IntRange(0, 60).Draw(t, "words")})
				name++
			case 2:
				l.ScrollUp(rapid.IntRange(1, 30).Draw(t, "up"))
			case 3:
				l.ScrollDown(rapid.IntRange(1, 30).Draw(t, "down"))
			case 4:
				l.SetSize(rapid.IntRange(1, 20).Draw(t, "width"), rapid.IntRange(0, 12).Draw(t, "height"))
			case 5:
				l.Home()
			case 6:
				l.End()
			case 7:
				if n := len(l.items); n > 0 {
					it := l.items[n-1].(*text)
					it.words = max(0, it.words+rapid.IntRange(-30, 20).Draw(t, "grow"))
				}
			}
			checkWindow(t, l)
		}
	})
}

func checkWindow(t *rapid.T, l *List) {
	whole, view := all(l), l.Lines()
	if want := min(l.height, len(whole)); len(view) != want {
		t.Fatalf("view has %d lines, want %d of %d (follow %v top %d offset %d)", len(view), want, len(whole), l.follow, l.top, l.offset)
	}
	text := "\n" + strings.Join(whole, "\n") + "\n"
	if len(view) > 0 && !strings.Contains(text, "\n"+strings.Join(view, "\n")+"\n") {
		t.Fatalf("view is no window of the whole:\n%q\nof\n%q", view, whole)
	}
	if l.follow && len(view) > 0 && view[len(view)-1] != whole[len(whole)-1] {
		t.Fatalf("following but the last line is %q, not %q", view[len(view)-1], whole[len(whole)-1])
	}
}

// A new width keeps the item that is being read at the top.
func TestResizeKeepsTheItemBeingRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(one)
		for i := range 30 {
			l.Append(&text{i, rapid.IntRange(10, 80).Draw(t, "words")})
		}
		l.SetSize(10, 8)
		l.ScrollUp(rapid.IntRange(20, 60).Draw(t, "up"))
		top := l.top
		for range 5 {
			l.SetSize(rapid.IntRange(3, 20).Draw(t, "width"), 8)
			if l.top != top {
				t.Fatalf("item %d at the top, was %d", l.top, top)
			}
		}
	})
}

// prose is an item of distinct words, wrapped, with a rule and a bullet that depend on the width and blank lines that
// do not.
type prose struct{ first, words, blanks int }

func (p *prose) Lines(width int) []string {
	out := []string{strings.Repeat("─", width)}
	line := ""
	flush := func() {
		if line != "" {
			out = append(out, "• "+line)
		}
		line = ""
	}
	for i := range p.words {
		word := fmt.Sprintf("w%04d", p.first+i)
		switch {
		case p.blanks > 0 && i%p.blanks == 0:
			flush()
			out = append(out, "")
		case len(line)+1+len(word) > width-2:
			flush()
		}
		line = strings.TrimSpace(line + " " + word)
	}
	flush()
	return append(out, strings.Repeat("─", width))
}

// firstWord returns the first visible word.
func firstWord(l *List) string {
	for _, line := range l.Lines() {
		if words := strings.Fields(strings.Trim(line, "• ─")); len(words) > 0 {
			return words[0]
		}
	}
	return ""
}

// Over any series of sizes the top line keeps its text, and back at the first size the view is identical.
func TestResizeKeepsTheLineBeingRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(one)
		n := 0
		for range rapid.IntRange(1, 6).Draw(t, "items") {
			p := &prose{n, rapid.IntRange(40, 400).Draw(t, "words"), rapid.IntRange(0, 30).Draw(t, "blanks")}
			n += p.words
			l.Append(p)
		}
		l.SetSize(80, 20)
		l.ScrollUp(rapid.IntRange(1, 200).Draw(t, "up"))
		if l.Following() {
			return
		}
		before, top := strings.Join(l.Lines(), "\n"), firstWord(l)
		for range rapid.IntRange(1, 5).Draw(t, "sizes") {
			w, h := rapid.IntRange(12, 150).Draw(t, "width"), rapid.IntRange(1, 40).Draw(t, "height")
			l.SetSize(w, h)
			view := strings.Join(l.Lines(), "\n")
			if h > 6 && !strings.Contains(view, top) {
				t.Fatalf("%s was at the top and is out of sight at %dx%d:\n%s", top, w, h, view)
			}
			lines := strings.SplitN(view, "\n", 7)
			if l.Below() && h > 7 && !strings.Contains(strings.Join(lines[:min(len(lines), 6)], " "), top) {
				t.Fatalf("%s was at the top and is not there at %dx%d:\n%s", top, w, h, view)
			}
		}
		l.SetSize(80, 20)
		if got := strings.Join(l.Lines(), "\n"); got != before {
			t.Fatalf("back at the first size:\n%s\nwas:\n%s", got, before)
		}
	})
}

// Drawing an item in another form, such as plain text as Markdown, does not move the view.
func TestRedrawKeepsTheLineBeingRead(t *testing.T) {
	l := New(one)
	first := &prose{0, 300, 7}
	l.Append(first, &prose{300, 300, 0})
	l.SetSize(60, 10)
	l.ScrollUp(40)
	top := firstWord(l)
	l.Redraw(func() { first.blanks = 0 })
	if got := strings.Join(l.Lines()[:2], " "); !strings.Contains(got, top) {
		t.Errorf("%q at the top, was %s", got, top)
	}
}

// At the end nothing is below the view, whether the list follows or not.
func TestNothingBelowTheEnd(t *testing.T) {
	l := New(one)
	l.Append(&prose{0, 300, 0})
	l.SetSize(40, 10)
	l.ScrollUp(5)
	if !l.Below() {
		t.Error("scrolled up and nothing below")
	}
	l.SetSize(150, 40)
	if l.Below() {
		t.Error("everything is in sight and more is said to be below")
	}
	l.Append(&prose{300, 3000, 0})
	if !l.Below() {
		t.Error("nothing is below after an item arrived")
	}
}

func TestAFrameDrawsOnlyWhatIsInSight(t *testing.T) {
	drawn := 0
	l := New(one)
	for range 10000 {
		l.Append(counter{&drawn})
	}
	l.SetSize(10, 20)
	drawn = 0
	l.Lines()
	if drawn > 200 {
		t.Errorf("%d items were asked for a frame of 20 lines", drawn)
	}
}

type counter struct{ n *int }

func (c counter) Lines(int) []string { *c.n++; return []string{"x"} }
