package session

// Reach is what turns that would be left changed in the vault, as far as it can be taken back.
type Reach struct {
	Turns []string // their ids, the newest first
	Notes int      // that they changed
	Back  []string // what taking it back does, a line each
}
