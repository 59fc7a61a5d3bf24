//go:build unix

package ptytest

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

func (x *Terminal) newEmulator(o Options) {
	x.em = vt.NewEmulator(o.Width, o.Height)
	if x.light = o.Light; o.Light {
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
	// A program that has not yet heard of a smaller size may set a scroll region below the last row, and the
	// emulator would index past its rows. Such a region reaches the bottom, as does the whole screen.
	x.em.RegisterCsiHandler('r', func(params ansi.Params) bool {
		bottom, _, _ := params.Param(1, 0)
		return bottom > x.em.Height()
	})
	x.em.RegisterOscHandler(52, func(data []byte) bool {
		x.copied = append(x.copied, string(data))
		return true
	})
}

// show draws output of the program on the screen.
func (x *Terminal) show(b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.raw = append(x.raw, b...)
	x.recordOutput(b)
	_, _ = x.em.Write(b)
	x.notify()
}

// Screen returns the text on the screen, one line per row, without trailing spaces and empty rows at the
// bottom.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen()
}

// screenCache caches the text of the screen. Waits need the same text several times, and the emulator has to visit
// every cell to produce it.
type screenCache struct {
	text                   string
	written, width, height int // bytes of output and screen size for which the text is valid
}

// screen is Screen for callers that hold mu.
func (x *Terminal) screen() string {
	if d := x.cache; d.written != len(x.raw) || d.width != x.width || d.height != x.height {
		x.cache = screenCache{strings.TrimRight(x.em.String(), "\n"), len(x.raw), x.width, x.height}
	}
	return x.cache.text
}

// Row returns the text of a row without trailing spaces. Rows count from zero.
func (x *Terminal) Row(y int) string {
	rows := strings.Split(x.Screen(), "\n")
	if y < 0 || y >= len(rows) {
		return ""
	}
	return rows[y]
}

// Styled returns the screen with escape sequences for colours, attributes and links.
func (x *Terminal) Styled() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.em.Render()
}

// Recorded returns the screen for pictures: a line with its size, background and cursor, such as "80x24 dark 5,22" or
// "80x24 light -1,-1" with a hidden cursor, and then Styled.
func (x *Terminal) Recorded() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	background, at := "dark", x.em.CursorPosition()
	if x.light {
		background = "light"
	}
	if on, set := x.modes[ansi.ModeTextCursorEnable]; set && !on {
		at.X, at.Y = -1, -1
	}
	return fmt.Sprintf("%dx%d %s %d,%d\n%s\n", x.width, x.height, background, at.X, at.Y, x.em.Render())
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

// Titles returns all window titles that the program has set, oldest first.
func (x *Terminal) Titles() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.titles...)
}

// Bells returns the number of times that the bell rang.
func (x *Terminal) Bells() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.bells
}

// Clipboard returns the data of all OSC 52 sequences, which write to the clipboard, as "52;c;BASE64".
func (x *Terminal) Clipboard() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string(nil), x.copied...)
}

// Raw returns the program's output so far, byte for byte.
func (x *Terminal) Raw() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]byte(nil), x.raw...)
}

// Written returns the number of bytes that the program has written.
func (x *Terminal) Written() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.raw)
}
