package chat

import (
	"bytes"

	"chatvault/tui/markdown"
)

const (
	// maxFlow bounds what is kept of a flow, in bytes.
	maxFlow = 128 << 10
	// maxTail is how long the unfinished end of a flow gets before it is drawn for good, in bytes.
	maxTail = 2 << 10
)

// flow is plain text that arrives and is wrapped as it does: what was drawn once is not drawn
// again, however long it gets. Of a very long text the beginning is kept.
type flow struct {
	text    []byte
	left    int // bytes that were not kept
	width   int
	open    string   // begins its style
	lines   []string // the beginning, drawn for good
	settled int      // bytes of text that lines holds
}

func (f *flow) add(text string) {
	room := maxFlow - len(f.text)
	if f.left > 0 || len(text) > room {
		if f.left == 0 {
			cut := string(bytes.ToValidUTF8([]byte(text[:room]), nil))
			f.text = append(f.text, cut...)
			text = text[len(cut):]
		}
		f.left += len(text)
		return
	}
	f.text = append(f.text, text...)
}

// draw gives the lines in the style that open begins. They are valid until the next draw.
func (f *flow) draw(width int, open string) []string {
	if f.width != width || f.open != open {
		f.width, f.open, f.lines, f.settled = width, open, nil, 0
	}
	for {
		rest := f.text[f.settled:]
		end := bytes.IndexByte(rest, '\n')
		next := end + 1
		if end < 0 {
			if len(rest) <= maxTail {
				break
			}
			if end = bytes.LastIndexByte(rest[:maxTail], ' '); end <= 0 {
				break // one endless word
			}
			next = end + 1
		} else if end > maxTail {
			// The same cuts as while it arrived.
			if at := bytes.LastIndexByte(rest[:maxTail], ' '); at > 0 {
				end, next = at, at+1
			}
		}
		f.lines = append(f.lines, markdown.Wrap(string(rest[:end]), open, width)...)
		f.settled += next
	}
	if tail := f.text[f.settled:]; len(tail) > 0 {
		return append(f.lines[:len(f.lines):len(f.lines)], markdown.Wrap(string(tail), open, width)...)
	}
	return f.lines
}

// last is the end of the text that is not ended by a line break: at most n bytes.
func (f *flow) last(n int) string {
	text := bytes.TrimRight(f.text, " \n")
	if at := bytes.LastIndexByte(text, '\n'); at >= 0 {
		text = text[at+1:]
	}
	if len(text) > n {
		text = text[len(text)-n:]
	}
	return string(bytes.ToValidUTF8(text, nil))
}
