package chat

import (
	"slices"

	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Cited is an item with citations.
type Cited interface {
	// Citations returns the resolved citations in reading order, as drawn at a width.
	Citations(width int) []cite.Citation
	// Choose highlights the citation with the given number; -1 highlights none.
	Choose(number int)
	// Row returns the index of the item's line in which a citation begins.
	Row(width, number int) int
	// CitationAt returns the citation at a cell of one of the item's lines, both counted from 0.
	CitationAt(width, line, cell int) (cite.Citation, bool)
}

// citing is a document that is an item of its own and has citations.
type citing struct {
	document
	margin string // prefix of each line
	above  int    // lines of the item above the document
}

func newCiting(env *Env, margin string) citing {
	return citing{document: newDocument(env), margin: margin}
}

// link turns the citations in a line into links and highlights the chosen one.
func (d *document) link(line string) string {
	refs := d.stream.References()
	return markdown.Dress(line, func(n int, text string) string {
		if n+1 == d.chosen {
			text = theme.Open(d.env.Styles.Pointed) + text + theme.Reset
		}
		if at, ok := d.citation(n, refs); ok && d.env.Citations.Link != nil {
			if to := d.env.Citations.Link(at); to != "" {
				text = terminal.Link(to, text)
			}
		}
		return text
	})
}

// citation returns the citation with a number, and false if it has no destination.
func (d *document) citation(n int, refs []markdown.Cited) (cite.Citation, bool) {
	if n < 0 || n >= len(refs) {
		return cite.Citation{}, false
	}
	to := d.env.Citations.find(refs[n].Reference)
	return cite.Citation{Number: n, Reference: refs[n].Reference, Path: to.Path}, to.State == cite.Found
}

// Citations implements Cited.
func (c *citing) Citations(width int) (all []cite.Citation) {
	if c.draw(textWidth(width), c.margin); c.stream == nil {
		return nil
	}
	refs, seen := c.stream.References(), map[int]bool{}
	for _, l := range c.plain {
		for _, m := range markdown.Marks(l) {
			at, ok := c.citation(m.Number, refs)
			if !ok || seen[m.Number] {
				continue
			}
			seen[m.Number] = true
			all = append(all, at)
		}
	}
	return all
}

// Choose implements Cited.
func (c *citing) Choose(number int) { c.chosen = number + 1 }

// Row implements Cited. It returns the first line if no line has the citation.
func (c *citing) Row(width, number int) int {
	c.draw(textWidth(width), c.margin)
	return c.above + max(slices.IndexFunc(c.plain, func(l string) bool {
		return slices.ContainsFunc(markdown.Marks(l), func(m markdown.Mark) bool { return m.Number == number })
	}), 0)
}

// CitationAt implements Cited.
func (c *citing) CitationAt(width, line, cell int) (cite.Citation, bool) {
	c.draw(textWidth(width), c.margin)
	cell -= Indent
	if line -= c.above; line >= 0 && line < len(c.plain) {
		for _, m := range markdown.Marks(c.plain[line]) {
			if m.From <= cell && cell < m.To {
				return c.citation(m.Number, c.stream.References())
			}
		}
	}
	return cite.Citation{}, false
}

// Citations is a table of resolved references. Lookups never block: unknown references are queued for resolution.
type Citations struct {
	// Link returns the URL that opens a citation from the terminal, or an empty string for no link. It may be nil.
	Link func(cite.Citation) string

	known  map[cite.Reference]known
	wanted []cite.Reference
	stamp  int
	epoch  int // counts the changes of the vault
}

type known struct {
	cite.Destination
	epoch int  // when it was resolved
	asked bool // queued or being resolved
}

// NewCitations returns an empty table.
func NewCitations() *Citations { return &Citations{known: map[cite.Reference]known{}, epoch: 1} }

// Find returns what is known of a reference.
func (c *Citations) Find(r cite.Reference) cite.Finding { return c.find(r).Finding }

func (c *Citations) find(r cite.Reference) cite.Destination {
	r.Line, r.Anchor = 0, "" // they do not change the destination
	k := c.known[r]
	if k.epoch != c.epoch && !k.asked {
		k.asked = true
		c.known[r] = k
		c.wanted = append(c.wanted, r)
	}
	return k.Destination
}

// Wanted returns the queued references and clears the queue.
func (c *Citations) Wanted() []cite.Reference {
	w := c.wanted
	c.wanted = nil
	return w
}

// Found stores the destinations of references. Items drawn with other destinations are redrawn.
func (c *Citations) Found(refs []cite.Reference, where []cite.Destination) {
	for i, r := range refs {
		if was := c.known[r]; was.Destination != where[i] {
			c.stamp++
		}
		c.known[r] = known{Destination: where[i], epoch: c.epoch}
	}
}

// Invalidate marks all entries as stale after a change of the vault. They stay in use until resolved again.
func (c *Citations) Invalidate() {
	if c == nil {
		return
	}
	c.epoch++
	c.stamp++ // redraws visible items, which looks them up again
}

// version changes whenever the table does.
func (c *Citations) version() int {
	if c == nil {
		return 0
	}
	return c.stamp
}
