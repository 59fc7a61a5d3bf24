package clipboard

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"

	"chatvault/internal/base/process"
)

// program is a system program that takes a text on its standard input, or prints a picture.
type program struct {
	args  []string
	path  string   // absolute; empty in the tables
	goos  string   // the system that has it
	env   []string // variables of which one is set where it works on other systems
	local bool     // it reaches the clipboard of this machine only
	utf16 bool     // it takes UTF-16, little endian
	also  bool     // it also runs after another one has taken the text
	// decode decodes what a picture's reader prints; nil if that is the picture.
	decode func(printed []byte) ([]byte, error)
}

var (
	onWayland = []string{"WAYLAND_DISPLAY"}
	onX11     = []string{"DISPLAY"} // over a remote connection, X forwarding reaches the user
	onWSL     = []string{"WSL_DISTRO_NAME", "WSL_INTEROP"}
)

// writers take a text, most likely first. tmux loads it into its newest buffer, which it forwards to its terminals,
// and also runs after another program, as the session may be viewed from another machine.
var writers = []program{
	{args: []string{"pbcopy"}, goos: "darwin", local: true},
	{args: []string{"wl-copy", "--type", "text/plain;charset=utf-8"}, env: onWayland, local: true},
	{args: []string{"xclip", "-selection", "clipboard", "-in"}, env: onX11},
	{args: []string{"xsel", "--clipboard", "--input"}, env: onX11},
	{args: []string{"clip.exe"}, goos: "windows", env: onWSL, local: true, utf16: true},
	{args: []string{"termux-clipboard-set"}, env: []string{"TERMUX_VERSION"}, local: true},
	{args: []string{"tmux", "load-buffer", "-w", "-"}, env: []string{"TMUX"}, also: true},
}

// readers print a picture, most likely first. If there is none, they fail or print nothing.
var readers = []program{
	{args: []string{"osascript", "-e", "get the clipboard as «class PNGf»"}, goos: "darwin", local: true, decode: fromAppleScript},
	{args: []string{"powershell.exe", "-NoProfile", "-NonInteractive", "-Sta", "-Command", powershell}, goos: "windows", env: onWSL, local: true, decode: fromBase64},
	{args: []string{"wl-paste", "--no-newline", "--type", "image/png"}, env: onWayland, local: true},
	{args: []string{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"}, env: onX11},
	{args: []string{"wl-paste", "--no-newline", "--type", "image/jpeg"}, env: onWayland, local: true},
	{args: []string{"xclip", "-selection", "clipboard", "-target", "image/jpeg", "-out"}, env: onX11},
}

// installed returns the programs of a table that exist and work here. A remote user has another clipboard than this
// machine's.
func (c *Clipboard) installed(table []program) (found []program) {
	remote := c.Getenv("SSH_CONNECTION") != "" || c.Getenv("SSH_TTY") != "" || c.Getenv("SSH_CLIENT") != ""
	for _, p := range table {
		here := p.goos == c.GOOS || slices.ContainsFunc(p.env, func(name string) bool { return c.Getenv(name) != "" })
		if !here || p.local && remote {
			continue
		}
		if p.path = c.Find(p.args[0]); p.path != "" {
			found = append(found, p)
		}
	}
	return found
}

// plan is how a text is copied: by the first program that takes it, else by the terminal.
type plan struct {
	programs []program
	terminal bool
	wrap     osc52.Mode // wrapping needed to pass a multiplexer
}

// plan returns the plan for the environment.
func (c *Clipboard) plan() plan {
	kind, p := c.Getenv("TERM"), plan{programs: c.installed(writers)}
	p.terminal = !slices.Contains([]string{"", "dumb", "linux", "vt100", "vt220", "ansi", "cons25"}, kind)
	switch {
	case c.Getenv("TMUX") != "":
		p.wrap = osc52.TmuxMode
	case c.Getenv("STY") != "" && strings.HasPrefix(kind, "screen"):
		p.wrap = osc52.ScreenMode
	}
	return p
}

// Program returns the absolute path of a program, or "". It ignores programs in the working folder.
func Program(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// run runs a program detached from the terminal: in its own session, so that one that stays to serve the clipboard
// outlives the chat, and without inherited files. It is killed with its children on a timeout or when ctx ends.
func (c *Clipboard) run(ctx context.Context, p *program, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Wait, commandWait))
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path, p.args[1:]...)
	process.Detach(cmd)
	cmd.WaitDelay = commandWait / 4
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", p.args[0], cmp.Or(context.Cause(ctx), err))
	}
	return nil
}

// maxSequence is the maximum length of a text in a sequence, in bytes: some terminals cut or ignore longer ones. The
// lowest known limit is hterm's, which tmux once had, too: 100,000 bytes encoded.
const maxSequence = 75_000

// sequence returns the sequence that asks a terminal to copy the text, or none if it is too long. tmux gets it both for
// itself and to pass on: which one it obeys depends on its configuration.
func sequence(text string, wrap osc52.Mode) []byte {
	s := osc52.New(text)
	switch {
	case len(text) > maxSequence:
		return nil
	case wrap == osc52.TmuxMode:
		return []byte(s.String() + s.Tmux().String())
	}
	return []byte(s.Mode(wrap).String())
}
