package note

import "bytes"

// Parse reads a note. It takes time linear in the text, whatever the text.
func Parse(text []byte) Note {
	front, body := frontSpan(text)
	p := parser{text: text, pos: body, line: 1 + front.Lines, note: Note{Front: front}}
	if front.Lines > 0 {
		p.readFront()
	}
	for p.pos < len(p.text) {
		stop := lineStop(text, p.pos)
		p.readLine(stop)
		p.pos = stop
		p.line++
	}
	p.endParagraph()
	return p.note
}

// parser goes over a text line by line and knows of CommonMark's blocks what it needs to tell
// text from what is none.
type parser struct {
	text []byte
	pos  int // where the line begins that is being read
	line int // its number
	note Note

	quotes int   // block quotes the line before was in
	items  []int // columns at which the content of the list items begins that are open, outermost first
	under  string

	skip   skipped // what the lines are in, where that is no text
	fence  byte    // skipFence: its character
	width  int     // skipFence: how many of them opened it
	until  int     // skipTo: text before it is not looked at
	noMath bool    // there is no "$$" in the rest

	paragraph paragraph
	blank     bool // the line before was blank
}

// skipped is a block whose lines are not looked at.
type skipped int

const (
	skipNone  skipped = iota
	skipFence         // fenced code, to its closing fence
	skipHTML          // HTML, to a blank line
	skipTo            // a comment or math, to parser.until
)

// paragraph is a run of lines whose inline text belongs together.
type paragraph struct {
	open       bool
	start, end int // bytes
	line       int
	plain      bool // neither in a list nor in a quote: what a setext heading can be made of
	task       int  // index of the task it is, from 1; 0: of none
}

// readLine reads the line that begins at pos and ends, line end included, at stop.
func (p *parser) readLine(stop int) {
	if p.skip == skipTo {
		if p.until >= stop {
			return
		}
		p.skip = skipNone
		if rest := bytes.TrimSpace(p.text[p.until:stop]); len(rest) > 0 {
			p.startParagraph(p.until, stop)
		}
		return
	}
	end := stop
	for end > p.pos && (p.text[end-1] == '\n' || p.text[end-1] == '\r') {
		end--
	}
	start, quotes := p.quotePrefix(p.pos, end)
	if quotes != p.quotes {
		lazy := quotes < p.quotes && p.paragraph.open && p.skip == skipNone && p.isText(p.text[start:end])
		if !lazy {
			p.endParagraph()
			p.skip, p.items, p.quotes, p.blank = skipNone, p.items[:0], quotes, false
		}
	}
	indent, at := indentOf(p.text[start:end])
	at += start
	content := p.text[at:end]
	if len(bytes.TrimSpace(content)) == 0 {
		p.endParagraph()
		if p.skip == skipHTML {
			p.skip = skipNone
		}
		p.blank = true
		return
	}
	if p.skip == skipFence {
		if n := len(p.items); n == 0 || indent >= p.items[n-1] {
			if closesFence(content, p.fence, p.width) {
				p.skip = skipNone
			}
			return
		}
		p.skip = skipNone // its list item has ended
	}
	if p.skip == skipHTML {
		return
	}
	p.readContent(at, end, stop, indent)
	p.blank = false
}

// quotePrefix takes the ">" off a line that begins at start, and says how many there are.
func (p *parser) quotePrefix(start, end int) (at, depth int) {
	for at = start; ; {
		next, blanks := at, 0
		for next < end && (p.text[next] == ' ' || p.text[next] == '\t') {
			next++
			blanks++
		}
		if next == end || p.text[next] != '>' || blanks > 3 && len(p.items) == 0 {
			return at, depth
		}
		if p.skip == skipFence && depth == p.quotes {
			return at, depth // part of the code
		}
		if at = next + 1; at < end && p.text[at] == ' ' {
			at++
		}
		depth++
	}
}

// indentOf is the column a line's text begins at, tabs taken to the next multiple of four, and its
// offset.
func indentOf(line []byte) (column, offset int) {
	for offset < len(line) {
		switch line[offset] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, offset
		}
		offset++
	}
	return column, offset
}

