package chat

import (
	"fmt"
	"unicode/utf8"

	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// document is Markdown, possibly still streaming, drawn at a requested width.
type document struct {
	env    *Env
	source []byte
	done   bool

	stream *markdown.Stream
	width  int // of stream; look is its theme
	look   int
	// lines are the stream's lines with a margin; the first kept of them are final.
	lines    []string
	kept     int
	cites    cites
	reported int // the value of notShown in the last lines
}

// same reports whether two slices are identical, not just equal.
func same(before, lines []string) bool {
	return len(before) == len(lines) && (len(lines) == 0 || &before[0] == &lines[0])
}

func (d *document) append(text string) {
	was := len(d.shown())
	d.source = append(d.source, text...)
	if d.stream != nil {
		d.stream.Append(string(d.shown()[was:]))
	}
}

func (d *document) finish() {
	d.done = true
	d.cites.version = -1
	if d.stream != nil {
		d.stream.Finish()
	}
}

// clear removes all received text.
func (d *document) clear() { *d = document{env: d.env, cites: cites{chosen: d.cites.chosen}} }

func (d *document) empty() bool { return len(d.source) == 0 }

// draw returns the lines of the text at a width, each after margin.
func (d *document) draw(width int, margin string) []string {
	if d.empty() {
		return nil
	}
	if d.stream == nil || d.width != width || d.look != d.env.look || d.env.Citations != nil && d.outdated() {
		d.begin(width)
	}
	if !d.stream.Stale() && d.lines != nil && d.reported == d.notShown() {
		return d.dress(len(d.cites.dressed))
	}
	all := d.stream.Lines()
	same := min(d.kept, len(d.lines))
	d.lines = d.lines[:same]
	for _, l := range all[same:] {
		if l != "" {
			l = margin + l
		}
		d.lines = append(d.lines, l)
	}
	d.kept = d.stream.Settled()
	d.lines = append(d.lines, d.rest(width, margin)...)
	return d.dress(same)
}

// begin starts over at a new width or with newly resolved references.
func (d *document) begin(width int) {
	d.width, d.look, d.kept, d.lines, d.cites.dressed = width, d.env.look, 0, nil, nil
	d.stream = markdown.NewStream(d.env.Renderer(width))
	if d.env.Citations != nil {
		d.stream.Cite(d.env.Citations.Find)
	}
	d.stream.Append(string(d.shown()))
	if d.done {
		d.stream.Finish()
	}
}

// maxDrawn bounds how much of a text is drawn, in bytes: some thousand lines, which take less than a tenth of a
// second. The rest can still be copied, searched and exported.
const maxDrawn = 256 << 10

// shown returns the part of the text that is drawn, without cutting a character.
func (d *document) shown() []byte {
	if len(d.source) <= maxDrawn {
		return d.source
	}
	end := maxDrawn
	for end > maxDrawn-utf8.UTFMax && !utf8.RuneStart(d.source[end]) {
		end--
	}
	return d.source[:end]
}

// notShown returns the size of the omitted text in tenths of a megabyte, rounded up.
func (d *document) notShown() int {
	const tenth = 100_000
	return (len(d.source) - len(d.shown()) + tenth - 1) / tenth
}

// rest returns the lines that report the size of the omitted text; nil if the text is complete.
func (d *document) rest(width int, margin string) []string {
	if d.reported = d.notShown(); d.reported == 0 {
		return nil
	}
	text := fmt.Sprintf("… %.1f MB more. ↑ and y copy the whole text, /export writes it to a file.", float64(d.reported)/10)
	lines := markdown.Wrap(text, theme.Open(d.env.Styles.Muted), width)
	for i, l := range lines {
		lines[i] = margin + l
	}
	return append([]string{""}, lines...)
}
