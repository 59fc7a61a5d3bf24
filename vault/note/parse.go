package note

import (
	"bytes"

	"chatvault/vault/block"
)

// Parse reads a note. It takes time linear in the text, whatever the text.
func Parse(text []byte) Note {
	front := frontSpan(text)
	p := parser{text: text, note: Note{Front: front}}
	if front.Lines > 0 {
		p.readFront()
	}
	lines := block.New(text)
	for lines.Scan() {
		p.readLine(&lines.Line)
	}
	p.endParagraph()
	p.note.Unclosed.Line, p.note.Unclosed.Closing = lines.Unclosed()
	return p.note
}

// parser goes over a text line by line.
type parser struct {
	text      []byte
	note      Note
	under     string // the heading before
	paragraph paragraph
}

// paragraph is a run of lines whose inline text belongs together.
type paragraph struct {
	open       bool
	start, end int // bytes
	line       int
	quotes     int // around it
	task       int // index of the task it is, from 1; 0: of none
}

func (p *parser) readLine(l *block.Line) {
	content := p.text[l.Text:l.End]
	outside := l.Items == 0 && l.Quotes == 0
	switch l.Kind {
	case block.Text:
		if l.Continues && p.paragraph.open {
			p.paragraph.end = l.Next
			return
		}
		p.startParagraph(l, l.Text)
		if mark, size, ok := boxAt(content); ok && l.BeginsItem {
			p.startTask(l, mark, l.Text+size)
		}
	case block.Heading:
		p.startParagraph(l, l.Text+l.Level)
		p.endParagraph()
		if outside {
			p.addHeading(l.Level, block.HeadingText(content), l.Number, l.Start, l.Next)
		}
	case block.Underline:
		if outside {
			text := string(bytes.Join(bytes.Fields(p.text[p.paragraph.start:p.paragraph.end]), []byte(" ")))
			p.addHeading(l.Level, text, p.paragraph.line, p.paragraph.start, l.Next)
		}
		p.endParagraph()
	case block.HTML:
		p.endParagraph()
		if bytes.HasPrefix(content, []byte("<!--")) && bytes.Contains(content[2:], []byte("-->")) {
			p.startParagraph(l, l.Text) // what stands behind a comment counts
			p.endParagraph()
		}
	default:
		p.endParagraph()
	}
}
