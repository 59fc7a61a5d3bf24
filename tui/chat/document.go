package chat

import (
	"fmt"
	"unicode/utf8"

	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// document is Markdown that may still be arriving, drawn at the width asked for.
type document struct {
	env    *Env
	source []byte
	done   bool

	stream *markdown.Stream
	width  int // of stream, in the theme look
	look   int
	// lines are the stream's with their margin; the first kept of them stay.
	lines []string
	kept  int
	cites cites
	told  int // how much the last lines say is not drawn, as notShown counts it
}

// same reports whether lines are the very ones that were drawn before.
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

// clear withdraws everything that arrived.
func (d *document) clear() { *d = document{env: d.env, cites: cites{chosen: d.cites.chosen}} }

func (d *document) empty() bool { return len(d.source) == 0 }

// draw gives the lines for text of the given width, each after margin.
func (d *document) draw(width int, margin string) []string {
	if d.empty() {
		return nil
	}
	if d.stream == nil || d.width != width || d.look != d.env.look || d.env.Citations != nil && d.outdated() {
		d.begin(width)
	}
	if !d.stream.Stale() && d.lines != nil && d.told == d.notShown() {
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

// begin starts a drawing at a new width, or by what is known of references now.
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

// maxDrawn bounds how much of one text is drawn, in bytes: some thousand lines, which take less than a
// tenth of a second. The rest is there to be copied, looked through and written to a file.
const maxDrawn = 256 << 10

// shown is the part of the text that is drawn: its beginning, of whole characters.
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

// notShown is how much of the text is not drawn, in tenths of a megabyte, rounded up.
func (d *document) notShown() int {
	const tenth = 100_000
	return (len(d.source) - len(d.shown()) + tenth - 1) / tenth
}

// rest are the lines that say how much of the text is not drawn, and how to get it; none where all is.
func (d *document) rest(width int, margin string) []string {
	if d.told = d.notShown(); d.told == 0 {
		return nil
	}
	text := fmt.Sprintf("… %.1f MB more. ↑ and y copy the whole text, /export writes it to a file.", float64(d.told)/10)
	lines := markdown.Wrap(text, theme.Open(d.env.Styles.Muted), width)
	for i, l := range lines {
		lines[i] = margin + l
	}
	return append([]string{""}, lines...)
}
