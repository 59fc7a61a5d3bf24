package agent

import (
	"slices"

	"chatvault/agent/llm"
)

// assumedWindow is the window taken for granted where none is known, in tokens: a model with a
// smaller one says so when it is exceeded.
const assumedWindow = 128_000

// room is how a model's window is used, in tokens as we estimate them. What is sent may grow to
// shorten; then results of earlier steps are shortened until it is down to shortened. Between
// the two nothing changes in what was sent before, so that a provider can cache it.
type room struct {
	window    int // prompt and answer together
	shorten   int
	shortened int
	compact   int // above it older messages are replaced by a summary; the rest is for the answer
	recent    int // what stays as it is of the newest messages when older ones are replaced
	worth     int // a summary of less is not made
}

func roomIn(window int) room {
	return room{
		window:    window,
		shorten:   window * 60 / 100,
		shortened: window * 40 / 100,
		compact:   window * 80 / 100,
		recent:    window * 15 / 100,
		worth:     window * 10 / 100,
	}
}

// newestStep is where the results that the model has not seen yet begin; len(messages) where
// it has seen all.
func newestStep(messages []llm.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != llm.RoleAssistant {
			continue
		}
		if len(messages[i].ToolCalls) > 0 {
			return i
		}
		break
	}
	return len(messages)
}

// earlier shortens results of earlier steps, oldest first, until a request of so many tokens
// is down to low, and returns what it comes to then.
func (s shortener) earlier(messages []llm.Message, total, low int) int {
	for i := range messages[:newestStep(messages)] {
		if total <= low {
			break
		}
		total -= s.keepOnly(messages, i, keptOfResult)
	}
	return total
}

// newest shortens the results of the newest step too, as much as it takes for a request of so
// many tokens to come to limit, and returns what it comes to then. Only where nothing else is
// left: the model has not seen them.
func (s shortener) newest(messages []llm.Message, total, limit int) int {
	const largest = 64 << 10 // bytes
	for keep := largest; total > limit && keep >= keptAtLeast; keep /= 2 {
		for i := newestStep(messages); i < len(messages); i++ {
			total -= s.keepOnly(messages, i, keep)
		}
	}
	return total
}

// keepOnly makes result i be sent with at most so many bytes from now on, and returns how many
// tokens that saves.
func (s shortener) keepOnly(messages []llm.Message, i, keep int) int {
	id := messages[i].ToolCallID
	if was := s.kept[id]; was > 0 && was <= keep {
		return 0
	}
	short, ok := s.message(messages, i, keep)
	if !ok {
		return 0
	}
	before, _ := s.message(messages, i, s.kept[id])
	s.kept[id] = keep
	return messageTokens(before) - messageTokens(short)
}

// forget drops what is remembered of calls that are not in messages: their ids may come again.
func (s shortener) forget(messages []llm.Message) {
	there := map[string]bool{}
	for _, m := range messages {
		there[m.ToolCallID] = true
	}
	for id := range s.kept {
		if !there[id] {
			delete(s.kept, id)
		}
	}
}

// older says how many of the parts, from the first on, are too old to stay when the newest of
// them that come to at most recent tokens do.
func older(sizes []int, recent int) int {
	n := len(sizes)
	for n > 0 && sizes[n-1] <= recent {
		n--
		recent -= sizes[n]
	}
	return n
}

// Past is an earlier turn in a Task's History.
type Past struct {
	Turn     string // its id
	Messages int    // of History
	// Summary, where it is not empty, stands for that turn and all before it.
	Summary string
}

// systemLength counts the messages before the first turn.
func systemLength(history []llm.Message) int {
	n := slices.IndexFunc(history, func(m llm.Message) bool { return m.Role != llm.RoleSystem })
	if n < 0 {
		return len(history)
	}
	return n
}
