package window

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/agent/llm"
	"chatvault/internal/base/text"
)

// Lengths to which tool results are shortened.
const (
	keptOfResult = 2000 // bytes of one of an earlier step, head and tail together
	keptAtLeast  = 400  // if nothing else can go

	// WorthIt is how many bytes shortening a result must save: the note in the gap takes some itself.
	WorthIt = 1200
)

// Shortener shortens tool results. A result always has the same short form for a given length, so that a provider's cache
// of a shortened history stays valid.
type Shortener struct {
	// Kept is the number of bytes kept of a call's result, by the call's ID; others are kept whole. Media have keys
	// of their own; any value removes them.
	Kept map[string]int
	// Again reports whether repeating a call of the tool gives its result again without side effects.
	Again func(tool string) bool
}

// Apply returns messages with the results and media that are named in Kept shortened. messages itself does not change.
func (s Shortener) Apply(messages []llm.Message) []llm.Message {
	out := slices.Clone(messages)
	for i, m := range messages {
		out[i], _ = s.message(m, s.Kept[m.ToolCallID])
		out[i].Media = slices.Clone(m.Media)
		for j, x := range m.Media {
			if x.Why == "" && s.Kept[mediaKey(m, x)] > 0 {
				out[i].Media[j].Why, out[i].Media[j].Data = leftOut, nil
			}
		}
	}
	return out
}

// message returns a message with at most keep bytes of its result; false if nothing changes.
func (s Shortener) message(m llm.Message, keep int) (llm.Message, bool) {
	if m.Role != llm.RoleTool || keep <= 0 || len(m.Content) <= keep+WorthIt {
		return m, false
	}
	hint := ""
	if s.Again(m.ToolName) && !m.IsError {
		hint = "; call " + m.ToolName + " again for that part"
	}
	m.Content = Shorten(m.Content, keep, hint)
	return m, true
}

// leftOut is why media are not shown that gave way.
const leftOut = "it was left out to save room; if it is in the vault, read_file shows it again"

// mediaKey returns the key of a message's media: the call's ID or the time of a user's message, and the hash.
func mediaKey(m llm.Message, x llm.Media) string {
	of := m.ToolCallID
	if m.Role == llm.RoleUser {
		of = m.Time.Format(time.RFC3339Nano)
	}
	return "media " + of + " " + x.Hash
}

// Shorten leaves out the middle of a text so that about keep bytes remain, three quarters of them at its head. The
// gap states how much is missing, followed by a hint on how to see it.
func Shorten(whole string, keep int, hint string) string {
	head, tail := strings.ToValidUTF8(whole[:keep*3/4], ""), strings.ToValidUTF8(whole[len(whole)-keep/4:], "")
	all := utf8.RuneCountInString(whole)
	return fmt.Sprintf("%s\n[… %s of %s characters left out to save room%s]\n%s", head,
		text.Thousands(all-utf8.RuneCountInString(head)-utf8.RuneCountInString(tail)), text.Thousands(all), hint, tail)
}

// Earlier leaves out media of answered messages, then shortens results of earlier steps, oldest first, until a
// request of n tokens is down to low, and returns its size.
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

// All leaves out all media and shortens all results further, those of the newest step too, until a request of total
// tokens is down to limit, and returns its size. It is the last resort: the model has not seen the newest results.
func (s Shortener) All(messages []llm.Message, total, limit int) int {
	const largest = 64 << 10 // bytes
	total = s.withoutMedia(messages, total, limit)
	for keep := largest; total > limit && keep >= keptAtLeast; keep /= 2 {
		for i := range messages {
			total -= s.keepOnly(messages, i, keep)
		}
	}
	return total
}

// Fewer leaves out the older half of the shown media and returns their number.
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

// withoutMedia leaves out media, oldest first, until a request of n tokens is down to low, and returns its size.
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

// keepOnly shortens result i to at most keep bytes in later requests, and returns how many tokens that saves.
func (s Shortener) keepOnly(messages []llm.Message, i, keep int) int {
	id := messages[i].ToolCallID
	if was := s.Kept[id]; was > 0 && was <= keep {
		return 0
	}
	short, ok := s.message(messages[i], keep)
	if !ok {
		return 0
	}
	before, _ := s.message(messages[i], s.Kept[id])
	s.Kept[id] = keep
	return MessageTokens(before) - MessageTokens(short)
}

// Forget drops the entries of calls that are not in messages: their IDs may be used again.
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

// answered returns the number of messages up to the assistant's last answer.
func answered(messages []llm.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0 {
			return i + 1
		}
	}
	return 0
}

// newestStep returns the index of the first result that the model has not seen; len(messages) if it has seen all.
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