// isText reports whether a line, by itself, begins no block: it may go on with a paragraph that
// is indented or quoted deeper.
func (p *parser) isText(line []byte) bool {
	_, at := indentOf(line)
	line = line[at:]
	level, _ := atxLevel(line)
	mark, _ := fenceAt(line)
	return len(bytes.TrimSpace(line)) > 0 && level == 0 && mark == 0 && itemMarker(line) == 0 && !isRule(line) && line[0] != '>'
}

// readContent reads a line that is not blank from at on, where the quotes and blanks before its
// text end. Its line end is from end to stop.
func (p *parser) readContent(at, end, stop, indent int) {
	content := p.text[at:end]
	if n := len(p.items); n > 0 && indent < p.items[n-1] && !(p.paragraph.open && p.isText(content)) {
		for n > 0 && indent < p.items[n-1] {
			n--
		}
		p.items = p.items[:n]
	}
	outer := 0
	if n := len(p.items); n > 0 {
		outer = p.items[n-1]
	}
	marker := itemMarker(content)
	if indent-outer >= 4 && (marker == 0 || len(p.items) == 0 || p.blank) {
		if p.paragraph.open {
			p.paragraph.end = stop
		}
		return // indented code, or a paragraph's next line
	}
	for marker > 0 {
		p.endParagraph()
		blanks, skip := indentOf(content[marker:])
		width := indent + marker + blanks
		if blanks > 4 || marker+skip == len(content) {
			width = indent + marker + 1
		}
		p.items = append(p.items, width)
		at += marker + skip
		indent += marker + blanks
		content = p.text[at:end]
		if blanks > 4 {
			return // an item that begins with indented code
		}
		if mark, size, ok := boxAt(content); ok {
			p.startTask(mark, at+size, end, stop)
			return
		}
		marker = itemMarker(content)
	}
	if len(content) == 0 {
		return
	}
	inItem := len(p.items) > 0
	switch level, offset := atxLevel(content); {
	case level > 0:
		p.endParagraph()
		if !inItem && p.quotes == 0 {
			p.addHeading(level, headingText(content[offset:]), p.line, p.pos, stop)
		}
		p.startParagraph(at+offset, stop)
		p.endParagraph()
		return
	case p.paragraph.open && p.paragraph.plain && !inItem && p.quotes == 0 && setextLevel(content) > 0:
		first, line := p.paragraph.start, p.paragraph.line
		text := string(bytes.Join(bytes.Fields(p.text[first:p.paragraph.end]), []byte(" ")))
		p.addHeading(setextLevel(content), text, line, first, stop)
		p.endParagraph()
		return
	case isRule(content):
		p.endParagraph()
		return
	}
	if mark, width := fenceAt(content); mark != 0 {
		p.endParagraph()
		p.skip, p.fence, p.width = skipFence, mark, width
		return
	}
	if p.opensSkipped(at, end, content) {
		return
	}
	if p.paragraph.open {
		p.paragraph.end = stop
		return
	}
	p.startParagraph(at, stop)
	p.paragraph.plain = !inItem && p.quotes == 0
}

// opensSkipped looks for what hides the lines after it: comments, math, HTML. What ends on the
// line it begins on is the paragraph's business.
func (p *parser) opensSkipped(at, end int, content []byte) bool {
	begin := func(mark, closing string, none *bool, toEnd bool) bool {
		if !bytes.HasPrefix(content, []byte(mark)) || none != nil && *none {
			return false
		}
		i := bytes.Index(p.text[at+len(mark):], []byte(closing))
		if i < 0 {
			if none != nil {
				*none = true
			}
			if !toEnd {
				return false
			}
			p.endParagraph()
			p.skip, p.until = skipTo, len(p.text)
			return true
		}
		if until := at + len(mark) + i + len(closing); until > end {
			p.endParagraph()
			p.skip, p.until = skipTo, until
			return true
		}
		return false
	}
	switch content[0] {
	case '%':
		return begin("%%", "%%", nil, true)
	case '$':
		return begin("$$", "$$", &p.noMath, false)
	case '<':
		if begin("<!--", "-->", nil, true) {
			return true
		}
		switch name, open := htmlName(content); {
		case name == "":
			return false
		case open && rawHTML[name]:
			return begin(string(content[:1+len(name)]), "</"+string(content[1:1+len(name)]), nil, true)
		case blockHTML[name]:
			p.endParagraph()
			p.skip = skipHTML
			return true
		}
	}
	return false
}
