package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
	lines := strings.Split(unmark.Replace(lipgloss.Wrap(b.String(), width, breakHere)), "\n")
	for i := 0; i < len(lines); i++ {
		// Lip Gloss puts a word of exactly the width behind a single cell, and counts a keycap as one cell.
		if l := lines[i]; len(l) > width && ansi.StringWidth(l) > width {
			fits := phrase.Fit(l, width)
			lines = slices.Replace(lines, i, i+1, fits, ansi.TruncateLeft(l, ansi.StringWidth(fits), ""))
		}
	}
	return lines
}

// breakable writes text with marks at possible breaks within words: at a hyphen or slash between letters, and around
// Chinese and Japanese characters.
func breakable(b *strings.Builder, text string) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x1100 || r == '-' || r == '/' || r == '\t' }) < 0 {
		b.WriteString(text)
		return
	}
	before := ' '
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		after, _ := utf8.DecodeRuneInString(text[size:])
		letters := unicode.IsLetter(before) && unicode.IsLetter(after)
		switch wide := cjk(r); {
		case r == '\t':
			b.WriteString("    ")
		case r == '-' && letters:
			b.WriteString(plainHyphen + breakHere)
		case r == '-':
			b.WriteString(plainHyphen)
		case r == '/' && letters:
			b.WriteString("/" + breakHere)
		case !wide:
			b.WriteString(text[:size])
		default:
			if before > ' ' && !strings.ContainsRune(closers, r) && !strings.ContainsRune(openers, before) {
				b.WriteString(breakHere)
			}
			b.WriteString(text[:size])
			if !cjk(after) && !strings.ContainsRune(openers, r) && !strings.ContainsRune(closers, after) && !unicode.Is(unicode.M, after) {
				b.WriteString(breakHere)
			}
		}
		before, text = r, text[size:]
	}
}

func cjk(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xff61)
}

// No line begins with a closer or ends with an opener.
const (
	closers = "、。，．・：；？！゛゜ー’”）〕］｝〉》」』】,.;:!?)]}"
	openers = "‘“（〔［｛〈《「『【([{"
)

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

func spansWidth(spans []span) int {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(strings.ReplaceAll(s.text, "\t", "    "))
	}
	return lipgloss.Width(b.String())
}
