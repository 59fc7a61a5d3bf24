package markdown

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// span is a run of text in one style. open begins the style; empty is plain. A newline breaks the line.
type span struct {
	text string
	open string
	ref  uint16 // number of its reference, from 1, or 0
}

// Lip Gloss breaks lines at spaces, hyphens and the given runes. breakHere marks a possible break within a word. A
// hyphen is replaced by a noncharacter, so that numbers, dates and options are not broken.
const (
	breakHere   = "\u200b"
	plainHyphen = "\ufdd1"
)

var unmark = strings.NewReplacer(breakHere, "", plainHyphen, "-", ansi.ResetStyle, theme.Reset)

// wrap breaks spans into lines of at most width cells. Each line is complete in itself. A line break removes the
// surrounding spaces; leading spaces of the text remain.
func wrap(spans []span, width int) []string {
	var b strings.Builder
	for i, s := range spans {
		if i == len(spans)-1 {
			s.text = strings.TrimSuffix(s.text, "\n")
		}
		if s.text == "" {
			continue
		}
		if s.ref != 0 {
			b.WriteString(openRef(s.ref))
		}
		b.WriteString(s.open)
		breakable(&b, s.text)
		if s.open != "" {
			b.WriteString(theme.Reset)
		}
		if s.ref != 0 {
			b.WriteString(markEnd)
		}
	}
	width = max(width, 2) // the width of the widest characters
	var lines []string
	for narrow, over := width, 1; over > 0; narrow = max(narrow-over, 2) {
		lines = strings.Split(unmark.Replace(lipgloss.Wrap(b.String(), narrow, breakHere)), "\n")
		if over = excess(lines, width); narrow == 2 {
			break
		}
	}
	for i := 0; i < len(lines); i++ {
		// Lip Gloss puts a word of exactly the width behind a single cell, and counts a keycap as one cell.
		if l := lines[i]; len(l) > width && ansi.StringWidth(l) > width {
			fits := phrase.Fit(l, width)
			lines = slices.Replace(lines, i, i+1, fits, ansi.TruncateLeft(l, ansi.StringWidth(fits), ""))
		}
	}
	return lines
}

// excess returns by how many cells lines exceed the width in a terminal that draws the code points of a grapheme cluster
// (a family emoji, a Hindi syllable) side by side, and cuts what does not fit.
func excess(lines []string, width int) (over int) {
	for _, l := range lines {
		if len(l) > width && strings.IndexFunc(l, func(r rune) bool { return r >= 0x300 }) >= 0 {
			over = max(over, ansi.StringWidthWc(l)-width)
		}
	}
	return over
}

// breakable writes text with marks at possible breaks within words, by the Unicode line breaking algorithm.
func breakable(b *strings.Builder, text string) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x1100 || r == '-' || r == '/' || r == '\t' }) < 0 {
		b.WriteString(text)
		return
	}
	text = strings.ReplaceAll(text, "\t", "    ")
	for state := -1; text != ""; {
		var part string
		part, text, _, state = uniseg.FirstLineSegmentInString(text, state)
		b.WriteString(strings.ReplaceAll(part, "-", plainHyphen))
		if text != "" && strings.TrimRight(part, " \n") == part && part != "-" && !strings.HasSuffix(part, "--") { // no option is broken
			b.WriteString(breakHere)
		}
	}
}

// wrapCode is wrap for code: continuation lines keep the indentation.
func wrapCode(spans []span, width int) []string {
	var out []string
	var line []span
	end := func() {
		indent := 0
		for i := range line {
			text := strings.ReplaceAll(line[i].text, "\t", "    ")
			line[i].text = strings.TrimLeft(text, " ")
			indent += len(text) - len(line[i].text)
			if line[i].text != "" {
				break
			}
		}
		indent = min(indent, width/2)
		pad := strings.Repeat(" ", indent)
		out = append(out, Prefix(wrap(line, width-indent), pad, pad)...)
		line = line[:0]
	}
	for _, s := range spans {
		text, rest, more := strings.Cut(s.text, "\n")
		for ; more; text, rest, more = strings.Cut(rest, "\n") {
			line = append(line, span{text, s.open, s.ref})
			end()
		}
		line = append(line, span{text, s.open, s.ref})
	}
	end()
	return out
}

// Wrap breaks plain text into lines of at most width cells, in the style open, which may be empty. Newlines are kept.
func Wrap(text, open string, width int) []string {
	return wrap([]span{{text: strings.TrimRight(text, "\n"), open: open}}, width)
}
