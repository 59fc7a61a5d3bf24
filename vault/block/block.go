// Package block says what each line of a Markdown text is: front matter, a heading, code, a
// comment, math, HTML, text, in which quotes and list items. It follows CommonMark 0.31 and, where
// that knows less, Obsidian: front matter, comments between %% and math between $$. It opens
// nothing, and takes time linear in the text.
package block

import "bytes"

// Kind is what a line is.
type Kind uint8

// The kinds of lines.
const (
	Blank     Kind = iota // nothing; also a list item or a quote with nothing in it
	Text                  // of a paragraph
	Heading               // "## Text" (4.2)
	Underline             // makes the paragraph before it a heading (4.3)
	Rule                  // a thematic break (4.1)
	Fence                 // opens or closes fenced code (4.5)
	Code                  // between fences
	Indented              // code by its indentation (4.4)
	Comment               // of a comment between %% that goes over several lines
	Math                  // of math between $$ that goes over several lines
	HTML                  // of an HTML block (4.6)
	Property              // of the front matter, its two lines of dashes included
)

// Line is a line of a text, by offsets in it.
type Line struct {
	Kind       Kind
	Number     int  // from 1
	Start      int  // where it begins
	Text       int  // where its content begins, behind blanks and the marks of quotes and list items
	End        int  // where it ends, without its line end
	Next       int  // where the next line begins
	Level      int  // of a Heading or an Underline: 1 to 6
	Items      int  // list items around it
	Quotes     int  // quotes around it
	BeginsItem bool // a list item begins in it
	Continues  bool // it belongs to the paragraph, code, comment, math or HTML of the line before
}

// maxContainers bounds the quotes and list items around a line; deeper ones are text.
const maxContainers = 100

// quoteMark stands for a quote among the containers.
const quoteMark = -1

// Scanner goes over the lines of a text. Its Line is the one it is at.
type Scanner struct {
	Line
	text                  []byte
	frontStart, frontStop int // of the front matter, between its lines of dashes
	body                  int // where the text after it begins

	// The quotes and list items that are open, outermost first: of an item the columns from where
	// the content of what it is in begins to where its own does.
	containers [maxContainers]int8
	depth      int
	bare       bool // the innermost one is an item of one line, which has nothing in it

	paragraph bool   // a paragraph is open
	leaf      Kind   // Code, Comment, Math, HTML: is open; Blank: none
	began     int    // the line on which it began
	mark      byte   // Code: what its fence is made of
	width     int    // Code: how many of them
	until     int    // Comment, Math: where it ends
	closing   string // what would close it; Comment, Math: "" where that comes
	noMath    bool   // the rest has no "$$"
}

// New returns a scanner of a text, before its first line.
func New(text []byte) Scanner {
	s := Scanner{text: text}
	s.Next = len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	s.frontStart, s.frontStop, s.body = FrontMatter(text)
	return s
}

// More goes on with the text that follows, after the last line of what the scanner has; offsets
// count from its beginning. What only the rest of the text could tell was taken from the part.
func (s *Scanner) More(text []byte) {
	s.text, s.Next, s.body, s.noMath = text, 0, 0, false
	if s.leaf == Comment || s.leaf == Math {
		s.until = len(text)
		if i := bytes.Index(text, []byte(s.closing)); i >= 0 {
			s.until, s.closing = i+len(s.closing), ""
		}
	}
}

// Open is what goes on behind the line: Code, Comment, Math, HTML; Blank: none of them.
func (s *Scanner) Open() Kind { return s.leaf }

