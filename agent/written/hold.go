package written

import "strings"

// Holder holds back the part of a streamed answer that may be a call, so that it is not shown and taken away.
// The zero value is ready to use; nil holds back nothing.
type Holder struct {
	All   bool // hold back everything
	text  strings.Builder
	shown int // bytes that Add returned
}

// Add takes the next piece of an answer and returns what may be shown of it by now.
func (h *Holder) Add(piece string) string {
	if h == nil {
		return piece
	}
	if h.All {
		return ""
	}
	h.text.WriteString(piece)
	all := h.text.String()
	end := len(all)
	if i := opening(all[h.shown:]); i >= 0 {
		end = h.shown + i
	} else if i := mayOpen(all[h.shown:]); i >= 0 {
		end = h.shown + i
	}
	out := all[h.shown:end]
	h.shown = end
	return out
}

// Rest returns what was held back, at the end of an answer that holds no call.
func (h *Holder) Rest() string {
	if h == nil {
		return ""
	}
	out := h.text.String()[h.shown:]
	h.shown = h.text.Len()
	return out
}

// namespace precedes the names of tools in some calls.
const namespace = "functions."

// longestMark is the length of the longest start of a call that could still be prose.
const longestMark = 40

// mayOpen returns where the end of s may become the beginning of a call; -1: nowhere.
func mayOpen(s string) int {
	tail := max(0, len(s)-longestMark)
	line := strings.LastIndexByte(s, '\n') + 1
	lead := strings.TrimLeft(s[line:], " \t")
	begins := func(mark string) bool { return strings.HasPrefix(mark, lead) }
	if lead == "" || strings.HasPrefix(lead, "`") && len(lead) < longestMark ||
		strings.HasPrefix(lead, "{") && strings.Trim(lead, "{ \t") == "" || begins(namespace) || begins("to="+namespace) {
		if fence := strings.LastIndex(s[:line], "```"); fence >= tail && strings.TrimSpace(s[fence:]) == strings.TrimSpace(s[fence:line]) && opensFence(s, fence) {
			return strings.LastIndexByte(s[:fence], '\n') + 1
		}
		if lead != "" {
			return line
		}
	}
	for _, mark := range []string{"<", "["} {
		if i := strings.LastIndex(s, mark); i >= tail && !strings.ContainsAny(s[i:], " \n>]") {
			return i
		}
	}
	return -1
}

// opensFence reports whether the fence at i opens a block, that is, an even number precedes it.
func opensFence(s string, i int) bool { return strings.Count(s[:i], "```")%2 == 0 }
