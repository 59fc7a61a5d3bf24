package note

import (
	"bytes"
	"strings"
)

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
	p.note.Unclosed = p.unclosed()
	return p.note
}

// unclosed is what the end of the text is in.
func (p *parser) unclosed() Unclosed {
	switch {
	case p.skip == skipFence && len(p.items) == 0 && p.quotes == 0:
		return Unclosed{Line: p.began, Closing: strings.Repeat(string(rune(p.fence)), p.width)}
	case p.closing != "":
		if strings.HasPrefix(p.closing, "</") {
			p.closing += ">"
		}
		return Unclosed{Line: p.began, Closing: p.closing}
	}
	return Unclosed{}
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

	skip  skipped // what the lines are in, where that is no text
	fence byte    // skipFence: its character
	width int     // skipFence: how many of them opened it
	until int     // skipTo: text before it is not looked at
	open  string  // a closing mark that the rest does not have

	began   int    // the line on which what is skipped began: skipFence, skipTo
	closing string // skipTo: the closing mark that it lacks

	paragraph paragraph
	bare      bool // the line before began an item and had no text
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
	task       int // index of the task it is, from 1; 0: of none
}

// readLine reads the line that begins at pos and ends, line end included, at stop.
func (p *parser) readLine(stop int) {
	if p.skip == skipTo {
		if p.until > stop {
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
		// A line of text may go on with the paragraph of a quote whose mark it leaves away.
		if quotes < p.quotes && p.paragraph.open && p.skip == skipNone && isText(p.text[start:end]) {
			p.paragraph.end, p.bare = stop, false
			return
		}
		p.endParagraph()
		p.skip, p.items, p.quotes, p.bare = skipNone, p.items[:0], quotes, false
	}
	indent, at := indentOf(p.text[start:end])
	at += start
	content := p.text[at:end]
	if len(bytes.TrimSpace(content)) == 0 {
		p.endParagraph()
		if p.skip == skipHTML {
			p.skip = skipNone
		}
		if p.bare { // an item may begin with one empty line only
			p.items, p.bare = p.items[:len(p.items)-1], false
		}
		return
	}
	if p.skip != skipNone {
		outer := 0
		if n := len(p.items); n > 0 {
			outer = p.items[n-1]
		}
		if indent < outer { // its list item has ended
			p.skip = skipNone
			p.readLine(stop)
			return
		}
		if p.skip == skipFence && indent-outer < 4 && closesFence(content, p.fence, p.width) {
			p.skip = skipNone
		}
		return
	}
	p.bare = false
	p.readContent(at, end, stop, indent)
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
		if p.skip != skipNone && depth == p.quotes {
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
func isText(line []byte) bool {
	indent, at := indentOf(line)
	if line = line[at:]; indent >= 4 {
		return len(bytes.TrimSpace(line)) > 0
	}
	if len(bytes.TrimSpace(line)) == 0 || line[0] == '>' || isRule(line) || itemMarker(line) > 0 {
		return false
	}
	level, _ := atxLevel(line)
	mark, _ := fenceAt(line)
	name, open := htmlName(line)
	return level == 0 && mark == 0 && (!open || !rawHTML[name]) && !blockHTML[name] && !bytes.HasPrefix(line, []byte("<!--"))
}

// readContent reads a line that is not blank from at on, where the quotes and blanks before its
// text end. Its line end is from end to stop.
func (p *parser) readContent(at, end, stop, indent int) {
	content := p.text[at:end]
	interrupts := p.paragraph.open
	open, outer := len(p.items), 0 // items the line is in, and where the text of the innermost begins
	for open > 0 && indent < p.items[open-1] {
		open--
	}
	if open > 0 {
		outer = p.items[open-1]
	}
	if open < len(p.items) {
		if p.paragraph.open && (indent-outer >= 4 || isText(content)) {
			p.paragraph.end = stop
			return
		}
		p.endParagraph()
		interrupts = false
		p.items = p.items[:open]
	}
	marker := itemMarker(content)
	if interrupts && !mayInterrupt(content, marker) {
		marker = 0
	}
	if indent-outer >= 4 {
		if p.paragraph.open {
			p.paragraph.end = stop
		}
		return // indented code, or a paragraph's next line
	}
	if marker > 0 {
		var done bool
		if at, done = p.readItems(at, end, stop, indent, marker); done {
			return
		}
		content = p.text[at:end]
	}
	p.readText(at, end, stop, content)
}

// readItems reads the markers of the list items that begin on a line, the first of them at at. It
// returns where what is in the last one begins; done says that nothing is left of the line.
func (p *parser) readItems(at, end, stop, indent, marker int) (next int, done bool) {
	for marker > 0 {
		p.endParagraph()
		content := p.text[at:end]
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
			return at, true // an item that begins with indented code
		}
		if mark, size, ok := boxAt(content); ok {
			p.startTask(mark, at+size, end, stop)
			return at, true
		}
		marker = itemMarker(content)
	}
	p.bare = at == end
	return at, p.bare
}

// readText reads what stands on a line from at on, behind all markers: a heading, what begins
// something that is no text, or text.
func (p *parser) readText(at, end, stop int, content []byte) {
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
	case p.paragraph.open && setextLevel(content) > 0:
		if !inItem && p.quotes == 0 {
			first, line := p.paragraph.start, p.paragraph.line
			text := string(bytes.Join(bytes.Fields(p.text[first:p.paragraph.end]), []byte(" ")))
			p.addHeading(setextLevel(content), text, line, first, stop)
		}
		p.endParagraph()
		return
	case isRule(content):
		p.endParagraph()
		return
	}
	if mark, width := fenceAt(content); mark != 0 {
		p.endParagraph()
		p.skip, p.fence, p.width, p.began = skipFence, mark, width, p.line
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
}
