package lines

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/terminal"
)

// speech is a text that arrives in pieces, given out in lines: a line break ends one, and so does
// a sentence, so that whoever listens hears it as it comes. Nothing in it moves the cursor.
type speech struct {
	safe terminal.Sanitizer
	held string
}

// add takes a piece and gives the lines that are whole by now.
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

// end gives what is left.
func (s *speech) end() []string {
	s.held += s.safe.Flush()
	out := s.add("\n")
	*s = speech{}
	return out
}

// leastSentence is how long a line is at least that a sentence ends, in bytes: shorter ones, and
// the numbers of lists, stay with what follows.
const leastSentence = 24

// longestSpoken is how long a line gets, in bytes, before it is cut between words.
const longestSpoken = 2 << 10

// cutSpoken cuts the first line off a text: at its line break, behind a sentence, or where it gets
// too long. ok is false where more has to come first.
func cutSpoken(text string) (line, rest string, ok bool) {
	end := strings.IndexByte(text, '\n')
	part := text
	if end >= 0 {
		part = text[:end]
	}
	whole := strings.HasPrefix(part, ">") || strings.HasPrefix(part, "|") // a quotation, a row of a table
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
