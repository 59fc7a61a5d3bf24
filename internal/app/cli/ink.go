package cli

import (
	"strings"

	"chatvault/internal/app/config"
	"chatvault/internal/base/terminal/output"
)

// ink styles words on a terminal, without colors of its own; false disables styles.
type ink bool

// ink returns the styles for standard output.
func (s Streams) ink(cfg *config.Config) ink {
	kind := s.getenv("TERM")
	return ink(s.Out.IsTerminal() && cfg.Theme.V != config.ThemeNone && kind != "" && kind != "dumb")
}

func (i ink) set(style output.Style, text string) string {
	if !bool(i) || text == "" {
		return text
	}
	return style.Set(text)
}

func (i ink) bold(text string) string { return i.set(output.Bold, text) }

// diffLine styles a line of a unified diff by its kind.
func (i ink) diffLine(line string) string {
	switch {
	case strings.HasPrefix(line, "+++") || strings.HasPrefix(line, "---"):
		return i.bold(line)
	case strings.HasPrefix(line, "+"):
		return i.set(output.Green, line)
	case strings.HasPrefix(line, "-"):
		return i.set(output.Red, line)
	case strings.HasPrefix(line, "@@"):
		return i.set(output.Cyan, line)
	}
	return line
}
