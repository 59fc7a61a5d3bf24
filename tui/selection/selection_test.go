package selection

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"chatvault/internal/app/session/cite"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/theme"
)

// column returns a list of answers and a selection in it.
func column(n int) (*Selection, []list.Item) {
	env := chat.NewEnv(theme.New("none", colorprofile.ANSI256))
	l := list.New(chat.Gap)
	l.SetSize(40, 4)
	items := make([]list.Item, n)
	for i := range items {
		a := chat.NewAssistant(env)
		a.Append(fmt.Sprintf("Answer %d\n\n```sh\nmake %d\n```\n\n```sh\nmake %d\n```\n", i, i, i+100))
		a.Finish()
		items[i] = a
	}
	l.Append(items...)
	return New(l, DefaultKeys()), items
}

func TestSteps(t *testing.T) {
	s, items := column(3)
	for i, step := range []struct {
		n    int
		want list.Item
	}{{1, nil}, {-1, items[2]}, {-1, items[1]}, {-1, items[0]}, {-1, items[0]}, {1, items[1]}, {1, items[2]}, {1, nil}} {
		if s.Step(step.n); s.Item() != step.want {
			t.Fatalf("step %d, by %d, selects %v", i, step.n, s.Item())
		}
	}
	if !s.list.Following() {
		t.Error("the end is not followed after the last")
	}
}

func TestKeepDeselectsRemovedItems(t *testing.T) {
	s, items := column(3)
	s.Select(items[0])
	s.Keep()
	if s.Item() != items[0] {
		t.Fatal("what is there was left")
	}
	s.list.ReplaceAfter(nil, items[1])
	if s.Keep(); s.Active() {
		t.Error("what went is selected")
	}
}

// cited is an answer with three citations.
type cited struct {
	list.Item
	chosen int
}

func (c *cited) Citations(int) []cite.Citation {
	return []cite.Citation{{Number: 2}, {Number: 5}, {Number: 7}}
}
func (c *cited) Choose(number int) { c.chosen = number }
func (c *cited) Row(int, int) int  { return 0 }
func (c *cited) CitationAt(int, int, int) (cite.Citation, bool) {
	return cite.Citation{}, false
}

func TestCitations(t *testing.T) {
	s, items := column(1)
	c := &cited{Item: items[0], chosen: -1}
	s.list.Append(c)
	if !s.ChooseLast() || s.Item() != list.Item(c) || c.chosen != 2 {
		t.Fatalf("%v is selected, %d chosen", s.Item(), c.chosen)
	}
	for _, want := range []int{5, 7, 2} {
		if s.ChooseStep(1); c.chosen != want {
			t.Errorf("%d is chosen, want %d", c.chosen, want)
		}
	}
	s.Select(c)
	if got, _ := s.Chosen(); c.chosen != -1 || got.Number != 2 {
		t.Errorf("selecting it chooses %d, meaning %d", c.chosen, got.Number)
	}
	if s.ChooseStep(-1); c.chosen != 7 {
		t.Errorf("%d is chosen before the first", c.chosen)
	}
	s.ChooseIn(c, 5)
	if got, _ := s.Chosen(); c.chosen != 5 || got.Number != 5 {
		t.Errorf("%d is chosen, meaning %d", c.chosen, got.Number)
	}
	if s.Leave(); c.chosen != -1 {
		t.Error("a citation stays marked")
	}
}

func TestCodeBlocksCycle(t *testing.T) {
	s, items := column(2)
	s.Select(items[1])
	for _, want := range []int{0, 1, 0} {
		if code, at := s.TakeCode(); at != want || code.Text != fmt.Sprintf("make %d\n", 1+100*want) {
			t.Errorf("block %d, %q", at, code.Text)
		}
	}
	s.TakeCode()
	s.Select(items[0])
	if _, at := s.TakeCode(); at != 0 {
		t.Errorf("of another item block %d comes first", at)
	}
}
