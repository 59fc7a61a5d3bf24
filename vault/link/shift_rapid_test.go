package link

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMovedSections moves a part of any note to another one: every link to a heading or block that existed leads to
// one of the same name afterwards, or is reported as lost.
func TestMovedSections(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{
		"# A", "## B", "## C d", "### E: f", "text", "text ^b1", "- item ^b2", "", "", "^b3", "```", "G", "===", "<div>", "> quote", "%%",
	}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) []byte { return []byte(strings.Join(lines.Draw(t, name), "\n") + "\n") }
		before, host := text("note"), text("other")
		cuts := []int{0}
		for i, c := range before {
			if c == '\n' {
				cuts = append(cuts, i+1)
			}
		}
		from := rapid.SampledFrom(cuts).Draw(t, "from")
		to := rapid.SampledFrom(cuts).Filter(func(at int) bool { return at >= from }).Draw(t, "to")
		rest := append(bytes.Clone(before[:from]), before[to:]...)
		joined := append(bytes.Clone(host), before[from:to]...)
		s := Moved("n.md", before, from, to, rest, "o.md", joined, len(host), false)
		r := NewShifting(NewNames([]string{"n.md", "o.md", "x.md"}), Shortest, s)
		after := map[string]*Sections{"n.md": NewSections(rest), "o.md": NewSections(joined)}
		for _, anchor := range []string{"#A", "#B", "#C d", "#A#B", "#E f", "#A#C d#E f", "#G", "#^b1", "#^b2", "#^b3"} {
			if !NewSections(before).Has(Link{Anchor: anchor}) {
				continue
			}
			out := r.Rewrite("x.md", []byte("[[n"+anchor+"]]"))
			l := Parse("x.md", out.Text)[0]
			in, ok := r.after.Resolve("x.md", l)
			if len(out.Lost) == 0 && (!ok || !after[in].Has(l)) {
				t.Fatalf("%s became %s: %q + %q", anchor, out.Text, rest, joined)
			}
		}
	})
}
