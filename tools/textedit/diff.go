package textedit

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/tools/wording"
)

// Bounds of the diff in a result.
const (
	diffContext      = 3
	diffMaxChanges   = 200 // splices looked at
	DiffMaxLines     = 200
	diffMaxLineBytes = 500
	DiffMaxBytes     = 20_000
)

// FileDiff is a unified diff of the splices' effect, with "\n" line ends, bounded in
// size, and the numbers of lines it removes and adds within those bounds. It costs
// time and memory for the part of the file between the first and last splice only.
func FileDiff(f *File, name string, splices []Splice) (text string, added, removed int) {
	told := splices[:min(len(splices), diffMaxChanges)]
	// The window: whole lines, with context on both sides.
	from, to := told[0].Start, told[len(told)-1].End
	for range diffContext + 1 {
		from = lineBegin(f.View, max(from-1, 0))
	}
	for range diffContext + 1 {
		to = lineLimit(f.View, to)
	}
	window := f.View[from:to]
	var edits []udiff.Edit
	if hasLongLine(window) {
		var after string
		window, after = withShortLines(window, diffMaxLineBytes), withShortLines(f.applyView(told, from, to), diffMaxLineBytes)
		edits = udiff.Lines(window, after)
	} else {
		edits = lineChanges(f, told)
		for i := range edits {
			edits[i].Start -= from
			edits[i].End -= from
		}
	}
	name = wording.PlainName(name)
	text, added, removed = unified(name, name, window, edits, strings.Count(f.View[:from], "\n"), diffMaxLineBytes)
	return BoundedDiff(text, len(splices)-len(told), DiffMaxLines, DiffMaxBytes), added, removed
}

// unified is the diff of the edits of a window, which begins after some lines that it does not show,
// with its long lines cut, and the numbers of lines it adds and removes.
func unified(from, to, window string, edits []udiff.Edit, skipped, maxLineBytes int) (text string, added, removed int) {
	u, err := udiff.ToUnifiedDiff(from, to, window, edits, diffContext)
	if err != nil {
		// The change is made whatever the diff has to say.
		return fmt.Sprintf("[no diff: %v]", err), 0, 0
	}
	for _, h := range u.Hunks {
		h.FromLine += skipped
		h.ToLine += skipped
		for i, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
			h.Lines[i].Content = diffLine(l.Content, maxLineBytes)
		}
	}
	return u.String(), added, removed
}

// lineChanges turns splices into edits of whole lines that differ.
func lineChanges(f *File, splices []Splice) []udiff.Edit {
	var edits []udiff.Edit
	for i := 0; i < len(splices); {
		from := lineBegin(f.View, splices[i].Start)
		to := lineLimit(f.View, splices[i].End)
		next := i + 1
		for next < len(splices) && lineBegin(f.View, splices[next].Start) < to {
			to = lineLimit(f.View, splices[next].End)
			next++
		}
		for _, e := range udiff.Lines(f.View[from:to], f.applyView(splices[i:next], from, to)) {
			e.Start += from
			e.End += from
			edits = append(edits, e)
		}
		i = next
	}
	return edits
}

// lineBegin is the offset of the line that holds at.
func lineBegin(s string, at int) int { return strings.LastIndexByte(s[:at], '\n') + 1 }

// lineLimit is the offset after the line that holds at.
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

// BoundedDiff cuts a diff that is too long and says what is left out.
func BoundedDiff(diff string, changesLeftOut, maxLines, maxBytes int) string {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	size, shown := 0, 0
	for shown < len(lines) && shown < maxLines {
		size += len(lines[shown]) + 1
		if size > maxBytes {
			break
		}
		shown++
	}
	text := strings.Join(lines[:shown], "\n")
	if left := len(lines) - shown; left > 0 {
		text += fmt.Sprintf("\n[... %s of this diff left out]", wording.Counted(left, "more line"))
	}
	if changesLeftOut > 0 {
		text += fmt.Sprintf("\n[... %s left out]", wording.Counted(changesLeftOut, "further change"))
	}
	return text
}

// longLine is the length, in bytes, from which a line is cut before it is compared and not after: a
// line of megabytes would be copied several times, to be cut in the end.
const longLine = 64 << 10

// hasLongLine says whether a text has a line to be cut first.
func hasLongLine(text string) bool {
	for len(text) > longLine {
		i := strings.LastIndexByte(text[:longLine], '\n')
		if i < 0 {
			return true
		}
		text = text[i+1:]
	}
	return false
}

var lineSeed = maphash.MakeSeed()

// markLength is that of the mark of a line that was cut: NUL, and what tells it from others that
// begin as it does.
const markLength = 1 + 16

// withShortLines is a text with its long lines cut as shortLine does, and marked so that two of
// them are the same only where they were before.
func withShortLines(text string, limit int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) <= longLine {
			b.WriteString(line)
			continue
		}
		body, ended := strings.CutSuffix(line, "\n")
		b.WriteString(shortLine(body, limit))
		fmt.Fprintf(&b, "\x00%016x", maphash.String(lineSeed, body))
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// diffLine is a line as a diff shows it: cut where it is too long, and without the mark of one that
// was cut already.
func diffLine(line string, limit int) string {
	body, ended := strings.CutSuffix(line, "\n")
	at := len(body) - markLength
	if at < 0 || body[at] != 0 || !strings.HasSuffix(body[:at], "]") {
		return shortLine(line, limit)
	}
	if ended {
		return body[:at] + "\n"
	}
	return body[:at]
}
