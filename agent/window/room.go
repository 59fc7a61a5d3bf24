// Package window is about how much a model takes at once: what a request comes to in tokens, how
// much of the window which part may fill, and how tool results are shortened to fit. It knows
// messages (agent/llm) and no turn.
package window

// Assumed is the window taken for granted where none is known, in tokens: a model with a smaller
// one says so when it is exceeded.
const Assumed = 128_000

// Room is how a model's window is used, in tokens as we estimate them. What is sent may grow to
// Shorten; then results of earlier steps are shortened until it is down to Shortened. Between
// the two nothing changes in what was sent before, so that a provider can cache it.
type Room struct {
	Window    int // prompt and answer together
	Shorten   int
	Shortened int
	Compact   int // above it older messages are replaced by a summary; the rest is for the answer
	Recent    int // what stays as it is of the newest messages when older ones are replaced
	Worth     int // a summary of less is not made
}

// RoomIn divides a window of so many tokens.
func RoomIn(window int) Room {
	return Room{
		Window:    window,
		Shorten:   window * 60 / 100,
		Shortened: window * 40 / 100,
		Compact:   window * 80 / 100,
		Recent:    window * 15 / 100,
		Worth:     window * 10 / 100,
	}
}

// Older says how many of the parts, from the first on, are too old to stay when the newest of
// them that come to at most recent tokens do.
func Older(sizes []int, recent int) int {
	n := len(sizes)
	for n > 0 && sizes[n-1] <= recent {
		n--
		recent -= sizes[n]
	}
	return n
}
