package textedit

import (
	"strings"

	"chatvault/internal/prosediff"
	"chatvault/internal/text"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/tools/wording"
)

// Bounds of the diff in a proposal: wider than those of a result, because somebody decides by it.
const (
	proposalMaxLines     = 2000
	proposalMaxLineBytes = 8000
	proposalMaxBytes     = 200_000
)

// TextDiff is a unified diff from one text to another, bounded in size, where what it leaves
// out is said. Line ends are told apart: nothing that changes is hidden but by the bounds.
func TextDiff(name, before, after string) string {
	return boundedTextDiff(name, before, after, proposalMaxLines, proposalMaxLineBytes, proposalMaxBytes)
}

// ResultDiff is textDiff with the bounds of a result.
func ResultDiff(name, before, after string) string {
	return boundedTextDiff(name, before, after, DiffMaxLines, diffMaxLineBytes, DiffMaxBytes)
}

func boundedTextDiff(name, before, after string, maxLines, maxLineBytes, maxBytes int) string {
	if before == after {
		return ""
	}
	from, to := wording.PlainName(name), wording.PlainName(name)
	if before == "" {
		from = "/dev/null"
	}
	head, endOld, endNew := differing(before, after)
	for range diffContext {
		head = lineBegin(before, max(head-1, 0))
	}
	for range diffContext {
		next := lineLimit(before, endOld)
		endNew += next - endOld
		endOld = next
	}
	window, now := before[head:endOld], after[head:endNew]
	if hasLongLine(window) || hasLongLine(now) {
		window, now = withShortLines(window, maxLineBytes), withShortLines(now, maxLineBytes)
	}
	diff, _, _ := unified(from, to, window, udiff.Lines(window, now), strings.Count(before[:head], "\n"), maxLineBytes)
	return BoundedDiff(diff, 0, maxLines, maxBytes)
}

// differing is the window of whole lines in which two texts differ: where it begins in both,
// and ends in each. To compare more would cost time and change nothing.
func differing(before, after string) (head, endOld, endNew int) {
	head = lineBegin(before, text.CommonPrefix(before, after))
	tail := commonTail(before[head:], after[head:])
	endOld, endNew = len(before)-tail, len(after)-tail
	if whole := lineLimit(before, endOld); endOld > head && before[endOld-1] != '\n' || endNew > head && after[endNew-1] != '\n' {
		endOld, endNew = whole, endNew+whole-endOld
	}
	return head, endOld, endNew
}

// commonTail is how many bytes two texts end with alike.
func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// LinesGone counts the lines of a text that are not blank, and those of them that a change
// takes out. A line that is only moved, or keeps half of its text, stays.
func LinesGone(before, after string) (gone, all int) {
	all = len(solidLines(before))
	head, endOld, endNew := differing(before, after)
	window := before[head:endOld]
	var lost []string
	brought := map[string]int{}
	for _, e := range udiff.Lines(window, after[head:endNew]) {
		old, fresh := solidLines(window[e.Start:e.End]), solidLines(e.New)
		for i, line := range old {
			if i >= len(fresh) || !similarLine(line, fresh[i]) {
				lost = append(lost, line)
			}
		}
		for _, line := range fresh {
			brought[line]++
		}
	}
	for _, line := range lost {
		if brought[line] > 0 {
			brought[line]--
			continue
		}
		gone++
	}
	return gone, all
}

// similarLine says whether a line keeps half of its text.
func similarLine(before, after string) bool {
	head := text.CommonPrefix(before, after)
	return 2*(head+commonTail(before[head:], after[head:])) >= len(before)
}

// solidLines are the lines of a text that are not blank, without the space around them.
func solidLines(of string) []string {
	var out []string
	for line := range strings.Lines(of) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Bounds of what is compared passage by passage, in bytes: of both texts together, and of what of
// it can be shown.
const (
	maxProse = 8 << 20
	MaxShown = 256 << 10
)

// Prose compares the texts of a file passage by passage; nil where that is too much. whole says that all
// that changes can be shown.
func Prose(name, before, after string) (d *prosediff.Diff, whole bool) {
	if len(before)+len(after) > maxProse {
		return nil, false
	}
	d = prosediff.CompareFile(name, before, after)
	shown := d.Bounded(MaxShown)
	return shown, shown == d
}
