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
	// gpt-oss's marks of an answer, which stand for nothing
	{"<|start|>assistant<|channel|>final<|message|>", ""},
	{"<|start|>assistant<|channel|>commentary<|message|>", ""},
	{"<|channel|>final<|message|>", ""},
	{"<|channel|>commentary<|message|>", ""},
	{"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"},
}

// closer ends thoughts that no tag began: the chat template wrote that one into the prompt. ends are what gpt-oss ends
// an answer with.
const closer = "</think>"

var ends = []string{"<|end|>", "<|return|>"}

// thinking takes the thoughts that an answer begins with out of its content, however it is cut into
// pieces. Once the answer has begun, tags are words like others.
type thinking struct {
	state   thinkingState
	closing string          // the tag that ends the thoughts
	held    string          // may be a tag, or the beginning of one
	kept    strings.Builder // the thoughts with their tags, as they came

	presumed bool            // the model's thoughts begin without a tag
	unopened bool            // these do
	late     bool            // that was seen only at their end, after they had been taken for the answer
	marked   bool            // the answer has gpt-oss's marks
	said     strings.Builder // of an answer in which thoughts may still turn out to end
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
	t.held += piece
	for {
		switch t.state {
		case undecided:
			begin, end, may := beginning(t.held)
			switch {
			case begin > 0:
				t.kept.WriteString(t.held[:begin])
				t.held = t.held[begin:]
				if t.closing = end; end == "" {
					t.marked = true
				} else {
					t.state = within
				}
			case may && len(t.held) <= longestLead:
				return reasoning, ""
			case t.presumed && t.kept.Len() == 0:
				t.closing, t.state, t.unopened = closer, within, true
			default:
				t.answer()
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
		case answering:
			before, text := t.spoken()
			return reasoning + before, text
		}
	}
}

// answer begins the answer with what is held.
func (t *thinking) answer() {
	if t.kept.Len() > 0 { // the white space between thoughts and answer belongs to neither
		text := strings.TrimLeftFunc(t.held, unicode.IsSpace)
		t.kept.WriteString(t.held[:len(t.held)-len(text)])
		t.held = text
	}
	t.state = answering
}

// spoken returns what of the held text belongs to the answer by now. If a tag ends thoughts there that none began, what
// was said before it is reasoning.
func (t *thinking) spoken() (reasoning, text string) {
	if t.marked {
		for _, mark := range ends {
			t.held = strings.ReplaceAll(t.held, mark, "")
		}
	}
	for at := 0; t.kept.Len() == 0; at += len(closer) {
		i := strings.Index(t.held[at:], closer)
		if i < 0 {
			break
		}
		if at += i; !closes(t.said.String() + t.held[:at]) {
			continue
		}
		i = at
		reasoning, t.late, t.unopened = t.held[:i], true, true
		t.kept.WriteString(t.said.String() + t.held[:i+len(closer)])
		t.held = t.held[i+len(closer):]
		t.state = undecided
		more, text := t.feed("")
		return reasoning + more, text
	}
	hold := 0
	if t.kept.Len() == 0 {
		hold = partial(t.held, closer)
	}
	if t.marked {
		hold = max(partial(t.held, ends[0]), partial(t.held, ends[1]))
	}
	text = t.held[:len(t.held)-hold]
	if t.kept.Len() == 0 {
		t.said.WriteString(text)
	}
	t.held = t.held[len(text):]
	return "", text
}

// closes reports whether a tag after this text ends thoughts, rather than being spoken of: no tag began any, and it is
// neither quoted, nor within a line of words, nor in code.
func closes(before string) bool {
	return strings.TrimSpace(before) == "" || !strings.Contains(before, "<think>") && !strings.HasSuffix(before, " ") && strings.Count(before, "```")%2 == 0 &&
		!strings.HasSuffix(before, "`") && !strings.HasSuffix(before, `"`)
}

// end returns what was held, once no more content comes. cut reports that the response ended at its limit.
func (t *thinking) end(cut bool) (reasoning, text string) {
	switch t.state {
	case answering:
		text, t.held = t.held, ""
	case undecided:
		t.answer()
		reasoning, text = t.spoken()
		text, t.held = text+t.held, ""
	case within:
		if t.unopened && !cut { // it did not think this time
			text = t.kept.String() + t.held
			t.kept.Reset()
			t.held = ""
			return "", text
		}
		reasoning = t.held
		t.kept.WriteString(t.held)
		t.held = ""
	}
	return reasoning, text
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
