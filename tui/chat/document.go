package chat

import (
	"chatvault/tui/markdown"
)

// maxAtOnce is the text that is drawn on the screen's loop, in bytes: about 5 ms.
const maxAtOnce = 24 << 10

// document is Markdown that may still be arriving, drawn at the width asked for.
type document struct {
	env    *Env
	source []byte
	done   bool

	stream *markdown.Stream
	width  int // of stream
	// lines are the stream's with their margin; the first kept of them stay.
	lines []string
	kept  int
	plain bool // lines stand in for a drawing that is being made
	busy  bool // a job runs
}

func (d *document) append(text string) {
	d.source = append(d.source, text...)
	if d.stream != nil {
		d.stream.Append(text)
	}
}

func (d *document) finish() {
	d.done = true
	if d.stream != nil {
		d.stream.Finish()
	}
}

// clear withdraws everything that arrived.
func (d *document) clear() { *d = document{env: d.env} }

func (d *document) empty() bool { return len(d.source) == 0 }

// draw gives the lines for text of the given width, each after margin.
func (d *document) draw(width int, margin string) []string {
	if d.empty() {
		return nil
	}
	if d.stream == nil || d.width != width {
		d.begin(width, margin)
	}
	if d.plain || !d.stream.Stale() && d.lines != nil {
		return d.lines
	}
	all := d.stream.Lines()
	d.lines = d.lines[:min(d.kept, len(d.lines))]
	for _, l := range all[len(d.lines):] {
		if l != "" {
			l = margin + l
		}
		d.lines = append(d.lines, l)
	}
	d.kept = d.stream.Settled()
	return d.lines
}

// begin starts a drawing at a new width; a long text is shown plainly meanwhile.
func (d *document) begin(width int, margin string) {
	d.width, d.kept, d.lines, d.plain = width, 0, nil, false
	d.stream = markdown.NewStream(d.env.Renderer(width))
	if len(d.source) > maxAtOnce && d.done {
		d.plain = true
		for _, l := range markdown.Wrap(string(d.source), "", width) {
			if l != "" {
				l = margin + l
			}
			d.lines = append(d.lines, l)
		}
		return
	}
	d.stream.Append(string(d.source))
	if d.done {
		d.stream.Finish()
	}
}

// Job draws a long finished text.
func (d *document) Job() func() func() {
	if !d.plain || d.busy {
		return nil
	}
	d.busy = true
	s, width, source := markdown.NewStream(d.env.Renderer(d.width)), d.width, string(d.source)
	return func() func() {
		s.Append(source)
		s.Finish()
		s.Lines()
		return func() {
			d.busy = false
			if d.width == width && d.plain {
				d.stream, d.plain, d.lines, d.kept = s, false, nil, 0
			}
		}
	}
}
