package page

import (
	"strings"

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
