package tty

import (
	"slices"
	"strings"
)

// capable lists the values of TERM and TERM_PROGRAM of terminals that support hyperlinks.
var capable = []string{
	"alacritty", "contour", "foot", "foot-extra", "ghostty", "xterm-ghostty", "rio", "wezterm", "xterm-kitty",
	"iTerm.app", "vscode", "WezTerm", "Hyper", "Tabby",
}

// Hyperlinks reports whether the terminal is known to support hyperlinks (OSC 8), judging by the environment; other
// terminals may print the sequence.
func Hyperlinks(getenv func(string) string) bool {
	kind := strings.ToLower(getenv("TERM"))
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(kind, "tmux"):
		// tmux drops links if the outer terminal does not support them.
		return getenv("TERM_PROGRAM") == "tmux"
	case slices.Contains([]string{"", "dumb", "linux"}, kind), getenv("STY")+getenv("ZELLIJ") != "", strings.HasPrefix(kind, "screen"):
		return false
	}
	return getenv("VTE_VERSION")+getenv("KONSOLE_VERSION")+getenv("WT_SESSION") != "" || slices.Contains(capable, kind) || slices.Contains(capable, getenv("TERM_PROGRAM"))
}
