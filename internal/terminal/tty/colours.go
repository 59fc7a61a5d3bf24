package tty

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"chatvault/internal/text"
)

// Background is the terminal's background, as far as it is known.
type Background int

// The backgrounds.
const (
	Unknown Background = iota
	Dark
	Light
)

// QueryWait is how long Background should wait: a terminal on the same machine
// answers within a millisecond, over a network within a few dozen.
const QueryWait = 100 * time.Millisecond

// query asks for the background colour (OSC 11) and then for the device's
// attributes (DA1), which every terminal knows: when that answer comes there
// will be no other.
const query = "\x1b]11;?\x1b\\\x1b[c"

// Background finds out what the background is: from COLORFGBG, which some
// terminals set, else by asking the terminal, which must be open. It takes at
// most the time given. What is typed meanwhile is kept, and an answer that comes
// later never reaches the program.
func (t *Terminal) Background(getenv func(string) string, wait time.Duration) Background {
	if b := fromEnvironment(getenv); b != Unknown {
		return b
	}
	if kind := getenv("TERM"); kind == "" || kind == "dumb" || kind == "linux" || strings.HasPrefix(kind, "vt52") {
		return Unknown // it cannot be asked at all
	}
	t.mu.Lock()
	asked := t.open && t.reading != nil && t.ask()
	t.mu.Unlock()
	if !asked {
		return Unknown
	}
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		select {
		case r := <-t.replies:
			if spec, ok := strings.CutPrefix(r.body, "11;"); ok && r.kind == "osc" {
				return ofColour(spec)
			}
			if r.kind == "csi" && strings.HasSuffix(r.body, "c") {
				return Unknown
			}
		case <-t.gone:
			return Unknown
		case <-deadline.C:
			return Unknown
		}
	}
}

// ask writes the query; false when it must not be written: to no terminal, or
// from the background of the shell, where it would stop the process.
func (t *Terminal) ask() bool {
	out := os.Stdout
	if !term.IsTerminal(int(out.Fd())) {
		if out = t.file; !t.owned {
			return false
		}
	}
	if !foreground(t.file) {
		return false
	}
	_, err := out.WriteString(query)
	return err == nil
}

// fromEnvironment reads COLORFGBG: "15;0" or "15;default;0", the last of them the
// background's number among the sixteen colours. The Linux console, which may
// print a query instead of answering it, is dark.
func fromEnvironment(getenv func(string) string) Background {
	v := getenv("COLORFGBG")
	if i := strings.LastIndexByte(v, ';'); i >= 0 {
		switch n, err := strconv.Atoi(v[i+1:]); {
		case err != nil || n < 0 || n > 15:
		case n <= 6 || n == 8:
			return Dark
		default:
			return Light
		}
	}
	if getenv("TERM") == "linux" {
		return Dark
	}
	return Unknown
}

// ofColour says whether a colour in the forms of XParseColor that terminals
// answer with, rgb:RRRR/GGGG/BBBB, rgba:… or #RRGGBB, is dark or light.
func ofColour(spec string) Background {
	var parts []string
	if hex, ok := strings.CutPrefix(spec, "#"); ok && len(hex)%3 == 0 && len(hex) > 0 {
		n := len(hex) / 3
		parts = []string{hex[:n], hex[n : 2*n], hex[2*n:]}
	} else if _, values, ok := strings.Cut(spec, ":"); ok && strings.HasPrefix(spec, "rgb") {
		parts = strings.Split(values, "/")
	}
	if len(parts) < 3 {
		return Unknown
	}
	// Luma as in ITU-R BT.601: what is seen as light, near enough.
	luma := 0.0
	for i, weight := range [3]float64{0.299, 0.587, 0.114} {
		n := len(parts[i])
		v, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil || n > 4 {
			return Unknown
		}
		luma += weight * float64(v) / float64(uint64(1)<<(4*n)-1)
	}
	if luma > 0.5 {
		return Light
	}
	return Dark
}

// A Profile is how many colours a terminal shows.
type Profile string

// The profiles.
const (
	NoColor   Profile = "none"
	Colors16  Profile = "16"
	Colors256 Profile = "256"
	TrueColor Profile = "truecolor"
)

// modern are the values of TERM of terminals that have all colours, and links.
var modern = []string{"alacritty", "contour", "foot", "foot-extra", "ghostty", "xterm-ghostty", "rio", "wezterm", "xterm-kitty"}

// ColorProfile reads from the environment how many colours the terminal shows.
// NO_COLOR (https://no-color.org), set to anything, and TERM=dumb mean none.
func ColorProfile(getenv func(string) string) Profile {
	kind := strings.ToLower(getenv("TERM"))
	if kind == "" && getenv("WT_SESSION") != "" {
		kind = "xterm" // Windows Terminal sets no TERM
	}
	if getenv("NO_COLOR") != "" || getenv("CLICOLOR") == "0" || kind == "" || kind == "dumb" {
		return NoColor
	}
	multiplexed := strings.HasPrefix(kind, "screen") || strings.HasPrefix(kind, "tmux")
	switch strings.ToLower(getenv("COLORTERM")) {
	case "truecolor", "24bit":
		// Set by the terminal outside; tmux converts what that cannot show, GNU
		// screen does not.
		if !strings.HasPrefix(kind, "screen") || getenv("TMUX") != "" {
			return TrueColor
		}
		return Colors256
	}
	if strings.HasSuffix(kind, "-direct") {
		return TrueColor
	}
	if program := getenv("TERM_PROGRAM"); !multiplexed && (slices.Contains(modern, kind) ||
		slices.Contains([]string{"iTerm.app", "vscode", "WezTerm", "ghostty"}, program) || getenv("WT_SESSION") != "") {
		return TrueColor
	}
	switch {
	case strings.Contains(kind, "256color"), multiplexed:
		return Colors256
	case strings.HasPrefix(kind, "vt1"), strings.HasPrefix(kind, "vt2"):
		return NoColor
	}
	return Colors16
}

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
