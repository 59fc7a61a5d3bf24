package chat

import (
	"chatvault/internal/base/terminal"
)

// Assistant is the agent's answer, which may still be streaming.
type Assistant struct {
	citing
	safe terminal.Sanitizer
	raw  []byte // as received
	dated
}

// NewAssistant returns an empty answer, which takes no space.
func NewAssistant(env *Env) *Assistant {
	return &Assistant{citing: newCiting(env, "  ")}
}

// Append adds a piece of the streamed text.
func (a *Assistant) Append(piece string) {
	a.raw = append(a.raw, piece...)
	a.append(a.safe.Write(piece))
}

// Finish marks the answer as complete.
func (a *Assistant) Finish() {
	a.append(a.safe.Flush())
	a.finish()
}

// Withdraw removes the text of a failed attempt before the next one.
func (a *Assistant) Withdraw() {
	a.clear()
	a.safe, a.raw = terminal.Sanitizer{}, nil
}

// Empty reports whether no text has been received.
func (a *Assistant) Empty() bool { return a.empty() }

// Source returns the sanitized text.
func (a *Assistant) Source() string { return string(a.source) }

// Lines implements list.Item.
func (a *Assistant) Lines(width int) []string { return a.draw(textWidth(width), a.margin) }
