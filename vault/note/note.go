// Package note extracts headings, tags, tasks, properties and aliases from a note, with their line numbers. It works
// on texts and does no I/O. Like Obsidian, it ignores code, comments and math.
package note

import (
	"bytes"
	"time"

	"chatvault/vault/block"
)

// Note is the parsed content of a note. Line numbers are 1-based.
type Note struct {
	Front    Front
	Headings []Heading
	Tags     []Tag  // from the front matter and the text, sorted by position
	Tasks    []Task // list items with a checkbox
	Aliases  []string
	Unclosed Unclosed
}

// Unclosed is a block that is still open at the end of a note: appended text becomes part of it. A block that its
// list item or quote would close does not count.
type Unclosed struct {
	Line    int    // the line on which it begins; 0 if there is none
	Closing string // the closing mark: "```", "%%", "-->"
}

// Front is the note's front matter, between a first line "---" and the next one.
type Front struct {
	Start, End int   // byte range between the two lines; equal if there is none or it is empty
	Lines      int   // number of lines, including the two; 0 if there is none
	Err        error // why it cannot be parsed
}

// Heading is a heading of the text.
type Heading struct {
	Level      int // 1 to 6
	Text       string
	Line       int
	Start, End int // byte range of its line
}

// Tag is a tag without its "#", in its original case: "project/alpha".
type Tag struct {
	Name string
	Line int
}

// Task is a list item with a checkbox.
type Task struct {
	Text    string // without the checkbox
	Mark    rune   // the character in the checkbox: ' ', 'x', '-', …
	Line    int
	Heading string // text of the preceding heading; "" if none
	Tags    []string
	Due     time.Time // midnight UTC; zero if unknown, see due

	at int // byte offset of the mark
}

// Done reports whether the task is done or cancelled.
func (t Task) Done() bool { return Statuses(nil).Done(t.Mark) }

// Parse parses a note. It takes time linear in the length of any text.
func Parse(text []byte) Note { return InFront.Parse(text) }

// parse is Parse. tagged is called with the offset of the "#" of each tag in the text after the front matter.
func parse(text []byte, form Form, tagged func(at int, name string)) Note {
	front := frontSpan(text)
	p := parser{text: text, form: form, note: Note{Front: front}, tagged: tagged}
	p.readFront()
	lines := block.New(text)
	for lines.Scan() {
		p.readLine(&lines.Line)
	}
	p.endParagraph()
	p.note.Unclosed.Line, p.note.Unclosed.Closing = lines.Unclosed()
	return p.note
}

// parser reads a text line by line.
type parser struct {
	text      []byte
	form      Form
	note      Note
	under     string // text of the last heading
	paragraph paragraph
	tagged    func(at int, name string)
}

// paragraph is a run of lines that form one inline text.
type paragraph struct {
	open       bool
	start, end int // byte range
	line       int
	quotes     int // number of enclosing quotes
	task       int // 1-based index of the task that it is; 0 if none
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
			p.startTask(l, mark, size)
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
			p.startParagraph(l, l.Text) // text after a comment counts
			p.endParagraph()
		}
	default:
		p.endParagraph()
	}
}