// MayHide reports whether a text has anything in it that Code, Comment, Math or HTML begins with.
func MayHide(text []byte) bool {
	for _, mark := range [...]string{"```", "~~~", "%%", "$$", "<"} {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// Front is what stands between the two lines that enclose front matter; equal where there is none.
func (s *Scanner) Front() (start, end int) { return s.frontStart, s.frontStop }

// Unclosed is the block that the text ends in and nothing closes: the line on which it begins, and
// what would close it; 0 where there is none. One that ends with its list item or quote is none.
func (s *Scanner) Unclosed() (line int, closing string) {
	if s.leaf == Blank || s.closing == "" || s.depth > 0 && s.leaf != Comment && s.leaf != Math {
		return 0, ""
	}
	return s.began, s.closing
}

// FrontMatter finds the front matter: what is between a first line "---" and the next such line,
// blanks after the dashes allowed. body is where the text after it begins; where there is none that
// is behind a byte order mark.
func FrontMatter(text []byte) (start, end, body int) {
	bom := len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	start = LineStop(text, bom)
	if start == len(text) || !isDashes(text[bom:start]) {
		return bom, bom, bom
	}
	for at := start; at < len(text); {
		next := LineStop(text, at)
		if isDashes(text[at:next]) {
			return start, at, next
		}
		at = next
	}
	return bom, bom, bom
}

func isDashes(line []byte) bool {
	return len(line) >= 3 && line[0] == '-' && string(bytes.TrimRight(line, " \t\r\n")) == "---"
}

// LineStop is where the line at an offset ends, its line end included.
func LineStop(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// cursor is a place in a line: its offset, and its column with tab stops at every fourth.
type cursor struct{ at, column int }

// blanks goes over spaces and tabs.
func (s *Scanner) blanks(c cursor) cursor {
	for ; c.at < s.End; c.at++ {
		switch s.text[c.at] {
		case ' ':
			c.column++
		case '\t':
			c.column += 4 - c.column%4
		default:
			return c
		}
	}
	return c
}

// Scan goes to the next line. It reports whether there is one.
func (s *Scanner) Scan() bool {
	start := s.Next
	if start >= len(s.text) {
		return false
	}
	next := LineStop(s.text, start)
	end := next
	for end > start && (s.text[end-1] == '\n' || s.text[end-1] == '\r') {
		end--
	}
	s.Kind, s.Level, s.Items, s.Quotes, s.BeginsItem, s.Continues = Blank, 0, 0, 0, false, false
	s.Number, s.Start, s.Text, s.End, s.Next = s.Number+1, start, start, end, next
	switch {
	case start < s.body:
		s.Kind, s.Continues = Property, s.Number > 1
		return true
	case s.leaf == Comment || s.leaf == Math:
		s.hidden()
	case s.depth == 0 && s.leaf == Blank && (start == end || isLetter(s.text[start])): // most lines
		s.bare = false
		if start < end {
			s.Kind, s.Continues = Text, s.paragraph
		}
		s.paragraph = start < end
		return true
	default:
		s.content()
	}
	for _, c := range s.containers[:s.depth] {
		if c == quoteMark {
			s.Quotes++
		} else {
			s.Items++
		}
	}
	return true
}

// hidden takes a line of a comment or math that began before; what stands behind its end is text.
func (s *Scanner) hidden() {
	s.Kind, s.Continues = s.leaf, true
	if s.closing != "" || s.until > s.Next {
		return
	}
	s.leaf = Blank
	if c := s.blanks(cursor{at: s.until}); c.at < s.End {
		s.Kind, s.Continues, s.Text, s.paragraph = Text, false, s.until, true
	}
}

// content goes over the marks of the containers that go on in the line, and takes what is behind.
func (s *Scanner) content() {
	base := 0 // the column that the content of the containers begins in
	first := s.blanks(cursor{at: s.Start})
	blank := first.at == s.End
	matched := 0
	for ; matched < s.depth; matched++ {
		if width := int(s.containers[matched]); width != quoteMark {
			if blank && s.bare && matched == s.depth-1 || !blank && first.column-base < width {
				break
			}
			base += width
			continue
		}
		if blank || first.column-base > 3 || s.text[first.at] != '>' {
			break
		}
		first, base = s.afterQuote(first)
		blank = first.at == s.End
	}
	s.Text = first.at
	indented := first.column-base > 3
	if s.leaf != Blank {
		if matched == s.depth && s.goesOn(blank, indented) {
			return
		}
		s.leaf = Blank
	}
	switch {
	case blank:
		s.paragraph, s.depth, s.bare = false, matched, false
	case indented && !s.paragraph:
		s.Kind, s.depth, s.bare = Indented, matched, false
	default:
		s.bare = false
		s.starts(first, base, matched)
	}
}

// afterQuote is the content of a quote behind its mark, and the column that it counts from: a blank
// belongs to the mark, also as a part of a tab.
func (s *Scanner) afterQuote(c cursor) (content cursor, base int) {
	c.at++
	c.column++
	base = c.column
	if c.at < s.End && (s.text[c.at] == ' ' || s.text[c.at] == '\t') {
		base++
	}
	return s.blanks(c), base
}

// goesOn takes a line of the code or the HTML that is open. It reports whether it is one.
func (s *Scanner) goesOn(blank, indented bool) bool {
	line := s.text[s.Text:s.End]
	switch {
	case s.leaf == Code:
		s.Kind = Code
		if !indented && closesFence(line, s.mark, s.width) {
			s.Kind, s.leaf = Fence, Blank
		}
	case blank && s.closing == "":
		return false
	default:
		s.Kind = HTML
		s.endHTML(line)
	}
	s.Continues = true
	return true
}

// starts takes what begins in a line that is no indented code: containers, and in them a block;
// else it is text, which goes on with an open paragraph also where it leaves marks away.
func (s *Scanner) starts(first cursor, base, matched int) {
	open := s.paragraph // and may go on
	begin := func() {
		if open {
			open, s.paragraph = false, false
		}
		s.depth = max(matched, 0)
	}
	inside := open && matched == s.depth
	if !open {
		begin()
	}
	for first.at < s.End && first.column-base <= 3 && s.depth < maxContainers {
		if s.text[first.at] == '>' {
			begin()
			s.push(quoteMark)
			first, base = s.afterQuote(first)
		} else {
			column, after, ok := s.item(first, inside)
			if !ok {
				break
			}
			begin()
			s.push(int8(column - base))
			first, base, s.BeginsItem = after, column, true
		}
		matched, inside = s.depth, false
	}
	s.Text = first.at
	if first.at == s.End {
		s.bare = s.containers[s.depth-1] != quoteMark
		return
	}
	if first.column-base > 3 {
		if s.Kind, s.Continues = Text, true; !open {
			s.Kind, s.Continues = Indented, false
		}
		return
	}
	s.block(open, inside, begin)
}

func (s *Scanner) push(container int8) {
	s.containers[s.depth] = container
	s.depth++
}

// block takes what stands in a line behind all marks. A paragraph is open: it may go on; inside: the
// line is in all that the paragraph is in.
func (s *Scanner) block(open, inside bool, begin func()) {
	line := s.text[s.Text:s.End]
	switch line[0] {
	case '#':
		if s.Level = HeadingLevel(line); s.Level > 0 {
			s.Kind = Heading
		}
	case '`', '~':
		if s.mark, s.width = line[0], FenceWidth(line); s.width > 0 {
			s.Kind = Fence
			s.opens(Code, string(line[:s.width]))
		}
	case '=', '-', '*', '_':
		if s.Level = underlineLevel(line); s.Level > 0 && inside {
			s.Kind, s.paragraph = Underline, false
			return
		}
		if s.Level = 0; IsRule(line) {
			s.Kind = Rule
		}
	case '%', '$':
		s.hides(line)
	case '<':
		if closing, ok := opensHTML(line, !open); ok {
			s.Kind = HTML
			s.opens(HTML, closing)
			s.endHTML(line)
		}
	}
	if s.Kind != Blank {
		begin()
		return
	}
	if s.Kind, s.Continues = Text, open; !open {
		begin()
		s.paragraph = true
	}
}

func (s *Scanner) opens(leaf Kind, closing string) {
	s.leaf, s.closing, s.began = leaf, closing, s.Number
}

// hides takes a comment or math that goes over several lines: one that ends in its line is part of
// a paragraph. One that never ends hides the rest, math only where it stands alone in its line.
func (s *Scanner) hides(line []byte) {
	if len(line) < 2 || line[1] != line[0] {
		return
	}
	leaf, closing := Comment, line[:2]
	if line[0] == '$' {
		leaf = Math
	}
	if i := bytes.Index(line[2:], closing); i >= 0 {
		return
	}
	alone := leaf == Comment || len(bytes.TrimLeft(line[2:], " \t")) == 0
	if s.noMath && !alone {
		return
	}
	s.until = len(s.text)
	unclosed := ""
	if i := bytes.Index(s.text[s.End:], closing); i >= 0 {
		s.until = s.End + i + 2
	} else if unclosed = string(closing); !alone {
		s.noMath = true
		return
	}
	s.Kind = leaf
	s.opens(leaf, unclosed)
}
