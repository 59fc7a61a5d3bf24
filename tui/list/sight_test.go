package list

import (
	"testing"

	"pgregory.net/rapid"
)

// InSight agrees with Lines, row by row.
func TestInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := New(func(_, _ Item) int { return 1 })
		l.SetSize(20, rapid.IntRange(1, 12).Draw(t, "height"))
		for i := range rapid.IntRange(0, 8).Draw(t, "items") {
			l.Append(&column{name: string(rune('a' + i)), n: rapid.IntRange(0, 5).Draw(t, "lines")})
		}
		l.ScrollUp(rapid.IntRange(0, 20).Draw(t, "up"))
		l.ScrollDown(rapid.IntRange(0, 20).Draw(t, "down"))
		drawn := l.Lines()
		seen := make([]bool, len(drawn))
		l.InSight(func(s Sight) {
			lines := s.Item.Lines(20)
			for row := s.From; row < s.To; row++ {
				if row >= len(drawn) || drawn[row] != lines[s.First+row-s.From] {
					t.Fatalf("row %d is not line %d of the item", row, s.First+row-s.From)
				}
				if it, line := l.At(row); it != s.Item || line != s.First+row-s.From {
					t.Fatalf("At(%d) is line %d of %v", row, line, it)
				}
				seen[row] = true
			}
		})
		for row, line := range drawn {
			if !seen[row] && line != "" {
				t.Fatalf("row %d, %q, was left out", row, line)
			}
		}
	})
}

// column is an item of n lines.
type column struct {
	name string
	n    int
}

func (c *column) Lines(int) []string {
	out := make([]string, c.n)
	for i := range out {
		out[i] = c.name + string(rune('0'+i))
	}
	return out
}
