// Package note reads what a note says about itself: headings, tags, tasks, properties, aliases,
// the lines they stand on. It works on texts and opens nothing. Code, comments and math are left
// out, as Obsidian leaves them out.
package note

import (
	"bytes"
	"time"

	"chatvault/vault/block"
)

// Note is what was read from a text. Lines are 1-based.
type Note struct {
	Front    Front
	Headings []Heading
	Tags     []Tag  // in the text and in the front matter, as they come
	Tasks    []Task // list items with a box
	Aliases  []string
	Unclosed Unclosed
}

// Unclosed is a block at the end of a note that nothing closes: all that is added there is part of
// it. One that ends with its list item or quote is none.
type Unclosed struct {
	Line    int    // where it begins; 0: there is none
	Closing string // what would close it: "```", "%%", "-->"
}

// Front is the note's front matter, between its first line "---" and the next such line.
type Front struct {
	Start, End int   // bytes of what is between the two lines; equal: none, or empty
	Lines      int   // lines of it, the two included; 0: there is none
	Err        error // why it cannot be parsed; nil: it can
}

// Heading is a heading as it stands in the text.
type Heading struct {
	Level      int // 1 to 6
	Text       string
	Line       int
	Start, End int // bytes of its line
}

// Tag is a tag without its "#", in the case it was written in: "project/alpha".
type Tag struct {
	Name string
	Line int
}

// Task is a list item with a box.
type Task struct {
	Text    string // without the box
	Mark    rune   // what is in the box: ' ', 'x', '-', …
	Line    int
	Heading string // that it stands under; "": none
	Tags    []string
	Due     time.Time // midnight UTC; zero: it does not say, see due
}

// Done reports whether the task needs nothing any more.
func (t Task) Done() bool { return t.Mark == 'x' || t.Mark == 'X' || t.Mark == '-' }

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
