package textedit

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"chatvault/tools/wording"
)

// hintMaxBytes is the maximum size of a file that is searched for what a missing old_text was meant to be.
const hintMaxBytes = 4 << 20

const copyExactly = "Copy the text exactly as read_file shows it, without its line numbers."

// whyNotFound describes what the file has instead of old, both with line feeds only: the same text with another
// spelling, or its beginning.
func whyNotFound(view, old string) string {
	if len(view) > hintMaxBytes || strings.TrimSpace(old) == "" {
		return copyExactly
	}
	if near := similar(view, old); near != "" {
		return near
	}
	if bare := withoutNumbers(old); bare != old && strings.Contains(view, bare) {
		return "It is there without the line numbers that read_file puts before each line; leave them out."
	}
	if first, _, more := strings.Cut(old, "\n"); more && strings.TrimSpace(first) != "" {
		if at := strings.Index(view, first+"\n"); at >= 0 {
			return fmt.Sprintf("Its first line is on line %d, but what follows differs. %s", 1+strings.Count(view[:at], "\n"), copyExactly)
		}
	}
	return "The file has nothing like it; read the file again with read_file."
}

// similar describes where view has old apart from whitespace, case, typographic characters and the Unicode form of
// accents, or returns "".
func similar(view, old string) string {
	wanted, _ := foldText(old)
	folded, starts := foldText(view)
	at := strings.Index(folded, strings.TrimSpace(wanted))
	if at < 0 {
		return ""
	}
	line := 1 + sort.SearchInts(starts, at+1)
	return fmt.Sprintf("Line %d has it with different whitespace, case or punctuation: %s. %s", line, shownLine(view, line), copyExactly)
}

// foldText normalizes a text: one space for each run of whitespace, lower case, plain signs. starts has the folded
// offset of each line but the first.
func foldText(s string) (folded string, starts []int) {
	var b strings.Builder
	b.Grow(len(s))
	inSpace := false
	for _, r := range norm.NFC.String(s) {
		text, ok := plainSigns[r]
		switch {
		case unicode.IsSpace(r):
			text = " "
		case !ok:
			text = string(unicode.ToLower(r))
		}
		if text != " " || !inSpace {
			b.WriteString(text)
		}
		inSpace = text == " "
		if r == '\n' {
			starts = append(starts, b.Len())
		}
	}
	return b.String(), starts
}

var plainSigns = map[rune]string{
	'‘': "'", '’': "'", '‚': "'", '′': "'",
	'“': `"`, '”': `"`, '„': `"`, '«': `"`, '»': `"`,
	'‐': "-", '‑': "-", '–': "-", '—': "-", '−': "-",
	'…': "...",
}

var lineNumber = regexp.MustCompile(`(?m)^[\t\f\r ]*\d+: ?`)

// withoutNumbers removes the line numbers of read_file if every line has one.
func withoutNumbers(s string) string {
	if len(lineNumber.FindAllStringIndex(s, -1)) <= strings.Count(strings.TrimSuffix(s, "\n"), "\n") {
		return s
	}
	return lineNumber.ReplaceAllString(s, "")
}

// shownLine quotes a line of the view.
func shownLine(view string, line int) string {
	for text := range strings.Lines(view) {
		if line--; line == 0 {
			return fmt.Sprintf("%q", wording.Shorten(strings.TrimSuffix(text, "\n"), 200))
		}
	}
	return `""`
}
