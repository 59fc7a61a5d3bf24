package tui

// find is what is looked for in the transcript.
type find struct{ open bool }
