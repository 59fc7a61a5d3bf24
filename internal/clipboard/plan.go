package clipboard

import (
	"encoding/base64"
	"os/exec"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
)

// program takes a text on its standard input.
type program struct {
	name  string // for display
	args  []string
	utf16 bool // it takes UTF-16, little endian
	also  bool // it also runs after another one has taken the text
}

// plan is how a text is copied: by the first program that takes it, else by the terminal.
type plan struct {
	programs []program
	terminal bool
	wrap     osc52.Mode // wrapping needed to pass a multiplexer
}

// planFor returns the plan for the setting and the environment.
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

// remote reports whether the user is at another machine, whose clipboard local programs do not reach.
func remote(getenv func(string) string) bool {
	return getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "" || getenv("SSH_CLIENT") != ""
}

// native returns the system's programs, most likely first. Over a remote connection only X forwarding reaches the
// user.
func native(goos string, getenv, find func(string) string, far bool) []program {
	var all []program
	add := func(p program) {
		path := find(p.args[0])
		if path == "" {
			return
		}
		p.name, p.args[0] = p.args[0], path
		all = append(all, p)
	}
	if goos == "darwin" && !far {
		add(program{args: []string{"pbcopy"}})
	}
	if goos == "windows" && !far {
		add(program{args: []string{"clip.exe"}, utf16: true})
	}
	if getenv("WAYLAND_DISPLAY") != "" && !far {
		add(program{args: []string{"wl-copy", "--type", "text/plain;charset=utf-8"}})
	}
	if getenv("DISPLAY") != "" {
		add(program{args: []string{"xclip", "-selection", "clipboard", "-in"}})
		add(program{args: []string{"xsel", "--clipboard", "--input"}})
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

// tmux returns the program that loads the text into tmux's newest buffer, which forwards it to its terminals. It also
// runs after a local program took the text, as the session may be viewed from another machine.
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

// Ways returns the means by which a text would be copied, in this order: programs, and the terminal itself. If empty,
// it would only be kept in a file. The arguments are as in Clipboard.
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

// Program returns the absolute path of a program, or "". It ignores programs in the working folder.
func Program(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// maxSequence is the maximum length of an encoded sequence, in bytes: some terminals cut or ignore longer ones. The
// lowest known limit is hterm's, which tmux once had, too.
const maxSequence = 100_000

// sequence returns the sequence that asks a terminal to copy the text. fits is false if it is too long. tmux gets it
// both for itself and to pass on: which one it obeys depends on its configuration.
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
