// Package block classifies the lines of a Markdown text: front matter, headings, code, comments, math, HTML and text,
// with their surrounding quotes and list items. It follows CommonMark 0.31, plus Obsidian's front matter,
// %%comments%% and $$math$$. Section numbers in comments refer to CommonMark. It does no I/O and takes time linear in
// the text.
package block

import "bytes"

// Kind is the kind of a line.
type Kind uint8

// The kinds of lines.
const (
	Blank     Kind = iota // empty, or an empty list item or quote
	Text                  // of a paragraph
	Heading               // "## Text" (4.2)
	Underline             // makes the preceding paragraph a heading (4.3)
	Rule                  // a thematic break (4.1)
	Fence                 // opens or closes fenced code (4.5)
	Code                  // between fences
	Indented              // code by its indentation (4.4)
	Comment               // of a multi-line comment between %%
	Math                  // of multi-line math between $$
	HTML                  // of an HTML block (4.6)
	Property              // of the front matter, including both delimiter lines
)

// Line is a line of a text. Its positions are byte offsets in the text.
type Line struct {
	Kind       Kind
	Number     int  // from 1
	Start      int  // start of the line
	Text       int  // start of the content, after blanks and the markers of quotes and list items
	End        int  // end of the line, without its line ending
	Next       int  // start of the next line
	Level      int  // of a Heading or an Underline: 1 to 6
	Items      int  // number of enclosing list items
	Quotes     int  // number of enclosing quotes
	BeginsItem bool // a list item begins on this line
	Continues  bool // it continues the paragraph, code, comment, math or HTML of the previous line
}

// maxContainers limits the quotes and list items around a line; deeper ones are text.
const maxContainers = 100

// quoteMark represents a quote in Scanner.containers.
const quoteMark = -1

// Scanner reads the lines of a text. The embedded Line is the current one.
type Scanner struct {
	Line
	text                  []byte
	frontStart, frontStop int // the front matter, without its delimiter lines
	body                  int // start of the text after the front matter

	// The open quotes and list items, outermost first. For an item, the number of columns between the start of its
	// parent's content and its own.
	containers [maxContainers]int8
	depth      int
	emptyItem  bool // the innermost container is a list item that is empty so far

	paragraph bool   // a paragraph is open
	leaf      Kind   // the open leaf block: Code, Comment, Math or HTML; Blank if none
	leafLine  int    // the line on which it began
	mark      byte   // Code: the fence character
	width     int    // Code: the length of the fence
	leafEnd   int    // Comment, Math: where it ends
	closing   string // the text that would close it; Comment, Math: "" if the text contains it
	noMath    bool   // the rest contains no "$$"
}

// New returns a scanner positioned before the first line of text.
func New(text []byte) Scanner {
	s := Scanner{text: text}
	s.Next = len(text) - len(bytes.TrimPrefix(text, []byte("\ufeff")))
	s.frontStart, s.frontStop, s.body = FrontMatter(text)
	return s
}

// Fragment returns a scanner of a text that has no front matter.
func Fragment(text []byte) Scanner { return Scanner{text: text} }

// Open returns the block that continues after the line: Code, Comment, Math or HTML; Blank if none.
func (s *Scanner) Open() Kind { return s.leaf }

// Front returns the range between the front matter's delimiter lines; start equals end if there is none.
func (s *Scanner) Front() (start, end int) { return s.frontStart, s.frontStop }

// Unclosed returns the line on which the block that is still open at the end of the text began, and the text that
// would close it; 0 and "" if there is none. A block that its list item or quote would close does not count.
func (s *Scanner) Unclosed() (line int, closing string) {
	if s.leaf == Blank || s.closing == "" || s.depth > 0 && s.leaf != Comment && s.leaf != Math {
		return 0, ""
	}
	return s.leafLine, s.closing
}

// FrontMatter returns the range of the front matter, which is the text between a first line "---" and the next one,
// trailing blanks allowed, and where the body begins. Without front matter, all three are the offset after the byte
// order mark.
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

