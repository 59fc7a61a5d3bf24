package clipboard

import (
	"slices"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if k, v, _ := strings.Cut(p, "="); k == name {
				return v
			}
		}
		return ""
	}
}

func TestPlan(t *testing.T) {
	everything := []string{"pbcopy", "pbpaste", "wl-copy", "wl-paste", "xclip", "xsel", "clip.exe", "tmux"}
	for _, tt := range []struct {
		name, goos string
		env        []string
		there      []string
		want       []string // names; "terminal" and how its sequence is wrapped
	}{
		{"a plain terminal", "linux", []string{"TERM=xterm-256color"}, everything, []string{"terminal"}},
		{"Wayland", "linux", []string{"TERM=foot", "WAYLAND_DISPLAY=wayland-0"}, everything, []string{"wl-copy", "terminal"}},
		{"X", "linux", []string{"TERM=xterm", "DISPLAY=:0"}, everything, []string{"xclip", "xsel", "terminal"}},
		{"X without xclip", "linux", []string{"TERM=xterm", "DISPLAY=:0"}, []string{"xsel"}, []string{"xsel", "terminal"}},
		{"X within Wayland", "linux", []string{"TERM=xterm", "DISPLAY=:0", "WAYLAND_DISPLAY=w"}, everything, []string{"wl-copy", "xclip", "xsel", "terminal"}},
		{"macOS", "darwin", []string{"TERM=xterm-256color"}, everything, []string{"pbcopy", "terminal"}},
		{"WSL", "linux", []string{"TERM=xterm-256color", "WSL_DISTRO_NAME=Ubuntu"}, everything, []string{"clip.exe", "terminal"}},
		{"Windows", "windows", nil, everything, []string{"clip.exe"}},
		{"a Mac from afar", "darwin", []string{"TERM=xterm", "SSH_CONNECTION=a"}, everything, []string{"terminal"}},
		{"Wayland from afar", "linux", []string{"TERM=xterm", "SSH_TTY=/dev/pts/1", "WAYLAND_DISPLAY=w"}, everything, []string{"terminal"}},
		{"forwarded X11", "linux", []string{"TERM=xterm", "SSH_TTY=/dev/pts/1", "DISPLAY=localhost:10.0"}, everything, []string{"xclip", "xsel", "terminal"}},
		{"tmux", "linux", []string{"TERM=tmux-256color", "TMUX=/tmp/x,1,0"}, everything, []string{"tmux", "terminal", "tmux'd"}},
		{"tmux beside X", "linux", []string{"TERM=screen", "TMUX=/tmp/x,1,0", "DISPLAY=:0"}, everything, []string{"xclip", "xsel", "tmux", "terminal", "tmux'd"}},
		{"screen", "linux", []string{"TERM=screen.xterm-256color", "STY=1.pts"}, everything, []string{"terminal", "screen'd"}},
		{"another terminal in a screen's shell", "linux", []string{"TERM=xterm", "STY=1.pts"}, everything, []string{"terminal"}},
		{"the console", "linux", []string{"TERM=linux"}, everything, nil},
		{"a dumb terminal", "linux", []string{"TERM=dumb", "DISPLAY=:0"}, everything, []string{"xclip", "xsel"}},
		{"no terminal's name", "linux", nil, everything, nil},
	} {
		find := func(name string) string {
			if slices.Contains(tt.there, name) {
				return "/bin/" + name
			}
			return ""
		}
		p := (&Clipboard{GOOS: tt.goos, Getenv: env(tt.env...), Find: find}).plan()
		var got []string
		for _, prog := range p.programs {
			got = append(got, prog.args[0])
			if prog.path != "/bin/"+prog.args[0] {
				t.Errorf("%s: %s is run as %s", tt.name, prog.args[0], prog.path)
			}
		}
		if p.terminal {
			got = append(got, "terminal")
			if w := []string{"", "screen'd", "tmux'd"}[p.wrap]; w != "" {
				got = append(got, w)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
