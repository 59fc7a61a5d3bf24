package tty

import (
	"slices"
	"strings"
)

// modern lists the values of TERM, and programs those of TERM_PROGRAM, of terminals that support hyperlinks.
var (
	modern   = []string{"alacritty", "contour", "foot", "foot-extra", "ghostty", "xterm-ghostty", "rio", "wezterm", "xterm-kitty"}
	programs = []string{"iTerm.app", "vscode", "WezTerm", "ghostty", "Hyper", "rio", "Tabby"}
)

// Hyperlinks reports whether the terminal is known to support hyperlinks (OSC 8), judging by the environment; other
// terminals may print the sequence.
func Hyperlinks(getenv func(string) string) bool {
	kind := strings.ToLower(getenv("TERM"))
	switch {
	case kind == "" || kind == "dumb" || kind == "linux":
		return false
	case getenv("TMUX") != "" || strings.HasPrefix(kind, "tmux"):
		// tmux drops links if the outer terminal does not support them.
		return getenv("TERM_PROGRAM") == "tmux"
	case getenv("STY") != "" || getenv("ZELLIJ") != "" || strings.HasPrefix(kind, "screen"):
		return false
	}
	return getenv("VTE_VERSION")+getenv("KONSOLE_VERSION")+getenv("WT_SESSION") != "" || slices.Contains(modern, kind) || slices.Contains(programs, getenv("TERM_PROGRAM"))
}
