package tty

import (
	"slices"
	"strings"

	"chatvault/internal/text"
)

// modern are the values of TERM of terminals that have links.
var modern = []string{"alacritty", "contour", "foot", "foot-extra", "ghostty", "xterm-ghostty", "rio", "wezterm", "xterm-kitty"}

// Hyperlinks reads from the environment whether the terminal has links (OSC 8). It says so only of
// terminals that are known to: one that does not know the sequence may print it.
// FORCE_HYPERLINK, which other programs read, too, decides where it is set: 0 means no.
func Hyperlinks(getenv func(string) string) bool {
	kind := strings.ToLower(getenv("TERM"))
	if force := getenv("FORCE_HYPERLINK"); force != "" {
		return force != "0" && force != "false"
	}
	switch {
	case kind == "" || kind == "dumb" || kind == "linux":
		return false
	case getenv("TMUX") != "" || strings.HasPrefix(kind, "tmux"):
		// tmux keeps links to itself where the terminal outside has none.
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
