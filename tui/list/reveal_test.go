package list

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func anyItem(Item) bool { return true }

// Reveal makes the lines visible and does not move the view if they already are.
func TestReveal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(one)
		for i := range rapid.IntRange(1, 12).Draw(t, "items") {
			l.Append(&text{i, rapid.IntRange(0, 30).Draw(t, "words")})
		}
		l.SetSize(rapid.IntRange(1, 8).Draw(t, "width"), rapid.IntRange(1, 10).Draw(t, "height"))
		l.ScrollUp(rapid.IntRange(0, 60).Draw(t, "up"))
		it := l.Next(nil, 1, anyItem)
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			if next := l.Next(it, 1, anyItem); next != nil {
				it = next
			}
		}
		if it == nil {
			return
		}
		lines := it.Lines(l.width)
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
		want := lines[from:to]
		before := l.Lines()
		l.Reveal(it, from, to)
		got := l.Lines()
		if in := strings.Join(before, "\n"); strings.Contains("\n"+in+"\n", "\n"+strings.Join(want, "\n")+"\n") && in != strings.Join(got, "\n") {
			t.Fatalf("the view moved:\n%s\nto\n%s\nfor\n%s", in, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(want) > l.height { // the first lines, or the ones that fill the view
			for _, line := range got {
				if line == want[0] {
					return
				}
			}
			if strings.Contains(strings.Join(want, "\n"), strings.Join(got, "\n")) {
				return
			}
		} else if strings.Contains("\n"+strings.Join(got, "\n")+"\n", "\n"+strings.Join(want, "\n")+"\n") {
			return
		}
		t.Fatalf("rows %d to %d of %s are not in sight:\n%s", from, to, strings.Join(lines, " "), strings.Join(got, "\n"))
	})
}

// Place returns the rows of an item in the view.
func TestPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(one)
		for i := range rapid.IntRange(1, 8).Draw(t, "items") {
			l.Append(&text{i, rapid.IntRange(0, 30).Draw(t, "words")})
		}
		l.SetSize(rapid.IntRange(1, 8).Draw(t, "width"), rapid.IntRange(1, 10).Draw(t, "height"))
		l.ScrollUp(rapid.IntRange(0, 60).Draw(t, "up"))
		view := l.Lines()
		for _, it := range l.items {
			from, to := l.Place(it)
			mine := map[string]bool{}
			for _, line := range it.Lines(l.width) {
				mine[line] = true
			}
			for row, line := range view {
				if in := row >= from && row < to; in != mine[line] {
					t.Fatalf("item %v is said to be in rows %d to %d of\n%s", it, from, to, strings.Join(view, "\n"))
				}
			}
		}
	})
}

func TestNextSkipsEmptyItems(t *testing.T) {
	a, empty, b := &text{1, 3}, &text{2, 0}, &text{3, 3}
	l := New(one)
	l.SetSize(5, 5)
	l.Append(a, empty, b)
	for _, tt := range []struct {
		from Item
		n    int
		want Item
	}{
		{nil, -1, b}, {b, -1, a}, {a, -1, nil}, {nil, 1, a}, {a, 1, b}, {b, 1, nil}, {&text{9, 1}, 1, nil},
	} {
		if got := l.Next(tt.from, tt.n, anyItem); got != tt.want {
			t.Errorf("Next(%v, %d) = %v, want %v", tt.from, tt.n, got, tt.want)
		}
	}
	if l.Has(empty) || !l.Has(a) || l.Has(nil) {
		t.Error("Has")
	}
}

// Revealing a distant item draws only the items visible afterwards.
func TestRevealCostsTheSameHoweverFar(t *testing.T) {
	var items []*counting
	l := New(one)
	for range 10_000 {
		c := &counting{}
		items = append(items, c)
		l.Append(c)
	}
	l.SetSize(20, 10)
	l.Lines()
	l.ScrollUp(1)
	for _, i := range []int{5, 9_000} {
		before := 0
		for _, c := range items {
			before += c.asked
		}
		l.Reveal(items[i], 0, 1)
		after := -before
		for _, c := range items {
			after += c.asked
		}
		if after > 500 {
			t.Errorf("revealing item %d asked %d times for lines", i, after)
		}
	}
}

// counting counts its drawings.
type counting struct{ asked int }

func (c *counting) Lines(int) []string {
	c.asked++
	return []string{"x"}
}
