package clipboard

import (
	"encoding/base64"
	"os/exec"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
)

// program is one that takes a text on its standard input.
type program struct {
	name string // to be told
	args []string
	// back prints what the clipboard holds, to be compared; nil: that is not cheap, or not to be had.
	back  []string
	utf16 bool // it takes UTF-16, little endian
	also  bool // it is run where another took the text already, too
}

// plan is how a text is copied: by the first program that takes it, else by the terminal.
type plan struct {
	programs []program
	terminal bool
	wrap     osc52.Mode // what a sequence needs to pass a multiplexer on its way to the terminal
}

// planFor decides by the setting and by what is known of where the user sits.
func planFor(setting, goos string, getenv func(string) string, find func(string) string) plan {
	var p plan
	switch setting {
	case File:
		return p
	case Native:
		p.programs = native(goos, getenv, find, false)
		return p
	case OSC52:
	default:
		p.programs = append(native(goos, getenv, find, remote(getenv)), tmux(getenv, find)...)
	}
	p.terminal = !slices.Contains([]string{"", "dumb", "linux", "vt100", "vt220", "ansi", "cons25"}, getenv("TERM"))
	switch kind := getenv("TERM"); {
	case getenv("TMUX") != "":
		p.wrap = osc52.TmuxMode
	case getenv("STY") != "" && strings.HasPrefix(kind, "screen"):
		p.wrap = osc52.ScreenMode
	}
	return p
}

// remote says that the user sits at another machine, whose clipboard the programs here do not reach.
func remote(getenv func(string) string) bool {
	return getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "" || getenv("SSH_CLIENT") != ""
}

// native are the system's programs, the likeliest first. From afar only what X forwards reaches the
// user.
func native(goos string, getenv, find func(string) string, far bool) []program {
	var all []program
	add := func(p program) {
		path := find(p.args[0])
		if path == "" {
			return
		}
		p.name, p.args[0] = p.args[0], path
		if p.back != nil {
			if path = find(p.back[0]); path == "" {
				p.back = nil
			} else {
				p.back[0] = path
			}
		}
		all = append(all, p)
	}
	if goos == "darwin" && !far {
		add(program{args: []string{"pbcopy"}, back: []string{"pbpaste"}})
	}
	if goos == "windows" && !far {
		add(program{args: []string{"clip.exe"}, utf16: true})
	}
	if getenv("WAYLAND_DISPLAY") != "" && !far {
		add(program{args: []string{"wl-copy", "--type", "text/plain;charset=utf-8"}}) // wl-paste may take the focus away
	}
	if getenv("DISPLAY") != "" {
		add(program{args: []string{"xclip", "-selection", "clipboard", "-in"}, back: []string{"xclip", "-selection", "clipboard", "-out"}})
		add(program{args: []string{"xsel", "--clipboard", "--input"}, back: []string{"xsel", "--clipboard", "--output"}})
	}
	if !far {
		if getenv("WSL_DISTRO_NAME") != "" || getenv("WSL_INTEROP") != "" {
			add(program{args: []string{"clip.exe"}, utf16: true})
		}
		if strings.Contains(getenv("PREFIX"), "com.termux") {
			add(program{args: []string{"termux-clipboard-set"}})
		}
	}
	return all
}

// tmux holds the text as its newest buffer, and hands it to the terminals it is shown on. It is
// given the text also where a program here took it: its session may be watched from another
// machine.
func tmux(getenv, find func(string) string) []program {
	if getenv("TMUX") == "" {
		return nil
	}
	path := find("tmux")
	if path == "" {
		return nil
	}
	return []program{{name: "tmux", args: []string{path, "load-buffer", "-w", "-"}, also: true}}
}

// Ways names by what a text would be copied, in order: programs, and the terminal itself. Empty: it
// would be kept in a file alone. Its arguments are as in Clipboard.
func Ways(setting, goos string, getenv, find func(string) string) []string {
	p := planFor(setting, goos, getenv, find)
	var ways []string
	for _, program := range p.programs {
		ways = append(ways, program.name)
	}
	if p.terminal {
		ways = append(ways, "the terminal (OSC 52)")
	}
	return ways
}

// Program is the full name of a program; "" where it is not there. One in the working folder is not taken.
func Program(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// maxSequence bounds what a terminal is sent, encoded, in bytes: more is cut or ignored by some.
// The oldest and lowest limit that is known of is that of hterm, which tmux once had, too.
const maxSequence = 100_000

// sequence asks a terminal to put the text into its clipboard; false where it is too long for that.
// tmux is asked both by itself and on behalf of the terminal: which of the two it heeds depends on
// how it is set up.
func sequence(text string, wrap osc52.Mode) (seq []byte, fits bool) {
	if base64.StdEncoding.EncodedLen(len(text)) > maxSequence {
		return nil, false
	}
	s := osc52.New(text)
	if wrap == osc52.TmuxMode {
		return []byte(s.String() + s.Tmux().String()), true
	}
	return []byte(s.Mode(wrap).String()), true
}
