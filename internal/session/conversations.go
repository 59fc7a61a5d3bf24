package session

import (
	"time"
)

// Past is a conversation as a list shows it.
type Past struct {
	ID      string
	Title   string // empty: none was made yet
	First   string // the first words of its first message
	Summary string
	Ended   time.Time // zero: it is the active one
	Turns   int
	// Excerpts are where the words of a search stand, a line each.
	Excerpts []string
}

// name is what the conversation is called.
func (p Past) Name() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.First != "":
		return "“" + p.First + "”"
	}
	return "A conversation without words"
}

// Branch is a way the conversation went: the active one, or one that was left when an earlier
// message was edited.
type Branch struct {
	ID      string
	Active  bool
	First   string    // the first words in which it differs
	Turns   int       // that it shares with no other way
	Ended   time.Time // when its last turn did
	History []HistoryItem
}

// Moved is the conversation after it went back to before an earlier message, or over to another
// branch.
type Moved struct {
	History []HistoryItem // the active way now
	Earlier string        // as Page.Earlier, and First as Page.First
	First   string
	Left    int // the turns that are a branch now
	// Changed is what those turns changed in the vault, a line each: it stays as it is. Back is
	// what of it was taken back, and Kept what could not be, and why.
	Changed, Back, Kept []string
}

// SettingChange is a change to a file of the configuration that was worked out and not made.
type SettingChange struct {
	Path string // of the file
	Diff string // unified; empty: nothing would change
	// Apply makes it; it refuses where the file changed meanwhile.
	Apply func() error
}
