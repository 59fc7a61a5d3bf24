package tui

import "chatvault/tui/frame"

// display is what is shown.
type display struct {
	width    int
	dirty    bool   // something is to be drawn
	frame    string // what View shows
	finisher frame.Finisher
}
