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

// Limits of the search for what a missing old_text was meant to be.
const (
	hintMaxBytes     = 4 << 20 // of the file
	hintMaxLines     = 50_000
	hintMaxLineBytes = 400
	hintMaxCompared  = 2_000_000 // lines compared to find where old_text differs from the file
	hintLeastAlike   = 0.5
)

const copyExactly = "Copy the text exactly as read_file shows it, without its line numbers."

// whyNotFound describes what the file has instead of old, both with line feeds only: the same text with another
// spelling, or the nearest line.
func whyNotFound(view, old string) string {
	if len(view) > hintMaxBytes || strings.TrimSpace(old) == "" {
		return copyExactly
	}
	if near := Similar(view, old); near != "" {
		return near
	}
	if bare := withoutNumbers(old); bare != old && strings.Contains(view, bare) {
		return "It is there without the line numbers that read_file puts before each line; leave them out."
	}
	if text := whereLinesPart(view, old); text != "" {
		return text
	}
	if line := nearestLine(view, old); line > 0 {
		return fmt.Sprintf("The nearest line is %d: %s. %s", line, shownLine(view, line), copyExactly)
	}
	return "Nothing in the file is similar; read the file again with read_file."
}

// Similar describes where view has old with another spelling, or returns "".
func Similar(view, old string) string {
	line := similarText(view, old)
	if line == 0 {
		return ""
	}
	return fmt.Sprintf("Line %d has it with different whitespace, case or punctuation: %s. %s", line, shownLine(view, line), copyExactly)
}

// similarText returns the line of view on which the first text starts that equals old apart from whitespace, case,
// typographic characters and the Unicode form of accents, or 0.
func similarText(view, old string) int {
	wanted, _ := foldText(old)
	folded, starts := foldText(view)
	at := strings.Index(folded, strings.TrimSpace(wanted))
	if at < 0 {
		return 0
	}
	return 1 + sort.SearchInts(starts, at+1)
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

// whereLinesPart describes where the file differs from a multi-line old whose first lines it has, or returns "". The
// first line may start mid-line.
func whereLinesPart(view, old string) string {
	wanted := strings.Split(old, "\n")
	if len(wanted) < 2 || strings.TrimSpace(wanted[0]) == "" {
		return ""
	}
	lines := strings.Split(view, "\n")
	best, bestLine := 0, 0
	for i, compared := 0, 0; i < len(lines) && compared < hintMaxCompared; i++ {
		n := 0
		for n < len(wanted)-1 && i+n < len(lines) && (lines[i+n] == wanted[n] || n == 0 && strings.HasSuffix(lines[i], wanted[0])) {
			n++
		}
		compared += 1 + n
		if n > best {
			best, bestLine = n, i+1
		}
	}
	if best == 0 {
		return ""
	}
	part := bestLine + best
	if part > len(lines) || part == len(lines) && lines[part-1] == "" {
		return fmt.Sprintf("Its beginning is on line %d, but the file ends before it does. %s", bestLine, copyExactly)
	}
	return fmt.Sprintf("Its beginning is on line %d, but line %d differs: the file has %s, old_text has %q. %s",
		bestLine, part, shownLine(view, part), wording.Shorten(wanted[best], 120), copyExactly)
}

// nearestLine returns the number of the line most similar to old's first nonblank line, by Dice's coefficient over
// letter pairs, or 0.
func nearestLine(view, old string) int {
	wanted := strings.TrimSpace(old)
	wanted, _, _ = strings.Cut(wanted, "\n")
	wanted = wording.CutAt(strings.ToLower(strings.TrimSpace(wanted)), hintMaxLineBytes)
	pairs := make(map[[2]byte]int)
	for i := 0; i+1 < len(wanted); i++ {
		pairs[[2]byte{wanted[i], wanted[i+1]}]++
	}
	best, bestAlike := 0, hintLeastAlike
	number := 0
	for line := range strings.Lines(view) {
		number++
		if number > hintMaxLines {
			break
		}
		line = wording.CutAt(strings.ToLower(strings.TrimSpace(line)), hintMaxLineBytes)
		if alike := diceCoefficient(pairs, len(wanted)-1, line); alike > bestAlike {
			best, bestAlike = number, alike
		}
	}
	return best
}

// diceCoefficient returns twice the number of shared byte pairs divided by the number of all pairs.
func diceCoefficient(pairs map[[2]byte]int, count int, line string) float64 {
	if count < 1 || len(line) < 2 {
		return 0
	}
	used := make(map[[2]byte]int)
	shared := 0
	for i := 0; i+1 < len(line); i++ {
		pair := [2]byte{line[i], line[i+1]}
		if used[pair] < pairs[pair] {
			used[pair]++
			shared++
		}
	}
	return 2 * float64(shared) / float64(count+len(line)-1)
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
