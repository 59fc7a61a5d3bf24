package tty

import (
	"slices"
	"strings"

	"chatvault/internal/base/text"
)

// modern lists the values of TERM of terminals that support hyperlinks.
var modern = []string{"alacritty", "contour", "foot", "foot-extra", "ghostty", "xterm-ghostty", "rio", "wezterm", "xterm-kitty"}

// Hyperlinks reports whether the terminal is known to support hyperlinks (OSC 8), judging by the environment; other
// terminals may print the sequence. FORCE_HYPERLINK, a variable shared with other programs, takes precedence: 0 means
// no.
func Hyperlinks(getenv func(string) string) bool {
	kind := strings.ToLower(getenv("TERM"))
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0" && force != "false"
	}
	switch {
	case kind == "" || kind == "dumb" || kind == "linux":
		return false
	case getenv("TMUX") != "" || strings.HasPrefix(kind, "tmux"):
		// tmux drops links if the outer terminal does not support them.
		return getenv("TERM_PROGRAM") == "tmux" && text.AtLeast(strings.TrimPrefix(getenv("TERM_PROGRAM_VERSION"), "next-"), 3, 4)
	case getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(kind, "screen"):
		return false
	case text.AtLeast(getenv("VTE_VERSION"), 5000), text.AtLeast(getenv("KONSOLE_VERSION"), 201200), getenv("WT_SESSION") != "", slices.Contains(modern, kind):
		return true
	}
	switch version := getenv("TERM_PROGRAM_VERSION"); getenv("TERM_PROGRAM") {
	case "iTerm.app":
		return text.AtLeast(version, 3, 1)
	case "vscode":
		return text.AtLeast(version, 1, 72)
	case "WezTerm", "ghostty", "Hyper", "rio", "Tabby":
		return true
	}
	return false
}
