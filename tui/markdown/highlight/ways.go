package highlight

import (
	"strings"

	"chatvault/vault/block"
)

// eachLine calls line with the end of each line; what it leaves is plain.
func (s *scanner) eachLine(line func(stop int)) {
	for s.at < len(s.code) {
		stop := s.at + lineEnd(s.rest())
		line(stop)
		s.at = min(stop+1, len(s.code))
	}
}

// diff marks lines by what they begin with.
func diff(s *scanner) {
	s.eachLine(func(stop int) {
		line := s.code[s.at:stop]
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"),
			strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			s.mark(stop, Name)
		case strings.HasPrefix(line, "+"):
			s.mark(stop, Inserted)
		case strings.HasPrefix(line, "-"):
			s.mark(stop, Deleted)
		}
	})
}

// keyed marks what is before ":" or "=" in a line as a name, and the rest as code.
func keyed(s *scanner) {
	s.eachLine(func(stop int) {
		line := s.code[s.at:stop]
		text := strings.TrimLeft(line, " \t")
		s.at += len(line) - len(text)
		for strings.HasPrefix(text, "- ") {
			shorter := strings.TrimLeft(text[2:], " ")
			s.at += len(text) - len(shorter)
			text = shorter
		}
		switch i := strings.IndexAny(text, ":="); {
		case strings.HasPrefix(text, "["):
			if end := strings.IndexByte(text, ']'); end > 0 && !strings.Contains(text, ",") {
				s.mark(s.at+strings.LastIndexByte(text, ']')+1, Name)
			}
		case i > 0 && !strings.ContainsAny(text[:i], `"'#{[`) && (text[i] == '=' || i+1 == len(text) || text[i+1] == ' '):
			s.mark(s.at+i, Name)
		}
		for s.at < stop {
			s.token()
		}
		s.at = max(s.at, stop) // a string may go on over the line
	})
}

// object marks the strings before ":" as names, as JSON has them.
func object(s *scanner) {
	for s.at < len(s.code) {
		if s.code[s.at] == '"' && s.at >= s.loose[0] {
			n := s.l.quotes[0].length(s.rest())
			if n > 0 && strings.HasPrefix(strings.TrimLeft(s.rest()[n:], " \t"), ":") {
				s.mark(s.at+n, Name)
				continue
			}
		}
		s.token()
	}
}

// markup marks tags, the values of their attributes, and comments.
func markup(s *scanner) {
	for s.at < len(s.code) {
		i := strings.IndexByte(s.rest(), '<')
		if i < 0 {
			return
		}
		s.at += i
		if strings.HasPrefix(s.rest(), "<!--") {
			s.mark(s.at+s.l.blocks[0].length(s.rest()), Comment)
			continue
		}
		n := 1 + len(s.rest()[1:]) - len(strings.TrimLeft(s.rest()[1:], "/!?"))
		if word := s.wordLength(s.rest()[n:]); word > 0 {
			s.mark(s.at+n+word, Name)
			s.attributes()
			continue
		}
		s.at++
	}
}

// attributes goes to the end of a tag.
func (s *scanner) attributes() {
	for s.at < len(s.code) {
		switch c := s.code[s.at]; c {
		case '>':
			s.mark(s.at+1, Name)
			return
		case '<':
			return
		case '"', '\'':
			q := quote{open: string(c), close: string(c), lines: true}
			s.mark(s.at+q.length(s.rest()), String)
		default:
			s.at++
		}
	}
}

// prose marks the headings and the code of Markdown.
func prose(s *scanner) {
	lines := block.New([]byte(s.code))
	s.eachLine(func(stop int) {
		lines.Scan()
		switch {
		case lines.Kind == block.Fence || lines.Kind == block.Code:
			s.mark(stop, String)
		case lines.Kind == block.Heading:
			s.mark(stop, Name)
		case lines.Quotes > 0:
			s.mark(stop, Comment)
		default:
			for s.at < stop {
				i := strings.IndexByte(s.code[s.at:stop], '`')
				if i < 0 {
					return
				}
				s.at += i
				end := strings.IndexByte(s.code[s.at+1:stop], '`')
				if end < 0 {
					return
				}
				s.mark(s.at+end+2, String)
			}
		}
	})
}
