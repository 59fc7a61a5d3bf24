//go:build unix

package ptytest

import (
	"fmt"
	"strings"
)

// keys maps Bubble Tea's names of keys to the sequences that xterm sends in its default modes.
var keys = map[string]string{
	"enter": "\r", "tab": "\t", "shift+tab": "\x1b[Z", "esc": "\x1b",
	"backspace": "\x7f", "space": " ", "delete": "\x1b[3~", "insert": "\x1b[2~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~",
	"shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
	"alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B", "alt+right": "\x1b[1;3C", "alt+left": "\x1b[1;3D",
	"ctrl+up": "\x1b[1;5A", "ctrl+down": "\x1b[1;5B", "ctrl+right": "\x1b[1;5C", "ctrl+left": "\x1b[1;5D",
	"ctrl+home": "\x1b[1;5H", "ctrl+end": "\x1b[1;5F", "ctrl+pgup": "\x1b[5;5~", "ctrl+pgdown": "\x1b[6;5~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"ctrl+@": "\x00", "ctrl+\\": "\x1c", "ctrl+]": "\x1d", "ctrl+^": "\x1e", "ctrl+_": "\x1f",
	"focus": "\x1b[I", "blur": "\x1b[O",
	"wheelup": "\x1b[<64;1;1M", "wheeldown": "\x1b[<65;1;1M",
}

// Sequence returns the bytes that a terminal sends for a key. The key is a name such as "enter", "esc",
// "ctrl+c", "alt+enter", "shift+tab", "pgup" or "f1", or a single character with an optional "alt+" prefix.
// The events "focus", "blur", "wheelup" and "wheeldown" are keys too. Sequence returns an error for an
// unknown name.
func Sequence(key string) (string, error) {
	if s, ok := keys[key]; ok {
		return s, nil
	}
	if rest, ok := strings.CutPrefix(key, "alt+"); ok {
		s, err := Sequence(rest)
		return "\x1b" + s, err
	}
	if c, ok := strings.CutPrefix(key, "ctrl+"); ok && len(c) == 1 && c[0] >= 'a' && c[0] <= 'z' {
		return string(rune(c[0] - 'a' + 1)), nil
	}
	if n := len([]rune(key)); n == 1 {
		return key, nil
	}
	return "", fmt.Errorf("ptytest: no key is called %q", key)
}

// Press sends keys, named as for Sequence, with one write for each.
func (x *Terminal) Press(names ...string) {
	x.t.Helper()
	for _, name := range names {
		s, err := Sequence(name)
		if err != nil {
			x.t.Fatal(err)
		}
		x.Send(s)
	}
}

// Type sends text in a single write, like fast typing to a slow program. A newline in the text is a line
// feed (Ctrl+J); use Press("enter") for Enter.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	x.Send(text)
}

// Paste sends text like a terminal's paste command: as a bracketed paste if the program has enabled that
// mode, and with carriage returns for line feeds.
func (x *Terminal) Paste(text string) {
	x.t.Helper()
	text = strings.ReplaceAll(text, "\n", "\r")
	if x.HasMode(2004) {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	x.Send(text)
}

// Click presses and releases the left mouse button at a cell. Columns and rows count from zero.
func (x *Terminal) Click(column, row int) {
	x.t.Helper()
	x.Send(fmt.Sprintf("\x1b[<0;%d;%dM", column+1, row+1))
	x.Send(fmt.Sprintf("\x1b[<0;%d;%dm", column+1, row+1))
}

// Send sends bytes unchanged. It uses a single write if the terminal's buffer has room for them.
func (x *Terminal) Send(s string) {
	x.t.Helper()
	if _, err := x.ptm.WriteString(s); err != nil {
		x.t.Fatalf("ptytest: writing %.40q to the terminal: %v\n%s", s, err, x.describe())
	}
}
