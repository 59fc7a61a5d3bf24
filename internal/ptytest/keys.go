//go:build unix

package ptytest

import (
	"fmt"
	"strings"
)

// keys are the sequences of an xterm in its default modes, by the names Bubble
// Tea gives the same keys.
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

// Sequence is what a terminal sends for a key: a name such as "enter", "esc",
// "ctrl+c", "alt+enter", "shift+tab", "pgup" or "f1", or a single character,
// with "alt+" before it or not; also "focus" and "blur", "wheelup" and
// "wheeldown". An unknown name is an error.
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

// Press presses keys (see Sequence), one write for each.
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

// Type types text, all in one write, as fast typing or a slow program makes it
// arrive. A newline in it is a line feed (Ctrl+J); use Press("enter") for Enter.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	x.Send(text)
}

// Paste pastes text as the terminal does: between the marks of bracketed paste
// when the program has asked for them, with line feeds sent as carriage returns.
func (x *Terminal) Paste(text string) {
	x.t.Helper()
	text = strings.ReplaceAll(text, "\n", "\r")
	if x.HasMode(2004) {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	x.Send(text)
}

// Click presses and releases the left button at a cell, from 0.
func (x *Terminal) Click(column, row int) {
	x.t.Helper()
	x.Send(fmt.Sprintf("\x1b[<0;%d;%dM", column+1, row+1))
	x.Send(fmt.Sprintf("\x1b[<0;%d;%dm", column+1, row+1))
}

// Send sends bytes as they are, in one write where the terminal's buffer takes them.
func (x *Terminal) Send(s string) {
	x.t.Helper()
	if _, err := x.ptm.WriteString(s); err != nil {
		x.t.Fatalf("ptytest: writing %.40q to the terminal: %v\n%s", s, err, x.describe())
	}
}
