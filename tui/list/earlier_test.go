package list

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Items below the marker do not move, wherever the view is, and the inserted items appear in its place.
func TestInsertingEarlierItemsKeepsTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(0, 12)
		items := func(from, n int) (out []Item) {
			for i := range n {
				out = append(out, &text{from + i, size.Draw(t, "words")})
			}
			return out
		}
		l := New(func(above, below Item) int { // like the steps of a turn
			if above.(*text).name%3 == 0 && below.(*text).name%3 == 0 {
				return 0
			}
			return 1
		})
		l.Append(items(1, rapid.IntRange(0, 2).Draw(t, "above"))...)
		marker := &text{50, 1}
		l.Append(marker)
		l.Append(items(100, rapid.IntRange(1, 20).Draw(t, "below"))...)
		l.SetSize(rapid.IntRange(1, 4).Draw(t, "width"), rapid.IntRange(2, 15).Draw(t, "height"))
		l.ScrollUp(rapid.IntRange(0, 60).Draw(t, "up"))
		l.ScrollDown(rapid.IntRange(0, 10).Draw(t, "down"))
		below := func() (lines []string) { // visible lines of the items below the marker
			for i, line := range l.Lines() {
				if strings.HasPrefix(line, "1") && len(line) > 3 && line[3] == ':' {
					lines = append(lines, strings.Repeat(" ", i)+line)
				}
			}
			return lines
		}
		was, following := below(), l.Following()
		stays := rapid.Bool().Draw(t, "stays")
		earlier := items(200, rapid.IntRange(0, 20).Draw(t, "earlier"))
		l.Earlier(marker, stays, earlier...)
		begins := l.top == 0 && l.offset == 0 // there may be less above than before
		if now := below(); !following && !slices.Equal(now, was) && !begins {
			t.Fatalf("was\n%s\nis\n%s", strings.Join(was, "\n"), strings.Join(now, "\n"))
		}
		if i := slices.Index(l.items, Item(marker)); (i >= 0) != stays {
			t.Fatalf("the marker is at %d", i)
		}
		if len(earlier) > 0 {
			i := slices.Index(l.items, earlier[0])
			if !slices.Equal(l.items[i:i+len(earlier)], earlier) || l.items[i+len(earlier)].(*text).name != 100 {
				t.Fatal("they are not in their place")
			}
		}
	})
}

func TestEarlierIgnoresMissingMarker(t *testing.T) {
	l := filled(3, 3)
	l.SetSize(5, 6)
	l.Earlier(&text{9, 1}, true, &text{10, 1})
	if l.Len() != 3 {
		t.Error("items without a place were put somewhere")
	}
}

func TestNearTop(t *testing.T) {
	l := New(func(Item, Item) int { return 0 })
	for i := range 20 {
		l.Append(&text{i, 2})
	}
	l.SetSize(1, 6)                                                                                    // two lines each: three visible
	for above, want := range map[int][2]int{0: {-1, 0}, 1: {-1, 0}, 2: {0, 1}, 3: {1, 2}, 8: {6, 7}} { // not within, within
		l.Home()
		l.ScrollDown(above)
		if l.NearTop(want[0]) && above > 1 || !l.NearTop(want[1]) {
			t.Errorf("%d lines above the view: want near within %d lines", above, want[1])
		}
	}
	l.End()
	if l.NearTop(32) || !l.NearTop(33) {
		t.Error("at the end")
	}
}
