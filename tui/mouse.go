package tui

// pointing is what the mouse does.
type pointing struct{ away bool }
