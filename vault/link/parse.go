package link

import (
	"bytes"
	"net/url"
	"strings"
)

// Parse returns the links of a text, in order. The file's name says what it is: a note, a canvas,
// or something without links.
func Parse(_ string, text []byte) []Link {
	var links []Link
	line := 1
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		links = parseLine(text, at, end, line, links)
		at, line = end+1, line+1
	}
	return links
}

func parseLine(text []byte, at, end, line int, links []Link) []Link {
	for at < end {
		open := bytes.IndexByte(text[at:end], '[')
		if open < 0 {
			break
		}
		open += at
		embed := open > at && text[open-1] == '!'
		l := Link{Line: line, Whole: Span{Start: open}}
		if embed {
			l.Whole.Start--
		}
		var dest Span
		if open+1 < end && text[open+1] == '[' {
			stop := bytes.Index(text[open:end], []byte("]]"))
			if stop < 0 {
				break
			}
			l.Whole.End = open + stop + 2
			dest = Span{open + 2, open + stop}
			if embed {
				l.Kind = Embed
			}
			if i := bytes.IndexByte(text[dest.Start:dest.End], '|'); i >= 0 {
				l.Alias = string(text[dest.Start+i+1 : dest.End])
				dest.End = dest.Start + i
			}
		} else {
			mid := bytes.Index(text[open:end], []byte("]("))
			if mid < 0 {
				break
			}
			stop := bytes.IndexByte(text[open+mid:end], ')')
			if stop < 0 {
				break
			}
			l.Kind = Markdown
			if embed {
				l.Kind = Image
			}
			l.Alias = string(text[open+1 : open+mid])
			l.Whole.End = open + mid + stop + 1
			dest = Span{open + mid + 2, open + mid + stop}
		}
		at = l.Whole.End
		if i := bytes.IndexByte(text[dest.Start:dest.End], '#'); i >= 0 {
			l.Anchor = string(text[dest.Start+i : dest.End])
			dest.End = dest.Start + i
		}
		l.Dest, l.Path = dest, string(text[dest.Start:dest.End])
		if l.Kind == Markdown || l.Kind == Image {
			if plain, err := url.PathUnescape(l.Path); err == nil {
				l.Path = plain
			}
		}
		if !strings.Contains(l.Path, "://") {
			links = append(links, l)
		}
	}
	return links
}