// LineStop returns the end of the line that contains the offset, including its line ending.
func LineStop(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// cursor is a position in a line: its offset and its column, with tab stops every four columns.
type cursor struct{ at, column int }

// blanks skips spaces and tabs.
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

// Scan advances to the next line and reports whether there is one.
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
		s.continueHidden()
	case s.depth == 0 && s.leaf == Blank && (start == end || isLetter(s.text[start])): // most lines
		s.emptyItem = false
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

// continueHidden classifies a line inside an open comment or math block. Text after the end of the block is a paragraph.
func (s *Scanner) continueHidden() {
	s.Kind, s.Continues = s.leaf, true
	if s.closing != "" || s.leafEnd > s.Next {
		return
	}
	s.leaf = Blank
	if c := s.blanks(cursor{at: s.leafEnd}); c.at < s.End {
		s.Kind, s.Continues, s.Text, s.paragraph = Text, false, s.leafEnd, true
	}
}

// content matches the markers of the open containers and classifies the rest of the line.
func (s *Scanner) content() {
	base := 0 // the column that the content of the containers begins in
	first := s.blanks(cursor{at: s.Start})
	blank := first.at == s.End
	matched := 0
	for ; matched < s.depth; matched++ {
		if width := int(s.containers[matched]); width != quoteMark {
			if blank && s.emptyItem && matched == s.depth-1 || !blank && first.column-base < width {
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
		if matched == s.depth && s.continueLeaf(blank, indented) {
			return
		}
		s.leaf = Blank
	}
	switch {
	case blank:
		s.paragraph, s.depth, s.emptyItem = false, matched, false
	case indented && !s.paragraph:
		s.Kind, s.depth, s.emptyItem = Indented, matched, false
	default:
		s.emptyItem = false
		s.openBlocks(first, base, matched)
	}
}

// afterQuote returns the position after a quote marker and the column at which the quote's content begins. One space,
// or one column of a tab, belongs to the marker.
func (s *Scanner) afterQuote(c cursor) (content cursor, base int) {
	c.at++
	c.column++
	base = c.column
	if c.at < s.End && (s.text[c.at] == ' ' || s.text[c.at] == '\t') {
		base++
	}
	return s.blanks(c), base
}

// continueLeaf classifies a line of the open code or HTML block. It reports whether the line belongs to it.
func (s *Scanner) continueLeaf(blank, indented bool) bool {
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

// openBlocks handles a line that is not indented code: it opens containers and the block in them. Otherwise the line is
// text, which continues an open paragraph even without the markers of its containers (lazy continuation).
func (s *Scanner) openBlocks(first cursor, base, matched int) {
	open := s.paragraph
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
		s.emptyItem = s.containers[s.depth-1] != quoteMark
		return
	}
	if first.column-base > 3 {
		if s.Kind, s.Continues = Text, true; !open {
			s.Kind, s.Continues = Indented, false
		}
		return
	}
	s.classify(open, inside, begin)
}

func (s *Scanner) push(container int8) {
	s.containers[s.depth] = container
	s.depth++
}

// classify classifies the content of a line. open is set if the line may continue a paragraph, inside if the line has
// the markers of all containers of that paragraph.
func (s *Scanner) classify(open, inside bool, begin func()) {
	line := s.text[s.Text:s.End]
	switch line[0] {
	case '#':
		if s.Level = HeadingLevel(line); s.Level > 0 {
			s.Kind = Heading
		}
	case '`', '~':
		if s.mark, s.width = line[0], FenceWidth(line); s.width > 0 {
			s.Kind = Fence
			s.openLeaf(Code, string(line[:s.width]))
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
		s.openHidden(line)
	case '<':
		if closing, ok := opensHTML(line, !open); ok {
			s.Kind = HTML
			s.openLeaf(HTML, closing)
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

func (s *Scanner) openLeaf(leaf Kind, closing string) {
	s.leaf, s.closing, s.leafLine = leaf, closing, s.Number
}

// openHidden opens a multi-line comment or math block; one that ends on its own line is part of a paragraph. An unclosed
// one extends to the end of the text; unclosed math does so only if "$$" is alone on its line.
func (s *Scanner) openHidden(line []byte) {
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
	s.leafEnd = len(s.text)
	unclosed := ""
	if i := bytes.Index(s.text[s.End:], closing); i >= 0 {
		s.leafEnd = s.End + i + 2
	} else if unclosed = string(closing); !alone {
		s.noMath = true
		return
	}
	s.Kind = leaf
	s.openLeaf(leaf, unclosed)
}
