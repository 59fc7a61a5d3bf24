package grammar

import (
	"sync"
	"time"
)

// Bounds of what is remembered of texts that were parsed.
const (
	memoEntries = 128
	memoText    = 2 << 10 // bytes; a longer text is parsed anew
)

// memo remembers what the texts parsed last mean: in each step of a turn the same ones are
// parsed again.
var memo = struct {
	sync.Mutex
	known map[memoKey][]Command
}{known: map[memoKey][]Command{}}

type memoKey struct {
	text string
	now  time.Time
}

// remembered is parse, of a text that may have been parsed before.
func remembered(text string, now time.Time, parse func(string, time.Time) []Command) []Command {
	if len(text) > memoText {
		return parse(text, now)
	}
	key := memoKey{text, now.Round(0)}
	memo.Lock()
	out, ok := memo.known[key]
	memo.Unlock()
	if !ok {
		out = parse(text, now)
		memo.Lock()
		if len(memo.known) >= memoEntries {
			clear(memo.known)
		}
		memo.known[key] = out
		memo.Unlock()
	}
	return cloned(out)
}

// cloned are commands that can be changed without changing others.
func cloned(in []Command) []Command {
	if in == nil {
		return nil
	}
	out := make([]Command, len(in))
	copy(out, in)
	for i := range out {
		out[i].Others = cloned(out[i].Others)
	}
	return out
}
