package window

import (
	"slices"

	"chatvault/agent/llm"
)

// Earlier leaves out media of what was answered, then shortens results of earlier steps, oldest first,
// until a request of so many tokens is down to low, and returns what it comes to then.
func (s Shortener) Earlier(messages []llm.Message, total, low int) int {
	total = s.withoutMedia(messages[:answered(messages)], total, low)
	for i := range messages[:newestStep(messages)] {
		if total <= low {
			break
		}
		total -= s.keepOnly(messages, i, keptOfResult)
	}
	return total
}

// Newest leaves out all media and shortens the results of the newest step too, as much as it takes for a request of so
// many tokens to come to limit, and returns what it comes to then. Only where nothing else is
// left: the model has not seen them.
func (s Shortener) Newest(messages []llm.Message, total, limit int) int {
	const largest = 64 << 10 // bytes
	total = s.withoutMedia(messages, total, limit)
	for keep := largest; total > limit && keep >= keptAtLeast; keep /= 2 {
		for i := newestStep(messages); i < len(messages); i++ {
			total -= s.keepOnly(messages, i, keep)
		}
	}
	return total
}

// Fewer leaves out the older half of the media that are shown, and returns how many that are; 0: none are.
func (s Shortener) Fewer(messages []llm.Message) int {
	var keys []string
	for _, m := range messages {
		for _, x := range m.Media {
			if key := mediaKey(m, x); x.Why == "" && s.Kept[key] == 0 && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	keys = keys[:(len(keys)+1)/2]
	for _, key := range keys {
		s.Kept[key] = 1
	}
	return len(keys)
}

// withoutMedia leaves out media, oldest first, until a request of so many tokens is down to low, and
// returns what it comes to then.
func (s Shortener) withoutMedia(messages []llm.Message, total, low int) int {
	for _, m := range messages {
		for _, x := range m.Media {
			if total <= low {
				return total
			}
			if key := mediaKey(m, x); x.Why == "" && s.Kept[key] == 0 {
				s.Kept[key] = 1
				before := mediaTokens(x)
				x.Why = leftOut
				total -= before - mediaTokens(x)
			}
		}
	}
	return total
}

// keepOnly makes result i be sent with at most so many bytes from now on, and returns how many
// Tokens that saves.
func (s Shortener) keepOnly(messages []llm.Message, i, keep int) int {
	id := messages[i].ToolCallID
	if was := s.Kept[id]; was > 0 && was <= keep {
		return 0
	}
	short, ok := s.message(messages, i, keep)
	if !ok {
		return 0
	}
	before, _ := s.message(messages, i, s.Kept[id])
	s.Kept[id] = keep
	return MessageTokens(before) - MessageTokens(short)
}

// Forget drops what is remembered of calls that are not in messages: their ids may come again.
func (s Shortener) Forget(messages []llm.Message) {
	there := map[string]bool{}
	for _, m := range messages {
		there[m.ToolCallID] = true
		for _, x := range m.Media {
			there[mediaKey(m, x)] = true
		}
	}
	for id := range s.Kept {
		if !there[id] {
			delete(s.Kept, id)
		}
	}
}

// answered is how many messages the assistant's last words end: what follows is still worked on.
func answered(messages []llm.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0 {
			return i + 1
		}
	}
	return 0
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
