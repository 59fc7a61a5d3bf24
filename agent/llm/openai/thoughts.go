package openai

import (
	"strings"
	"unicode"
)

// marks are the tags around thoughts in the content of an answer, if the server does not extract them.
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
	// gpt-oss's marks of an answer, to be dropped
	{"<|start|>assistant<|channel|>final<|message|>", ""},
	{"<|start|>assistant<|channel|>commentary<|message|>", ""},
	{"<|channel|>final<|message|>", ""},
	{"<|channel|>commentary<|message|>", ""},
	{"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"},
}

// closer ends thoughts without an opening tag, which the chat template wrote into the prompt. ends are gpt-oss's marks
// at the end of an answer.
const closer = "</think>"

var ends = []string{"<|end|>", "<|return|>"}

// thinking extracts the thoughts at the beginning of an answer from its content, which comes in arbitrary pieces. After
// the answer has begun, tags are plain text.
type thinking struct {
	closing   string          // the tag that ends the thoughts; empty outside them
	answering bool            // the answer has begun
	held      string          // possibly the beginning of a tag
	thought   bool            // there were thoughts
	late      bool            // they were taken for the answer until their end
	marked    bool            // the answer has gpt-oss's marks
	said      strings.Builder // the answer so far, which may turn out to be thoughts
}

// longestLead is the longest white space in bytes before a tag.
const longestLead = 1 << 10

// feed adds a piece of the content and returns the reasoning and the text in it.
func (t *thinking) feed(piece string) (reasoning, text string) {
	t.held += piece
	for {
		switch {
		case t.closing != "":
			i := indexFold(t.held, t.closing)
			n := i + len(t.closing)
			if i < 0 {
				i = len(t.held) - partial(t.held, t.closing)
				n = i
			}
			reasoning += t.held[:i]
			t.held = t.held[n:]
			if n == i {
				return reasoning, ""
			}
			t.closing = ""
		case t.answering:
			before, text := t.spoken()
			return reasoning + before, text
		default:
			begin, end, may := beginning(t.held)
			switch {
			case begin > 0:
				t.held = t.held[begin:]
				t.thought, t.closing, t.marked = true, end, t.marked || end == ""
			case may && len(t.held) <= longestLead:
				return reasoning, ""
			default:
				t.answer()
			}
		}
	}
}

// answer begins the answer with the held text.
func (t *thinking) answer() {
	if t.thought { // drop white space between thoughts and answer
		t.held = strings.TrimLeftFunc(t.held, unicode.IsSpace)
	}
	t.answering = true
}

// spoken returns the held text that certainly belongs to the answer. If a tag ends thoughts that no tag began, the text
// before it is reasoning.
func (t *thinking) spoken() (reasoning, text string) {
	if t.marked {
		for _, mark := range ends {
			t.held = strings.ReplaceAll(t.held, mark, "")
		}
	}
	for at := 0; !t.thought; at += len(closer) {
		i := strings.Index(t.held[at:], closer)
		if i < 0 {
			break
		}
		if at += i; !closes(t.said.String() + t.held[:at]) {
			continue
		}
		reasoning, t.held = t.held[:at], t.held[at+len(closer):]
		t.late, t.thought, t.answering = true, true, false
		more, text := t.feed("")
		return reasoning + more, text
	}
	hold := 0
	if !t.thought {
		hold = partial(t.held, closer)
	}
	if t.marked {
		hold = max(partial(t.held, ends[0]), partial(t.held, ends[1]))
	}
	text = t.held[:len(t.held)-hold]
	if !t.thought {
		t.said.WriteString(text)
	}
	t.held = t.held[len(text):]
	return "", text
}

// closes reports whether a closing tag after this text ends thoughts rather than being quoted: there is no opening tag,
// and it is not within quotation marks, a line of text or code.
func closes(before string) bool {
	return strings.TrimSpace(before) == "" || !strings.Contains(before, "<think>") && !strings.HasSuffix(before, " ") && strings.Count(before, "```")%2 == 0 &&
		!strings.HasSuffix(before, "`") && !strings.HasSuffix(before, `"`)
}

// end returns the held text after the last piece.
func (t *thinking) end() (reasoning, text string) {
	if t.closing != "" {
		return t.held, ""
	}
	if !t.answering {
		t.answer()
		reasoning, text = t.spoken()
	}
	return reasoning, text + t.held
}

// beginning returns the length of the white space and tag at the start of a text, and the closing tag. may is set if
// more text is needed to decide.
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

// indexFold returns the index of a tag in a text, ignoring case, or -1.
func indexFold(text, tag string) int {
	for i := range len(text) - len(tag) + 1 {
		if strings.EqualFold(text[i:i+len(tag)], tag) {
			return i
		}
	}
	return -1
}

// partial returns how many bytes at the end of a text may be the beginning of a tag.
func partial(text, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if strings.EqualFold(text[len(text)-n:], tag[:n]) {
			return n
		}
	}
	return 0
}
