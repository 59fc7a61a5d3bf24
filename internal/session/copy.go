package session

// Copied is what became of a text that was copied.
type Copied struct {
	By      string // what is known to have taken it; empty: nothing is
	Sent    bool   // it was sent to the terminal, which does not say whether it took it
	TooLong bool   // for the terminal
	File    string // where it is kept, by its full name; empty where By is not
}
