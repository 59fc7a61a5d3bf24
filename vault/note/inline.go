package note

import (
	"bytes"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/vault/block"
)

func (p *parser) startParagraph(l *block.Line, start int) {
	p.endParagraph()
	p.paragraph = paragraph{open: true, start: start, end: l.Next, line: l.Number, quotes: l.Quotes}
}

func (p *parser) startTask(l *block.Line, mark rune, box int) {
	start := l.Text + box
	text := string(bytes.TrimSpace(p.text[start:l.End]))
	day, _, _ := due(text, time.Now())
	p.note.Tasks = append(p.note.Tasks, Task{Text: text, Mark: mark, Line: l.Number, Heading: p.under, Due: day, at: l.Text + 1})
	p.paragraph.start, p.paragraph.task = start, len(p.note.Tasks)
}

func (p *parser) addHeading(level int, text string, line, start, end int) {
	p.note.Headings = append(p.note.Headings, Heading{Level: level, Text: text, Line: line, Start: start, End: end})
	p.under = text
}

// endParagraph reads the tags of the open paragraph.
func (p *parser) endParagraph() {
	if !p.paragraph.open {
		return
	}
	p.paragraph.open = false
	text := p.text[p.paragraph.start:p.paragraph.end]
	if bytes.IndexByte(text, '#') < 0 {
		return
	}
	in := inline{text: text, plain: block.NewInline(text), line: p.paragraph.line, quotes: p.paragraph.quotes, failed: map[string]bool{}}
	in.read(func(at int, name string) {
		line := in.line
		p.tagged(p.paragraph.start+at, name)
		p.note.Tags = append(p.note.Tags, Tag{Name: name, Line: line})
		if p.paragraph.task > 0 && line == p.paragraph.line {
			task := &p.note.Tasks[p.paragraph.task-1]
			task.Tags = append(task.Tags, name)
		}
	})
}

// inline finds the tags in a paragraph, skipping code, comments, math, HTML and link destinations. A failed search
// for a closing mark is not repeated, so it takes linear time.
type inline struct {
	text   []byte
	line   int
	quotes int

	plain  block.Inline
	failed map[string]bool // the closing marks that the rest of the text does not contain
}

func (in *inline) read(tag func(at int, name string)) {
	text := in.text
	boundary := true // a tag may begin here
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\n':
			i++
			in.line++
			for q := in.quotes; q > 0; q-- {
				blanks := len(text[i:]) - len(bytes.TrimLeft(text[i:], " \t"))
				if i+blanks == len(text) || text[i+blanks] != '>' {
					break
				}
				i += blanks + 1
			}
			boundary = true
			continue
		case ' ', '\t', '\r':
			boundary = true
			i++
			continue
		case '*', '_', '~', '=': // emphasis may open before a tag
			i++
			continue
		case '#':
			if n := tagAt(text[i+1:]); boundary && n > 0 {
				tag(i, string(text[i+1:i+1+n]))
				i += 1 + n
				continue // #one#two are two tags
			}
			i++
		case '\\':
			if i+1 < len(text) && text[i+1] != '\n' && text[i+1] != '\r' { // a line break at the end of a line
				i++
			}
			i++
		default:
			if end := in.skipFrom(i); end > i {
				in.line += bytes.Count(text[i:end], []byte("\n"))
				i = end
				break
			}
			if c < utf8.RuneSelf {
				i++
				break
			}
			r, size := utf8.DecodeRune(text[i:])
			i += size
			if unicode.IsSpace(r) {
				boundary = true
				continue
			}
		}
		boundary = false
	}
}

// skipped are the opening and closing marks of comments, wikilinks and link destinations.
var skipped = [...][2]string{{"<!--", "-->"}, {"[[", "]]"}, {"](", ")"}}

// skipFrom returns the end of a construct at i that cannot contain a tag, or i if there is none.
func (in *inline) skipFrom(i int) int {
	rest := in.text[i:]
	switch rest[0] {
	case '`', '%', '$':
		return in.plain.Skip(i)
	case '<', '[', ']':
		for _, marks := range skipped {
			if bytes.HasPrefix(rest, []byte(marks[0])) {
				return in.to(i, len(marks[0]), marks[1])
			}
		}
		if name, _ := block.TagName(rest); name != "" {
			return in.to(i, 1, ">")
		}
	}
	return i
}

// to returns the end of the closing mark after i, given an opening mark of size bytes, or i if there is none.
func (in *inline) to(i, size int, closing string) int {
	n := -1
	if !in.failed[closing] {
		n = bytes.Index(in.text[i+size:], []byte(closing))
	}
	if n < 0 {
		in.failed[closing] = true
		return i
	}
	return i + size + n + len(closing)
}

// inTag reports whether a character can be part of a tag: letters, digits, symbols and emoji of any script, "-", "_"
// and "/", but no blanks, controls, or other punctuation of ASCII or of Unicode's general and supplemental blocks.
func inTag(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '/'
	case r >= 0x2000 && r <= 0x206f, r >= 0x2e00 && r <= 0x2e7f, r == 0xfeff, r == utf8.RuneError:
		return false
	}
	return !unicode.IsSpace(r) && !unicode.IsControl(r)
}

// tagAt returns the length in bytes of the tag, without its "#", at the start of s; 0 if there is none. Digits alone
// are not a tag, and a trailing "/" is not part of it.
func tagAt(s []byte) int {
	n := 0
	for n < len(s) {
		r, size := rune(s[n]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s[n:])
		}
		if !inTag(r) {
			break
		}
		n += size
	}
	for n > 0 && s[n-1] == '/' {
		n--
	}
	for _, c := range s[:n] {
		if c < '0' || c > '9' {
			return n
		}
	}
	return 0
}

// IsTag reports whether s, without "#", can be a tag.
func IsTag(s string) bool { return s != "" && tagAt([]byte(s)) == len(s) }
