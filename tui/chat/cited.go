package chat

import (
	"slices"
	"sync"

	"chatvault/internal/session/cite"
	"chatvault/internal/terminal"
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
	beside int    // cells of the item to the left of the document
}

// cites is the citation state of a document.
type cites struct {
	chosen  int      // number of the highlighted citation, from 1; 0 for none
	version int      // version of the table when the document was drawn
	dressed []string // the document's lines, with links
	chose   int      // value of chosen in dressed
	shows   int      // value of version in dressed
}

// outdated reports whether newly resolved references change the drawing.
func (d *document) outdated() bool {
	v := d.env.Citations.version()
	if v == d.cites.version {
		return false
	}
	d.cites.version = v
	return slices.ContainsFunc(d.stream.References(), func(c markdown.Cited) bool {
		return looks(c.Reference, c.Finding) != looks(c.Reference, d.env.Citations.Find(c.Reference))
	})
}

// looks normalizes a finding so that two references are drawn alike exactly if the results are equal.
func looks(r cite.Reference, f cite.Finding) cite.Finding {
	if r.Form != cite.Place && f.State == cite.Unknown {
		f.State = cite.Found // drawn as found until it is resolved
	}
	return f
}

// dress turns the citations in the document's lines into links. The first same lines are unchanged since they were
// last dressed.
func (d *document) dress(same int) []string {
	refs := d.stream.References()
	if len(refs) == 0 {
		return d.lines
	}
	k := &d.cites
	if k.chose != d.cites.chosen || k.shows != k.version {
		k.chose, k.shows, same = k.chosen, k.version, 0
	}
	out := k.dressed[:min(same, len(k.dressed))]
	if len(out) == 0 {
		out = make([]string, 0, len(d.lines)) // a new slice, because callers compare slices to detect changes
	}
	for _, l := range d.lines[len(out):] {
		out = append(out, markdown.Dress(l, func(n int, text string) string {
			if n < 0 || n >= len(refs) {
				return text
			}
			if n+1 == k.chosen {
				text = theme.Open(d.env.Styles.Pointed) + text + theme.Reset
			}
			if at, ok := d.citation(n, refs[n]); ok {
				if link := d.env.Citations.Link; link != nil && link(at) != "" {
					text = terminal.Link(link(at), text)
				}
			}
			return text
		}))
	}
	k.dressed = out
	return out
}

// citation returns the destination of a reference, and false if it has none.
func (d *document) citation(n int, c markdown.Cited) (cite.Citation, bool) {
	to := d.env.Citations.find(c.Reference)
	return cite.Citation{Number: n, Reference: c.Reference, Path: to.Path}, to.State == cite.Found
}

// Citations implements Cited.
func (c *citing) Citations(width int) []cite.Citation {
	c.draw(textWidth(width), c.margin)
	if c.env.Citations == nil || c.stream == nil {
		return nil
	}
	refs := c.stream.References()
	seen := make([]bool, len(refs))
	var out []cite.Citation
	for _, l := range c.lines {
		markdown.MarksIn(l, func(n int) {
			if n < 0 || n >= len(refs) || seen[n] {
				return
			}
			seen[n] = true
			at, ok := c.citation(n, refs[n])
			if !ok {
				return
			}
			if last := len(out) - 1; refs[n].Goes && last >= 0 && out[last].Path == at.Path && out[last].Anchor == "" && out[last].Line == 0 {
				out = out[:last] // it is more precise than the one before
			}
			out = append(out, at)
		})
	}
	return out
}

// Choose implements Cited.
func (c *citing) Choose(number int) { c.cites.chosen = number + 1 }

// Row implements Cited. It returns the first line if no line has the citation.
func (c *citing) Row(width, number int) int {
	c.draw(textWidth(width), c.margin)
	return c.above + max(slices.IndexFunc(c.lines, func(l string) bool {
		here := false
		markdown.MarksIn(l, func(n int) { here = here || n == number })
		return here
	}), 0)
}

// CitationAt implements Cited.
func (c *citing) CitationAt(width, line, cell int) (cite.Citation, bool) {
	c.draw(textWidth(width), c.margin)
	if line -= c.above; c.env.Citations == nil || c.stream == nil || line < 0 || line >= len(c.lines) {
		return cite.Citation{}, false
	}
	refs := c.stream.References()
	n := markdown.MarkAt(c.lines[line], cell-c.beside)
	if n < 0 || n >= len(refs) {
		return cite.Citation{}, false
	}
	return c.citation(n, refs[n])
}

// Citations is a table of resolved references. Lookups never block: unknown references are queued for resolution. It
// is safe for concurrent use.
type Citations struct {
	// Link returns the URL that opens a citation from the terminal, or an empty string for no link. It may be nil.
	Link func(cite.Citation) string

	mu     sync.Mutex
	known  map[cite.Reference]known
	wanted []cite.Reference
	asked  map[cite.Reference]bool // queued or being resolved
	stamp  int
}

type known struct {
	cite.Destination
	stale bool // to be resolved again
}

// maxKnown bounds the size of the table.
const maxKnown = 20_000

// NewCitations returns an empty table.
func NewCitations() *Citations {
	return &Citations{known: map[cite.Reference]known{}, asked: map[cite.Reference]bool{}}
}

// key reduces a reference to the parts that determine its destination.
func key(r cite.Reference) cite.Reference {
	r.Line, r.Anchor = 0, ""
	return r
}

// Find returns what is known of a reference.
func (c *Citations) Find(r cite.Reference) cite.Finding { return c.find(r).Finding }

func (c *Citations) find(r cite.Reference) cite.Destination {
	r = key(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[r]
	if (!ok || k.stale) && !c.asked[r] {
		c.asked[r] = true
		c.wanted = append(c.wanted, r)
	}
	return k.Destination
}

// Wanted returns the queued references and clears the queue.
func (c *Citations) Wanted() []cite.Reference {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.wanted
	c.wanted = nil
	return w
}

// Found stores the destinations of references. Items drawn with other destinations are redrawn.
func (c *Citations) Found(refs []cite.Reference, where []cite.Destination) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known)+len(refs) > maxKnown {
		clear(c.known)
	}
	for i, r := range refs {
		delete(c.asked, r)
		if was, ok := c.known[r]; !ok || was.Destination != where[i] {
			c.stamp++
		}
		c.known[r] = known{Destination: where[i]}
	}
}

// Unanswered records that resolving references failed; they can be queued again.
func (c *Citations) Unanswered(refs []cite.Reference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range refs {
		delete(c.asked, r)
	}
	c.stamp++
}

// Invalidate marks all entries as stale after a change of the vault. They stay in use until resolved again.
func (c *Citations) Invalidate() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for r, k := range c.known {
		k.stale = true
		c.known[r] = k
	}
	c.stamp++ // redraws visible items, which looks them up again
}

// version changes whenever the table does.
func (c *Citations) version() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stamp
}
