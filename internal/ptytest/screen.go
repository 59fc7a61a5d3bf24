//go:build unix

package ptytest

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

func (x *Terminal) newEmulator(o Options) {
	x.em = vt.NewEmulator(o.Width, o.Height)
	if o.Light {
		x.em.SetDefaultForegroundColor(color.Black)
		x.em.SetDefaultBackgroundColor(color.White)
	}
	// The callbacks run inside Write, with mu held.
	x.em.SetCallbacks(vt.Callbacks{
		Bell:        func() { x.bells++ },
		Title:       func(s string) { x.titles = append(x.titles, s) },
		EnableMode:  func(m ansi.Mode) { x.modes[m] = true },
		DisableMode: func(m ansi.Mode) { x.modes[m] = false },
	})
	x.em.RegisterOscHandler(52, func(data []byte) bool {
		x.copied = append(x.copied, string(data))
		return true
	})
}

// show puts what the program wrote on the screen.
func (x *Terminal) show(b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw = append(x.raw, b...)
	x.recordOutput(b)
	_, _ = x.em.Write(b)
	x.notify()
}

// Screen is the text on the screen: one line a row, without the spaces at a
// row's end and without the empty rows at the bottom.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen()
}

// drawn is the text of a screen, and after how many bytes and at which size it was so: a wait asks
// for the same one several times, and the emulator looks at each cell for it.
type drawn struct {
	text                   string
	written, width, height int
}

func (x *Terminal) screen() string {
	if d := x.drawn; d.written != len(x.raw) || d.width != x.width || d.height != x.height {
		x.drawn = drawn{strings.TrimRight(x.em.String(), "\n"), len(x.raw), x.width, x.height}
	}
	return x.drawn.text
}

// Row is one row of the screen, from 0, without the spaces at its end.
func (x *Terminal) Row(y int) string {
	rows := strings.Split(x.Screen(), "\n")
	if y < 0 || y >= len(rows) {
		return ""
	}
	return rows[y]
}

// Styled is the screen with its colours, attributes and links as sequences.
func (x *Terminal) Styled() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.Render()
}

// Cursor is where the cursor stands, from 0, and whether it is visible.
func (x *Terminal) Cursor() (column, row int, visible bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	on, set := x.modes[ansi.ModeTextCursorEnable]
	p := x.em.CursorPosition()
	return p.X, p.Y, on || !set
}

// IsAltScreen reports whether the program shows the alternate screen.
func (x *Terminal) IsAltScreen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.IsAltScreen()
}

// HasMode reports whether the program has set a DEC private mode, such as 2004
// for bracketed paste.
func (x *Terminal) HasMode(mode int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.modes[ansi.DECMode(mode)]
}

// Titles are the window titles the program has set, in order.
func (x *Terminal) Titles() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.titles...)
}

// Bells is how often the bell rang.
func (x *Terminal) Bells() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bells
}

// Clipboard holds what the program wrote to the clipboard by OSC 52, each as
// "52;c;BASE64".
func (x *Terminal) Clipboard() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.copied...)
}

// Raw is everything the program wrote, byte for byte.
func (x *Terminal) Raw() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]byte(nil), x.raw...)
}

// Written is the number of bytes the program wrote.
func (x *Terminal) Written() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.raw)
}
