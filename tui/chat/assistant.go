package chat

import (
	"chatvault/internal/terminal"
)

// Assistant is the agent's answer, streamed.
type Assistant struct {
	citing
	safe terminal.Sanitizer
	received
	dated
}

// NewAssistant begins an empty answer, which takes no room.
func NewAssistant(env *Env) *Assistant {
	return &Assistant{citing: citing{document: document{env: env}, margin: "  "}}
}

// Append adds a piece of the answer.
func (a *Assistant) Append(piece string) {
	shown := a.safe.Write(piece)
	a.piece(piece, shown, a.source)
	a.append(shown)
}

// Finish says that the answer is complete.
func (a *Assistant) Finish() {
	shown := a.safe.Flush()
	a.piece("", shown, a.source)
	a.append(shown)
	a.finish()
}

// Withdraw takes back what was shown: its attempt failed and another comes.
func (a *Assistant) Withdraw() {
	a.clear()
	a.safe, a.received = terminal.Sanitizer{}, received{}
}

// Empty says that nothing was shown yet.
func (a *Assistant) Empty() bool { return a.empty() }

// Source is the text as it was received, made safe.
func (a *Assistant) Source() string { return string(a.source) }

// Lines draws the answer.
func (a *Assistant) Lines(width int) []string { return a.draw(textWidth(width), a.margin) }
