package session

// Preview is a note, or a part of it, to be read on the screen.
type Preview struct {
	Path     string // true name
	Text     string // bounded; as it is in the file
	Markdown bool
	First    int    // the line of the file that Text begins with, from 1
	Line     int    // the line of the file that was asked for, from 1; 0: none was, or it is not there
	Note     string // what should be known of it: "There is no heading “Sugar” in it"; may be empty
}
