// Package highlight tells the comments, keywords, strings, numbers and names of source code apart,
// well enough to colour it in a terminal. It goes through the code once, whatever the code is, and
// what it gives back is the code, byte for byte. It knows the words and quotes of languages and
// nothing of their grammars.
package highlight

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Class is what a piece of code is.
type Class uint8

// The classes.
const (
	Plain Class = iota
	Comment
	Keyword
	String
	Number
	Name // of a function, tag, key, variable: what is worth finding
	Inserted
	Deleted
)

// Span is a piece of code of one class.
type Span struct {
	Text  string
	Class Class
}

// Code divides code into spans, in order, neighbours of different classes. It is false where the
// language is not known.
func Code(language, code string) ([]Span, bool) {
	l := byName()[strings.ToLower(strings.TrimSpace(language))] // as it stands after the fence of a code block
	if l == nil {
		return nil, false
	}
	s := &scanner{l: l, code: code}
	l.scan(s)
	s.emit(len(code), Plain)
	return s.spans, true
}

// byName is made when the first code is shown: most processes show none.
var byName = sync.OnceValue(func() map[string]*language {
	all := make(map[string]*language, 4*len(languages))
	for i := range languages {
		for name := range strings.FieldsSeq(languages[i].names) {
			all[name] = &languages[i]
		}
	}
	return all
})

// language is what is known of a language. Words are separated by blanks.
type language struct {
	names    string
	keywords string
	comments string  // what begins a comment that ends with its line
	blocks   []quote // comments with an end
	quotes   []quote // in the order in which they are tried
	ignore   bool    // keywords ignore case
	letters  string  // what names may hold beside letters, digits and "_"
	sigils   string  // what begins a name that is marked as such: $x, @x
	way      func(*scanner)

	once sync.Once
	set  map[string]bool
	line []string
}

// quote is how a string, or a comment, begins and ends.
type quote struct {
	open, close string
	escape      byte // what takes its meaning from the next character; 0: nothing does
	lines       bool // it may go over several lines
}

func (l *language) scan(s *scanner) {
	l.once.Do(func() {
		l.set = map[string]bool{}
		for word := range strings.FieldsSeq(l.keywords) {
			if l.ignore {
				word = strings.ToLower(word)
			}
			l.set[word] = true
		}
		l.line = strings.Fields(l.comments)
	})
	if l.way != nil {
		l.way(s)
		return
	}
	for s.at < len(s.code) {
		s.token()
	}
}

// scanner goes through code.
type scanner struct {
	l     *language
	code  string
	at    int // before it all was looked at
	done  int // before it all is in spans
	spans []Span
	loose [4]int // for each of the language's quotes, where those end that are not closed in their line
}

// emit makes what is left up to an offset a span of a class.
func (s *scanner) emit(to int, c Class) {
	if to <= s.done {
		return
	}
	text := s.code[s.done:to]
	s.done = to
	if n := len(s.spans); n > 0 && s.spans[n-1].Class == c {
		s.spans[n-1].Text = s.code[to-len(s.spans[n-1].Text)-len(text) : to]
		return
	}
	s.spans = append(s.spans, Span{text, c})
}

// mark makes what is between at and an offset a span of a class.
func (s *scanner) mark(to int, c Class) {
	s.emit(s.at, Plain)
	s.emit(to, c)
	s.at = to
}

func (s *scanner) rest() string { return s.code[s.at:] }

// lineStart reports whether only blanks are before at in its line.
func (s *scanner) lineStart() bool {
	before := strings.TrimRight(s.code[:s.at], " \t")
	return before == "" || before[len(before)-1] == '\n'
}

// token takes the next piece of code.
func (s *scanner) token() {
	rest := s.rest()
	for _, c := range s.l.line {
		if strings.HasPrefix(rest, c) && s.mayComment(c) {
			s.mark(s.at+lineEnd(rest), Comment)
			return
		}
	}
	for i := range s.l.blocks {
		if b := &s.l.blocks[i]; strings.HasPrefix(rest, b.open) {
			s.mark(s.at+b.length(rest), Comment)
			return
		}
	}
	for i := range s.l.quotes {
		if q := &s.l.quotes[i]; strings.HasPrefix(rest, q.open) && s.at >= s.loose[i] {
			if n := q.length(rest); n > 0 {
				s.mark(s.at+n, String)
				return
			}
			// No other one in the line ends either: where it would, this one does.
			s.loose[i] = s.at + lineEnd(rest)
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r >= '0' && r <= '9':
		s.mark(s.at+numberLength(rest), Number)
	case strings.ContainsRune(s.l.sigils, r) && s.wordLength(rest[size:]) > 0:
		s.mark(s.at+size+s.wordLength(rest[size:]), Name)
	case s.inWord(r):
		s.word()
	default:
		s.at += size
	}
}

// mayComment reports whether what begins a comment does so here: "#" in the middle of a word does
// not, nor do letters.
func (s *scanner) mayComment(c string) bool {
	if s.at == 0 {
		return true
	}
	before := s.code[s.at-1]
	switch {
	case c == "#" || c == ";" && s.l.ignore:
		return before == ' ' || before == '\t' || before == '\n' || before == ';'
	case c[0] >= 'A' && c[0] <= 'Z':
		return s.lineStart()
	}
	return true
}

// length is how long the quote at the start of text is; 0: it is none, because it does not end
// where it has to.
func (q *quote) length(text string) int {
	for i := len(q.open); i < len(text); {
		switch {
		case q.escape != 0 && text[i] == q.escape && q.escape != q.close[0]:
			i += 2
		case strings.HasPrefix(text[i:], q.close):
			i += len(q.close)
			if q.escape != q.close[0] || !strings.HasPrefix(text[i:], q.close) {
				return i
			}
			i += len(q.close) // '' in a string of SQL
		case text[i] == '\n' && !q.lines:
			return 0
		default:
			i++
		}
	}
	if !q.lines {
		return 0
	}
	return len(text)
}

// numberLength is how long the number at the start of text is.
func numberLength(text string) int {
	n := 1
	for n < len(text) {
		c := text[n]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case c == '.' && n+1 < len(text) && text[n+1] >= '0' && text[n+1] <= '9':
		case (c == '+' || c == '-') && (text[n-1] == 'e' || text[n-1] == 'E') && text[1] != 'x':
		default:
			return n
		}
		n++
	}
	return n
}

func (s *scanner) inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(s.l.letters, r)
}

// wordLength is how long the word at the start of text is.
func (s *scanner) wordLength(text string) int {
	for i, r := range text {
		if !s.inWord(r) {
			return i
		}
	}
	return len(text)
}

// word takes a word: a keyword, a name before a parenthesis, or nothing special.
func (s *scanner) word() {
	n := s.wordLength(s.rest())
	word := s.rest()[:n]
	if s.l.ignore {
		word = strings.ToLower(word)
	}
	switch {
	case s.l.set[word]:
		s.mark(s.at+n, Keyword)
	case strings.HasPrefix(s.rest()[n:], "("):
		s.mark(s.at+n, Name)
	default:
		s.at += n
	}
}

// lineEnd is where the first line of a text ends, without its line break.
func lineEnd(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}
