package textedit

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hintMaxBytes is the maximum size of a file that is searched for what a missing old_text was meant to be.
const hintMaxBytes = 4 << 20

const copyExactly = "Copy the text exactly as read_file shows it, without its line numbers."

// whyNotFound describes where view has old, both with line feeds only, apart from whitespace, case, typographic
// characters and the Unicode form of accents.
func whyNotFound(view, old string) string {
	wanted, _ := foldText(old)
	if wanted = strings.TrimSpace(wanted); wanted != "" && len(view) <= hintMaxBytes {
		folded, starts := foldText(view)
		if at := strings.Index(folded, wanted); at >= 0 {
			return fmt.Sprintf("Line %d has it with different whitespace, case or punctuation. %s", 1+sort.SearchInts(starts, at+1), copyExactly)
		}
	}
	return "Read the file again with read_file. " + copyExactly
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
