package lines

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/terminal"
)

// speech splits streamed text into lines: at line breaks and after sentences, so that a listener hears it early. It
// removes control sequences.
type speech struct {
	safe terminal.Sanitizer
	held string
}

// add adds a piece and returns the completed lines.
func (s *speech) add(piece string) []string {
	s.held += s.safe.Write(piece)
	var out []string
	for {
		line, rest, ok := cutSpoken(s.held)
		if !ok {
			return out
		}
		out, s.held = append(out, line), rest
	}
}

// end returns the remaining text.
func (s *speech) end() []string {
	s.held += s.safe.Flush()
	out := s.add("\n")
	*s = speech{}
	return out
}

// leastSentence is the minimum length of a line that ends with a sentence, in bytes: shorter ones, and the numbers of
// lists, stay with what follows.
const leastSentence = 24

// longestSpoken is the length at which a line is split between words, in bytes.
const longestSpoken = 2 << 10

// cutSpoken cuts the first line off a text: at a line break, after a sentence, or where it is too long. ok is false
// if more text is needed.
func cutSpoken(text string) (line, rest string, ok bool) {
	end := strings.IndexByte(text, '\n')
	part := text
	if end >= 0 {
		part = text[:end]
	}
	whole := strings.HasPrefix(part, ">") || strings.HasPrefix(part, "|") // a quotation or a table row
	for i, r := range part {
		if whole || i < leastSentence || r != '.' && r != '!' && r != '?' && r != '…' {
			continue
		}
		after := i + utf8.RuneLen(r)
		for after < len(part) && strings.IndexByte(`"')]*_`, part[after]) >= 0 {
			after++
		}
		if after+1 >= len(part) || part[after] != ' ' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(part[after+1:]); unicode.IsUpper(next) {
			return part[:after], text[after+1:], true
		}
	}
	if len(part) > longestSpoken {
		if at := strings.LastIndexByte(part[:longestSpoken], ' '); at > 0 {
			return part[:at], text[at+1:], true
		}
	}
	if end < 0 {
		return "", text, false
	}
	return part, text[end+1:], true
}
