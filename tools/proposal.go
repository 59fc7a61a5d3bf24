package tools

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/tools/wording"
	"chatvault/vault"
)

// Bounds of the diff in a proposal: wider than those of a result, because somebody decides by it.
const (
	proposalMaxLines     = 2000
	proposalMaxLineBytes = 8000
	proposalMaxBytes     = 200_000
)

// creates fills in what a new file is.
func (p *Proposal) creates(text string, folders []string) {
	p.Kind = ChangeCreate
	p.Detail = joined("new file, "+wording.SizeText(int64(len(text))), madeFolders(folders))
	p.show("", text)
}

// replaces fills in what becomes of a file; before is nil where it is too large to be shown.
func (p *Proposal) replaces(before *vault.File, size int64, after string) {
	if before == nil || bytes.IndexByte(before.Data, 0) >= 0 {
		what := "a file that is no text"
		if before == nil {
			what = "a file too large to show"
		}
		p.Destructive = size > 0
		p.Detail = fmt.Sprintf("%s (%s) becomes %s of text", what, wording.SizeText(size), wording.SizeText(int64(len(after))))
		p.show("", after)
		return
	}
	if p.Kind == ChangeOverwrite {
		p.Detail = wording.SizeText(size) + " become " + wording.SizeText(int64(len(after)))
	}
	gone, all := linesGone(string(before.Data), after)
	if p.Destructive = 2*gone > all; p.Destructive {
		p.Detail = joined(p.Detail, fmt.Sprintf("takes out %d of %s", gone, wording.Counted(all, "line")))
	}
	p.show(string(before.Data), after)
}

// show fills in the diffs. Where they are not whole the detail, which stands first, says so.
func (p *Proposal) show(before, after string) {
	p.Diff, _ = TextDiff(p.Path, before, after)
	var whole bool
	p.Prose, whole = prose(p.Path, before, after)
	p.Pick = whole && before != "" && len(p.Prose.Hunks) > 1
	if !whole {
		p.Detail = joined(p.Detail, "too long to be shown whole")
	}
}

// contentsText says what is moved or deleted.
func contentsText(c vault.Contents) string {
	if !c.Folder {
		return "file, " + wording.ExactSize(c.Bytes)
	}
	text := "folder with " + wording.Counted(c.Notes, "note") + namedNotes(c)
	if c.Files == 0 && c.Folders == 0 {
		text = "empty folder"
	}
	if other := c.Files - c.Notes; other > 0 {
		text += ", " + wording.Counted(other, "other file")
	}
	if c.Folders > 0 {
		text += ", " + wording.Counted(c.Folders, "folder")
	}
	if c.Files > 0 {
		text += ", " + wording.ExactSize(c.Bytes)
	}
	if c.Hidden {
		text += ", and hidden files"
	}
	if !c.Whole {
		text += ", and more that was not counted"
	}
	return text
}

// maxNoteName bounds the name of a note among those that are named, in bytes.
const maxNoteName = 60

// namedNotes names the first notes of a folder, so that it can be told from another.
func namedNotes(c vault.Contents) string {
	if len(c.Names) == 0 {
		return ""
	}
	names := make([]string, len(c.Names))
	for i, n := range c.Names {
		names[i] = wording.Shorten(wording.PlainName(n), maxNoteName)
	}
	text := strings.Join(names, ", ")
	if more := c.Notes - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return " (" + text + ")"
}

// madeFolders says which folders are made for a change, empty where none are.
func madeFolders(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return "makes the folder " + wording.PlainName(path.Clean(folders[len(folders)-1]))
}

// joined are the parts of a detail that say something.
func joined(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "; ")
}

// TextDiff is a unified diff from one text to another, bounded in size, where what it leaves
// out is said and cut is true. Line ends are told apart: nothing that changes is hidden but by
// the bounds.
func TextDiff(name, before, after string) (text string, cut bool) {
	return boundedTextDiff(name, before, after, proposalMaxLines, proposalMaxLineBytes, proposalMaxBytes)
}

// resultDiff is textDiff with the bounds of a result.
func resultDiff(name, before, after string) string {
	text, _ := boundedTextDiff(name, before, after, diffMaxLines, diffMaxLineBytes, diffMaxBytes)
	return text
}

func boundedTextDiff(name, before, after string, maxLines, maxLineBytes, maxBytes int) (text string, cut bool) {
	if before == after {
		return "", false
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
		window, now, cut = withShortLines(window, maxLineBytes), withShortLines(now, maxLineBytes), true
	}
	u, err := udiff.ToUnifiedDiff(from, to, window, udiff.Lines(window, now), diffContext)
	if err != nil {
		return fmt.Sprintf("[no diff: %v]", err), true
	}
	skipped := strings.Count(before[:head], "\n")
	for _, h := range u.Hunks {
		h.FromLine += skipped
		h.ToLine += skipped
		for i, l := range h.Lines {
			h.Lines[i].Content = diffLine(l.Content, maxLineBytes)
			cut = cut || len(l.Content) > maxLineBytes
		}
	}
	whole := strings.TrimSuffix(u.String(), "\n")
	text = boundedDiff(whole, 0, maxLines, maxBytes)
	return text, cut || text != whole
}

// differing is the window of whole lines in which two texts differ: where it begins in both,
// and ends in each. To compare more would cost time and change nothing.
func differing(before, after string) (head, endOld, endNew int) {
	head = lineBegin(before, commonHead(before, after))
	tail := commonTail(before[head:], after[head:])
	endOld, endNew = len(before)-tail, len(after)-tail
	if whole := lineLimit(before, endOld); endOld > head && before[endOld-1] != '\n' || endNew > head && after[endNew-1] != '\n' {
		endOld, endNew = whole, endNew+whole-endOld
	}
	return head, endOld, endNew
}

// commonHead and commonTail are how many bytes two texts begin and end with alike.
func commonHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// linesGone counts the lines of a text that are not blank, and those of them that a change
// takes out. A line that is only moved, or keeps half of its text, stays.
func linesGone(before, after string) (gone, all int) {
	all = len(solidLines(before))
	head, endOld, endNew := differing(before, after)
	window := before[head:endOld]
	var lost []string
	brought := map[string]int{}
	for _, e := range udiff.Lines(window, after[head:endNew]) {
		old, fresh := solidLines(window[e.Start:e.End]), solidLines(e.New)
		for i, line := range old {
			if i >= len(fresh) || !akin(line, fresh[i]) {
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

// akin says whether a line keeps half of its text.
func akin(before, after string) bool {
	head := commonHead(before, after)
	return 2*(head+commonTail(before[head:], after[head:])) >= len(before)
}

// solidLines are the lines of a text that are not blank, without the space around them.
func solidLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
