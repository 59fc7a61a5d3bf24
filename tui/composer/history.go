package composer

import "strings"

// history holds sent messages, oldest first.
type history struct {
	texts []string
	at    int    // index in texts; len(texts) is the draft
	draft editor // the text before browsing the history
}

// History returns the sent messages, oldest first.
func (h *history) History() []string { return h.texts }

// SetHistory adds older messages, oldest first, before those remembered so far.
func (h *history) SetHistory(older []string) {
	h.texts = append(append([]string{}, older...), h.texts...)
	h.at += len(older)
}

// Remember appends text to the history. It returns false for blank text and a repetition of the last entry.
func (h *history) Remember(text string) bool {
	text = strings.TrimRight(text, "\n")
	atDraft := h.at == len(h.texts)
	fresh := strings.TrimSpace(text) != "" && (len(h.texts) == 0 || h.texts[len(h.texts)-1] != text)
	if fresh {
		h.texts = append(h.texts, text)
	}
	if atDraft {
		h.at = len(h.texts)
	}
	return fresh
}
