package openai

import (
	"strings"
	"unicode"
)

// marks are the tags between which models think in the content of an answer, where their server does
// not take it apart.
var marks = []struct{ begin, end string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<thoughts>", "</thoughts>"},
	{"<reasoning>", "</reasoning>"},
	{"<reflection>", "</reflection>"},
	{"<seed:think>", "</seed:think>"},
	{"[think]", "[/think]"},
	{"◁think▷", "◁/think▷"},
	{"<|start_thinking|>", "<|end_thinking|>"},
	{"<|channel|>analysis<|message|>", "<|end|>"},
}

// thinking takes the thoughts that an answer begins with out of its content, however it is cut into
// pieces. Once the answer has begun, tags are words like others.
type thinking struct {
	state   thinkingState
	closing string          // the tag that ends the thoughts
	held    string          // may be a tag, or the beginning of one
	kept    strings.Builder // the thoughts with their tags, as they came
}

// longestLead is how much white space before a tag is waited through, in bytes.
const longestLead = 1 << 10

type thinkingState int

const (
	undecided thinkingState = iota // nothing but white space, or the beginning of a tag
	within                         // the thoughts
	answering
)

// feed takes a piece of the content, and returns what of it is thought and what is said after that.
func (t *thinking) feed(piece string) (reasoning, text string) {
	if t.state == answering {
		return "", piece
	}
	t.held += piece
	for {
		switch t.state {
		case undecided:
			begin, end, may := beginning(t.held)
			switch {
			case begin > 0:
				t.kept.WriteString(t.held[:begin])
				t.held, t.closing, t.state = t.held[begin:], end, within
			case may && len(t.held) <= longestLead:
				return reasoning, ""
			default:
				return reasoning, t.answer()
			}
		case within:
			i := indexFold(t.held, t.closing)
			if i < 0 {
				sure := len(t.held) - partial(t.held, t.closing)
				reasoning += t.held[:sure]
				t.kept.WriteString(t.held[:sure])
				t.held = t.held[sure:]
				return reasoning, ""
			}
			reasoning += t.held[:i]
			t.kept.WriteString(t.held[:i+len(t.closing)])
			t.held, t.state = t.held[i+len(t.closing):], undecided
		}
	}
}

// answer says that the answer begins with what is held.
func (t *thinking) answer() string {
	text := t.held
	if t.kept.Len() > 0 { // the white space between thoughts and answer belongs to neither
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		t.kept.WriteString(t.held[:len(t.held)-len(text)])
	}
	t.held, t.state = "", answering
	return text
}

// end says that no more content comes, and returns what was held.
func (t *thinking) end() (reasoning, text string) {
	switch t.state {
	case undecided:
		return "", t.answer()
	case within:
		reasoning = t.held
		t.kept.WriteString(t.held)
		t.held = ""
	}
	return reasoning, ""
}

// raw are the thoughts as they stood in the content; empty: there were none.
func (t *thinking) raw() string { return t.kept.String() }

// beginning says how long the white space and the tag are that a text begins with, and which tag ends
// what follows; may: more of the text is needed to tell.
func beginning(text string) (length int, end string, may bool) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	space := len(text) - len(rest)
	for _, m := range marks {
		switch {
		case len(rest) >= len(m.begin) && strings.EqualFold(rest[:len(m.begin)], m.begin):
			return space + len(m.begin), m.end, false
		case len(rest) < len(m.begin) && strings.EqualFold(rest, m.begin[:len(rest)]):
			may = true
		}
	}
	return 0, "", may
}

// indexFold is where a tag begins in a text, whatever its case; -1: nowhere.
func indexFold(text, tag string) int {
	for i := 0; i+len(tag) <= len(text); i++ {
		j := strings.IndexByte(text[i:], tag[0])
		if j < 0 || i+j+len(tag) > len(text) {
			return -1
		}
		if i += j; strings.EqualFold(text[i:i+len(tag)], tag) {
			return i
		}
	}
	return -1
}

// partial is how many bytes at the end of a text may be the beginning of a tag.
func partial(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.EqualFold(text[len(text)-n:], tag[:n]) {
			return n
		}
	}
	return 0
}
