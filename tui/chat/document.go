package chat

import (
	"chatvault/internal/base/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// document is Markdown, possibly still streaming, drawn at a requested width.
type document struct {
	source []byte
	done   bool
	chosen int // number of the highlighted citation, from 1; 0 for none

	stream *markdown.Stream
	drawn  drawing  // how lines were drawn
	plain  []string // lines without margin and links
	lines  []string // the first kept of them are final
	kept   int
	card
}

// drawing holds what determines a document's lines besides its text.
type drawing struct {
	width, look     int
	version, chosen int // of the citations
}

func newDocument(env *Env) document { return document{card: card{env: env}} }

// maxDrawn bounds how much of a text is drawn, in bytes: some thousand lines, which take less than a tenth of a
// second. The rest can still be copied, searched and exported.
const maxDrawn = 256 << 10

func (d *document) append(piece string) {
	if d.stream != nil {
		d.stream.Append(text.Head(piece, max(maxDrawn-len(d.source), 0)))
	}
	d.source = append(d.source, piece...)
}

func (d *document) finish() {
	d.done = true
	if d.stream != nil {
		d.stream.Finish()
	}
}

// clear removes all received text.
func (d *document) clear() {
	d.touch()
	*d = document{card: d.card, chosen: d.chosen}
}

func (d *document) empty() bool { return len(d.source) == 0 }

// draw returns the lines of the text at a width, each after margin.
func (d *document) draw(width int, margin string) []string {
	if d.empty() {
		return nil
	}
	now := drawing{width, d.env.look, d.env.Citations.version(), d.chosen}
	if d.stream == nil || now.width != d.drawn.width || now.look != d.drawn.look || now.version != d.drawn.version && len(d.stream.References()) > 0 {
		d.begin(width)
	} else if now == d.drawn && !d.stream.Stale() {
		return d.lines
	}
	if now != d.drawn {
		d.drawn, d.kept = now, 0
	}
	d.touch()
	d.plain = d.stream.Lines()
	d.lines = d.lines[:min(d.kept, len(d.lines))]
	for _, l := range d.plain[len(d.lines):] {
		if l != "" {
			l = margin + d.link(l)
		}
		d.lines = append(d.lines, l)
	}
	d.kept = d.stream.Settled()
	if len(d.source) > maxDrawn {
		const more = "… The rest is too long to show. ↑ and y copy the whole text, /export writes it to a file."
		d.lines = append(d.lines, "")
		for _, l := range markdown.Wrap(more, theme.Open(d.env.Styles.Muted), width) {
			d.lines = append(d.lines, margin+l)
		}
	}
	return d.lines
}

// begin starts over at a new width or with newly resolved references.
func (d *document) begin(width int) {
	d.kept, d.stream = 0, markdown.NewStream(d.env.Renderer(width))
	if d.env.Citations != nil {
		d.stream.Cite(d.env.Citations.Find)
	}
	d.stream.Append(text.Head(string(d.source), maxDrawn))
	if d.done {
		d.stream.Finish()
	}
}
