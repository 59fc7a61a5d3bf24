package list

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInsertBefore(t *testing.T) {
	l := filled(3, 1)
	l.SetSize(5, 20)
	at := l.items[1]
	l.InsertBefore(at, &text{7, 1}, &text{8, 1})
	l.InsertBefore(&text{}, &text{9, 1}) // not in the list
	if got := strings.Join(l.Lines(), "|"); got != "0:0||7:0||8:0||1:0||2:0||9:0" {
		t.Errorf("%q", got)
	}
}

// Inserting above does not move the visible lines, wherever the view is; at the end the list keeps following.
func TestInsertBeforeKeepsTheView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := filled(rapid.IntRange(1, 12).Draw(t, "items"), rapid.IntRange(1, 20).Draw(t, "words"))
		l.SetSize(rapid.IntRange(3, 8).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height"))
		l.ScrollUp(rapid.IntRange(0, 40).Draw(t, "up"))
		before := l.Lines()
		at := l.items[rapid.IntRange(0, min(l.top, len(l.items)-1)).Draw(t, "at")]
		l.InsertBefore(at, &text{50, 3}, &text{51, 9})
		if l.Following() {
			return // the end stays visible
		}
		if got := l.Lines(); strings.Join(got, "\n") != strings.Join(before, "\n") {
			t.Fatalf("it moved:\n%q\nwas\n%q", got, before)
		}
	})
}

func TestReplaceAfter(t *testing.T) {
	l := filled(20, 4)
	l.SetSize(5, 5)
	l.ScrollUp(10)
	l.ReplaceAfter(l.items[0], &text{30, 1})
	if got := strings.Join(l.Lines(), "|"); got != "0:0||30:0" || !l.Following() {
		t.Errorf("%q", got)
	}
	l.ReplaceAfter(&text{}, &text{40, 1})
	if got := strings.Join(l.Lines(), "|"); got != "40:0" {
		t.Errorf("%q", got)
	}
	l.ReplaceAfter(nil)
	if l.Len() != 0 {
		t.Errorf("%d items", l.Len())
	}
}
