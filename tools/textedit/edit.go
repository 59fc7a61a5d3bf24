package textedit

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"chatvault/tools/wording"
)

// Edit is a planned change of a file.
type Edit struct {
	Splices []Splice
	Summary string // "Replaced 3 occurrences in \"a.md\"."
}

// Rewrite returns the edit that makes text the view of the file.
func (f *File) Rewrite(text, summary string) Edit {
	return Edit{Splices: []Splice{f.trim(Splice{End: len(f.View), text: text})}, Summary: summary}
}

// maxLineNumbers is the maximum number of line numbers in an error.
const maxLineNumbers = 20

// Has reports whether ReplaceText finds a text.
func (f *File) Has(text string) bool {
	text, _ = f.inOwnForm(text, "")
	return strings.Contains(f.View, text)
}

// inOwnForm returns a text and its replacement with line ends and composed characters as the file has them.
func (f *File) inOwnForm(old, replacement string) (string, string) {
	old, replacement = f.incoming(old), f.incoming(replacement)
	for _, form := range []norm.Form{norm.NFC, norm.NFD} { // models write composed characters, whatever they read
		if own := form.String(old); !strings.Contains(f.View, old) && strings.Contains(f.View, own) {
			return own, form.String(replacement)
		}
	}
	return old, replacement
}

// ReplaceText returns the replacement of old, which must occur exactly once, or of every occurrence. The error is a
// sentence for the model.
func ReplaceText(f *File, name, old, replacement string, all bool) (Edit, error) {
	old, replacement = f.inOwnForm(old, replacement)
	if old == "" {
		return Edit{}, wording.Sentence("old_text is empty. Give the text to replace, or use insert_after_line with content to add text.")
	}
	if old == replacement {
		return Edit{}, wording.Sentence("old_text and new_text are the same (line ends stay as the file has them); nothing would change.")
	}
	first := strings.Index(f.View, old)
	if first < 0 {
		return Edit{}, wording.Sentence("old_text was not found in %s. %s", wording.Quote(name), whyNotFound(f.View, old))
	}
	// Overlapping occurrences count: "aa" in "aaa" is ambiguous.
	if second := strings.Index(f.View[first+1:], old); second >= 0 && !all {
		return Edit{}, ambiguousMatch(f, name, old)
	}
	var splices []Splice
	for at := first; ; {
		splices = append(splices, f.trim(Splice{Start: at, End: at + len(old), text: replacement}))
		next := strings.Index(f.View[at+len(old):], old)
		if next < 0 || !all {
			break
		}
		at += len(old) + next
	}
	return Edit{
		Splices: splices,
		Summary: fmt.Sprintf("Replaced %s in %s.", wording.Counted(len(splices), "occurrence"), wording.Quote(name)),
	}, nil
}

// ambiguousMatch describes on which lines old begins, the first of them if there are many.
func ambiguousMatch(f *File, name, old string) error {
	var numbers []string
	for line, at := 1, 0; len(numbers) < maxLineNumbers; {
		next := strings.Index(f.View[at:], old)
		if next < 0 {
			break
		}
		line += strings.Count(f.View[at:at+next], "\n")
		numbers = append(numbers, strconv.Itoa(line))
		line, at = line+1, lineLimit(f.View, at+next)
	}
	return wording.Sentence("old_text was found %d times in %s (lines %s). "+
		`Add lines around it so that it matches only one place, or set "replace_all": true to replace all of them.`,
		max(2, strings.Count(f.View, old)), wording.Quote(name), strings.Join(numbers, ", "))
}

// InsertLines returns the insertion of content after line n (0: at the top). The content's final line end is
// optional; a line feed alone is a blank line.
func InsertLines(f *File, name, content string, n int) (Edit, error) {
	total := f.lines()
	if n > total {
		return Edit{}, wording.Sentence("%s has %s; the line to insert at is past its end. Use insert_after_line %d to add at the end.",
			wording.Quote(name), wording.Counted(total, "line"), total)
	}
	text := f.incoming(content)
	if text == "" {
		return Edit{}, wording.Sentence(`content is empty; nothing would change. Use "\n" for a blank line.`)
	}
	ended := strings.HasSuffix(text, "\n")
	text = strings.TrimSuffix(text, "\n")
	count := 1 + strings.Count(text, "\n")
	at := f.lineStart(n + 1)
	switch {
	case f.View == "":
		if ended {
			text += "\n"
		}
	case at == len(f.View) && !strings.HasSuffix(f.View, "\n"):
		if text == "" || strings.HasSuffix(text, "\n") {
			text += "\n" // a blank last line needs its line end
		}
		text = "\n" + text // keep a file without a final line end
	default:
		text += "\n"
	}
	return Edit{
		Splices: []Splice{{Start: at, End: at, text: text}},
		Summary: fmt.Sprintf("Inserted %s after line %d in %s.", wording.Counted(count, "line"), n, wording.Quote(name)),
	}, nil
}

// DeleteLines returns the deletion of lines first to last.
func DeleteLines(f *File, name string, first, last int) (Edit, error) {
	total := f.lines()
	switch {
	case first > last:
		return Edit{}, wording.Sentence("delete_lines.start %d is after delete_lines.end %d. Give the smaller number as start.", first, last)
	case last > total:
		return Edit{}, wording.Sentence("delete_lines.end %d is past the end of %s, which has %s.", last, wording.Quote(name), wording.Counted(total, "line"))
	}
	start, end := f.lineStart(first), f.lineStart(last+1)
	if last == total && start > 0 && !strings.HasSuffix(f.View, "\n") {
		start-- // the previous line becomes the last, still without a line end
	}
	return Edit{
		Splices: []Splice{{Start: start, End: end}},
		Summary: fmt.Sprintf("Deleted lines %d-%d (%s) in %s.", first, last, wording.Counted(last-first+1, "line"), wording.Quote(name)),
	}, nil
}
