package tui

import "chatvault/tui/frame"

// display is the drawn screen.
type display struct {
	width    int
	dirty    bool   // the screen must be redrawn
	frame    string // the content of View
	finisher frame.Finisher
}
