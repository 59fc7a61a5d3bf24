package textedit

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/text"
	"chatvault/tools/wording"
)

const diffContext = 3

// limits are those of a diff.
type limits struct{ lines, lineBytes, bytes int }

// The limits of the diff in a result and, because a user decides by it, the wider ones in a proposal.
var (
	inResult   = limits{lines: 200, lineBytes: 500, bytes: 20_000}
	inProposal = limits{lines: 2000, lineBytes: 8000, bytes: 200_000}
)

// FileDiff returns a bounded unified diff from the file to its new content, with line feeds, and the number of added
// and removed lines.
func FileDiff(f *File, name string, after []byte) (text string, added, removed int) {
	return boundedTextDiff(name, f.View, NewFile(after).View, inResult)
}

// lineBegin returns the start offset of the line that contains at.
func lineBegin(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// lineLimit returns the end offset of the line that contains at.
func lineLimit(s string, at int) int {
	if end := strings.IndexByte(s[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(s)
}

func shortLine(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	text, ended := strings.CutSuffix(line, "\n")
	cut := wording.CutAt(text, limit)
	cut = fmt.Sprintf("%s [... %s]", cut, wording.Counted(len(text)-len(cut), "more byte"))
	if ended {
		cut += "\n"
	}
	return cut
}

// boundedDiff truncates a diff that is too long, with a remark.
func boundedDiff(diff string, most limits) string {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	shown := 0
	for size := 0; shown < min(len(lines), most.lines) && size+len(lines[shown]) < most.bytes; shown++ {
		size += len(lines[shown]) + 1
	}
	text := strings.Join(lines[:shown], "\n")
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n[... %s of this diff left out]", wording.Counted(left, "more line"))
	}
	return text
}

// TextDiff returns a unified diff of two texts, bounded, with a remark about omissions. Line ends are compared, so
// the limits alone hide changes.
func TextDiff(name, before, after string) string {
	diff, _, _ := boundedTextDiff(name, before, after, inProposal)
	return diff
}

// ResultDiff is TextDiff with the limits of a result.
func ResultDiff(name, before, after string) string {
	diff, _, _ := boundedTextDiff(name, before, after, inResult)
	return diff
}

// boundedTextDiff returns the diff and the number of added and removed lines.
func boundedTextDiff(name, before, after string, most limits) (diff string, added, removed int) {
	if before == after {
		return "", 0, 0
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
	window, edits := prosediff.Edits(before[head:endOld], after[head:endNew], func(line string) string { return shortLine(line, most.lineBytes) })
	u, err := udiff.ToUnifiedDiff(from, to, window, edits, diffContext)
	if err != nil {
		// The change is made even if its diff fails.
		return fmt.Sprintf("[no diff: %v]", err), 0, 0
	}
	skipped := strings.Count(before[:head], "\n")
	for _, h := range u.Hunks {
		h.FromLine += skipped
		h.ToLine = h.FromLine + added - removed // udiff does not count the unchanged lines between two edits of a hunk
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return boundedDiff(u.String(), most), added, removed
}

// differing returns the range of whole lines in which two texts differ: the common start, and the end in each.
// Comparing more would only take time.
func differing(before, after string) (head, endOld, endNew int) {
	head = lineBegin(before, text.CommonPrefix(before, after))
	tail := commonTail(before[head:], after[head:])
	endOld, endNew = len(before)-tail, len(after)-tail
	if whole := lineLimit(before, endOld); endOld > head && before[endOld-1] != '\n' || endNew > head && after[endNew-1] != '\n' {
		endOld, endNew = whole, endNew+whole-endOld
	}
	return head, endOld, endNew
}

// commonTail returns the length of the common suffix in bytes.
func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// LinesGone returns the number of nonblank lines and how many of them a change removes. Lines that are moved or keep
// half of their text do not count.
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

// similarLine reports whether a line keeps half of its text.
func similarLine(before, after string) bool {
	head := text.CommonPrefix(before, after)
	return 2*(head+commonTail(before[head:], after[head:])) >= len(before)
}

// solidLines returns the nonblank lines of a text, trimmed.
func solidLines(of string) []string {
	var out []string
	for line := range strings.Lines(of) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// Limits of a comparison, in bytes: of both texts together, and of what is shown.
const (
	maxProse = 8 << 20
	MaxShown = 256 << 10
)

// Prose compares two versions of a file. It returns nil if they are too long. whole reports whether the diff is
// complete.
func Prose(before, after string) (d *prosediff.Diff, whole bool) {
	if len(before)+len(after) > maxProse {
		return nil, false
	}
	d = prosediff.Compare(before, after)
	shown := d.Bounded(MaxShown)
	return shown, shown == d
}
