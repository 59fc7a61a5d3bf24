package chat

import (
	"fmt"
	"unicode/utf8"

	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

const (
	// maxAtOnce is the text that is drawn on the screen's loop, in bytes: about 5 ms.
	maxAtOnce = 24 << 10
	// maxBehind is how much of a text is drawn on the screen's loop when it ends, in bytes.
	maxBehind = 2 * maxAtOnce
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
	plain bool // lines stand in for a drawing that is being made
	busy  bool // a job runs
	again bool // a drawing by what is known by now is due
	// behind says that the text is complete and that much of it is still to be drawn, by a job.
	behind bool
	cites  cites
	told   int // how much the last lines say is not drawn, as notShown counts it
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
	if d.stream == nil {
		return
	}
	if len(d.shown())-d.stream.Drawn() > maxBehind { // it came faster than it is drawn
		d.behind = true
		return
	}
	d.stream.Finish()
}

// clear withdraws everything that arrived.
func (d *document) clear() { *d = document{env: d.env, cites: cites{chosen: d.cites.chosen}} }

func (d *document) empty() bool { return len(d.source) == 0 }

// draw gives the lines for text of the given width, each after margin.
func (d *document) draw(width int, margin string) []string {
	if d.empty() {
		return nil
	}
	if d.stream == nil || d.width != width || d.look != d.env.look {
		d.begin(width, margin)
	}
	if d.env.Citations != nil && !d.plain && d.outdated() {
		if d.again = d.done && len(d.source) > maxAtOnce; !d.again {
			d.begin(width, margin)
		}
	}
	if d.plain || !d.stream.Stale() && d.lines != nil && d.told == d.notShown() {
		return d.dress(len(d.cites.dressed))
	}
	all := d.stream.Lines()
	same := min(d.kept, len(d.lines))
	d.lines = d.lines[:same]
	d.add(all[len(d.lines):], margin)
	d.kept = d.stream.Settled()
	d.lines = append(d.lines, d.rest(width, margin)...)
	return d.dress(same)
}

// add adds lines, each after margin.
func (d *document) add(lines []string, margin string) {
	for _, l := range lines {
		if l != "" {
			l = margin + l
		}
		d.lines = append(d.lines, l)
	}
}

// newStream begins to draw at a width.
func (d *document) newStream(width int) *markdown.Stream {
	s := markdown.NewStream(d.env.Renderer(width))
	if d.env.Citations != nil {
		s.Cite(d.env.Citations.Find)
	}
	return s
}

// begin starts a drawing at a new width; a long text is shown plainly meanwhile.
func (d *document) begin(width int, margin string) {
	d.width, d.look, d.kept, d.lines, d.plain, d.behind, d.cites.dressed = width, d.env.look, 0, nil, false, false, nil
	d.stream = d.newStream(width)
	if len(d.source) > maxAtOnce && d.done {
		d.plain = true
		d.add(markdown.Wrap(string(d.shown()), "", width), margin)
		d.lines = append(d.lines, d.rest(width, margin)...)
		return
	}
	d.stream.Append(string(d.shown()))
	if d.done {
		d.stream.Finish()
	}
}

// Job draws a long finished text.
func (d *document) Job() func() func() {
	if !d.plain && !d.again && !d.behind || d.busy {
		return nil
	}
	d.busy, d.again = true, false
	s, width, source, look := d.newStream(d.width), d.width, string(d.shown()), d.look
	return func() func() {
		s.Append(source)
		s.Finish()
		s.Lines()
		return func() {
			d.busy = false
			if d.width == width && d.look == look {
				d.stream, d.plain, d.behind, d.lines, d.kept, d.cites.version = s, false, false, nil, 0, -1
			}
		}
	}
}

// maxDrawn bounds how much of one text is drawn, in bytes: some ten thousand lines. The rest is there to
// be copied, looked through and written to a file.
const maxDrawn = 1 << 20

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
