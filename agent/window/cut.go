package window

import (
	"unicode"
	"unicode/utf8"

	"chatvault/agent/llm"
)

const (
	// cutShare is the share of the least that a request comes to, in percent, below which a server
	// that counts less of it left some out.
	cutShare = 70
	// cutsInRow are the calls in a row after which that is taken for certain.
	cutsInRow = 2
)

// Cut takes note of how many tokens a server counted of a request that comes to at least so many, and
// says, once, that it leaves out part of what it is sent. Tokens from its cache are among those that it
// counted; where it counts them apart, nothing follows.
func (w *Known) Cut(name string, least int, u llm.Usage) bool {
	if u.Estimated || u.PromptTokens < Smallest || least < measurable { // fewer than any window has were not cut to one
		return false
	}
	now := false
	w.change(name, func(m *measured) {
		apart := u.CachedTokens >= u.PromptTokens // no prompt is in the cache to its last token
		if apart || u.PromptTokens*100 >= least*cutShare {
			m.cuts = 0
			return
		}
		m.cuts++
		now = m.cuts >= cutsInRow && !m.toldCut
		m.toldCut = m.toldCut || now
	})
	return now
}

// LeastTokens is less than RequestTokens where another tokenizer may count less: four characters of
// any script make a token, marks and spaces in a row are one, and of reasoning that goes back, which
// many chat templates drop, nothing counts.
func LeastTokens(req llm.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += least(m.Prompt())
		for _, c := range m.ToolCalls {
			n += least(c.Name) + least(c.Arguments)
		}
	}
	for _, t := range req.Tools {
		n += least(t.Description) + least(string(t.Parameters))
	}
	return n
}

func least(s string) int {
	n, before := 0, utf8.RuneError
	for _, r := range s {
		if r != before || unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
		before = r
	}
	return n / 4
}
