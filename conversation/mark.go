package conversation

import "fmt"

// Mark tells one state of a conversation from another, by what is said in it and which way it
// goes. Those of a conversation that is nil, of one that has ended, and of one with other turns, on
// other ways, differ.
type Mark struct {
	ID    string
	turns int // on all ways
	head  int
	ended bool
}

// Mark is the conversation's; the zero Mark where it is nil.
func (c *Conversation) Mark() Mark {
	if c == nil {
		return Mark{}
	}
	n := len(c.tree.nodes)
	if n == 0 {
		n = len(c.Turns)
	}
	return Mark{c.ID, n, c.tree.head, !c.Ended.IsZero()}
}

// Stamp changes when any process has written to the conversations. It costs a look at one file, so
// that one can look often.
func (m *Manager) Stamp() string {
	info, err := m.store.root.Lstat(indexFile)
	if err != nil {
		return ""
	}
	return fmt.Sprint(versionOf(info))
}
