package page

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/config"
	"chatvault/internal/terminal/output"
)

// Ink styles words on a terminal, without colours of its own; false disables styles.
type Ink bool

// NewInk returns styles for a terminal, given TERM, unless the theme is none.
func NewInk(out *output.Writer, kind, theme string) Ink {
	return Ink(out.IsTerminal() && theme != config.ThemeNone && kind != "" && kind != "dumb")
}

// Bold emphasizes text.
func (i Ink) Bold(text string) string { return i.set(output.Bold, text) }
func (i Ink) dim(text string) string  { return i.set(output.Dim, text) }

// mark highlights matches of a search.
func (i Ink) mark(text string) string { return i.set(output.Marked, text) }

func (i Ink) set(style output.Style, text string) string {
	if !bool(i) || text == "" {
		return text
	}
	return style.Set(text)
}

// DiffLine styles a line of a unified diff by its kind.
func (i Ink) DiffLine(line string) string {
	switch {
	case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
		return i.Bold(line)
	case strings.HasPrefix(line, "+"):
		return i.set(output.Green, line)
	case strings.HasPrefix(line, "-"):
		return i.set(output.Red, line)
	case strings.HasPrefix(line, "@@"):
		return i.set(output.Cyan, line)
	}
	return line
}

// Emphasised returns text with the words of a query marked, ignoring case and Unicode form like the search.
func (i Ink) Emphasised(text, query string) string {
	if !i {
		return text
	}
	text = norm.NFC.String(text)
	var b strings.Builder
	at := 0
	for _, r := range occurrences(text, query) {
		b.WriteString(text[at:r.from] + i.mark(text[r.from:r.to]))
		at = r.to
	}
	return b.String() + text[at:]
}

// stretch is a range of a text, in bytes.
type stretch struct{ from, to int }

// occurrences returns the sorted, disjoint ranges of a query's words in a text in NFC.
func occurrences(text, query string) []stretch {
	var lower strings.Builder
	var origin []int // for each byte of lower, the offset of its rune in text
	for at, r := range text {
		n := lower.Len()
		lower.WriteRune(unicode.ToLower(r))
		for range lower.Len() - n {
			origin = append(origin, at)
		}
	}
	origin = append(origin, len(text))
	var all []stretch
	for word := range strings.FieldsSeq(strings.ToLower(norm.NFC.String(query))) {
		for at := 0; ; {
			n := strings.Index(lower.String()[at:], word)
			if n < 0 {
				break
			}
			all = append(all, stretch{origin[at+n], origin[at+n+len(word)]})
			at += n + len(word)
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.from - b.from })
	merged := all[:0]
	for _, s := range all {
		if n := len(merged); n > 0 && s.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}
