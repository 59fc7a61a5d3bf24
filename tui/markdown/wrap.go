package markdown

import (
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"chatvault/internal/base/cells"
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
	width = max(width, 2) // the width of the widest characters
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
		breakable(&b, s.text, width)
		if s.open != "" {
			b.WriteString(theme.Reset)
		}
		if s.ref != 0 {
			b.WriteString(markEnd)
		}
	}
	lines := breakLines(b.String(), width)
	for i := 0; i < len(lines); i++ {
		// A word of exactly the width is put behind a single cell, and a keycap is counted as one.
		if l := lines[i]; len(l) > width && cells.Width(l) > width {
			if fits := cells.Truncate(l, width, ""); cells.Width(fits) > 0 {
				lines = slices.Replace(lines, i, i+1, fits, cells.TruncateLeft(l, cells.Width(fits), ""))
			}
		}
	}
	return lines
}

// breakLines is lipgloss.Wrap with the widths of the terminal.
func breakLines(text string, width int) []string {
	var b strings.Builder
	w := lipgloss.NewWrapWriter(&b)
	_, _ = io.WriteString(w, cells.Method().Wrap(text, width, breakHere))
	_ = w.Close()
	return strings.Split(unmark.Replace(b.String()), "\n")
}

// apart marks breaks within grapheme clusters wider than a line, whose code points are drawn side by side.
func apart(text string, width int) string {
	var b strings.Builder
	for text != "" {
		cluster, n := ansi.FirstGraphemeCluster(text, cells.Method())
		if text = text[len(cluster):]; n > width {
			cluster = strings.Join(strings.Split(cluster, ""), breakHere)
		}
		b.WriteString(cluster)
	}
	return b.String()
}

// breakable writes text with marks at possible breaks within words, by the Unicode line breaking algorithm.
func breakable(b *strings.Builder, text string, width int) {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x900 || r == '-' || r == '/' || r == '\t' }) < 0 {
		b.WriteString(text)
		return
	}
	text = strings.ReplaceAll(text, "\t", "    ")
	for state := -1; text != ""; {
		var part string
		part, text, _, state = uniseg.FirstLineSegmentInString(text, state)
		if len(part) > width && cells.Width(part) > width {
			part = apart(part, width)
		}
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
