package chat

import (
	"slices"
	"sync"

	"chatvault/internal/session/cite"
	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Cited is an item whose citations can be gone through.
type Cited interface {
	// Citations are those that lead somewhere, in reading order, as drawn at this width.
	Citations(width int) []cite.Citation
	// Choose marks the citation with this number; -1: none.
	Choose(number int)
	// Row is the item's line, from 0, in which a citation begins.
	Row(width, number int) int
	// CitationAt is the citation that a cell of one of the item's lines, both from 0, belongs to.
	CitationAt(width, line, cell int) (cite.Citation, bool)
}

// citing is a document that is an item by itself, whose citations can be gone through.
type citing struct {
	document
	margin string // before each line
	above  int    // lines of the item above the document's
	beside int    // cells of the item beside the document's lines
}

// cites is what a document has to do with citations.
type cites struct {
	chosen  int      // the number of the marked one, from 1; 0: none
	version int      // of what is known, as it was when the document was drawn by it
	dressed []string // the document's lines, with links
	chose   int      // chosen, as dressed shows it
	shows   int      // version, as dressed shows it
}

// outdated says whether what is known of the document's references calls for another drawing.
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

// looks tells apart the ways a reference is drawn.
func looks(r cite.Reference, f cite.Finding) cite.Finding {
	if r.Form != cite.Place && f.State == cite.Unknown {
		f.State = cite.Found // until one knows better
	}
	return f
}

// dress makes links of the citations in the document's lines, of which the first same are those
// that were dressed before.
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
		out = make([]string, 0, len(d.lines)) // another slice where another look begins
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

// citation is a reference that leads somewhere.
func (d *document) citation(n int, c markdown.Cited) (cite.Citation, bool) {
	to := d.env.Citations.find(c.Reference)
	return cite.Citation{Number: n, Reference: c.Reference, Path: to.Path}, to.State == cite.Found
}

// Citations are those that lead somewhere, in reading order.
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
				out = out[:last] // it says more exactly what the one before says
			}
			out = append(out, at)
		})
	}
	return out
}

// Choose marks the citation with this number; -1: none.
func (c *citing) Choose(number int) { c.cites.chosen = number + 1 }

// Row is the line in which a citation begins, the first where it is in none.
func (c *citing) Row(width, number int) int {
	c.draw(textWidth(width), c.margin)
	return c.above + max(slices.IndexFunc(c.lines, func(l string) bool {
		here := false
		markdown.MarksIn(l, func(n int) { here = here || n == number })
		return here
	}), 0)
}

// CitationAt is the citation at a cell.
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

// Citations is what is known of where references lead. It promises that asking never waits: what
// is not known yet is noted, to be found out. It is safe for concurrent use.
type Citations struct {
	// Link gives the URL by which a terminal opens a citation; "", or nil: it is no link there.
	Link func(cite.Citation) string

	mu     sync.Mutex
	known  map[cite.Reference]known
	wanted []cite.Reference
	asked  map[cite.Reference]bool // wanted, or being found out
	stamp  int
}

type known struct {
	cite.Destination
	stale bool // to be found out anew
}

// maxKnown bounds how many references are known at once.
const maxKnown = 20_000

// NewCitations makes an empty table.
func NewCitations() *Citations {
	return &Citations{known: map[cite.Reference]known{}, asked: map[cite.Reference]bool{}}
}

// key is what decides where a reference leads.
func key(r cite.Reference) cite.Reference {
	r.Line, r.Anchor = 0, ""
	return r
}

// Find says what is known of a reference.
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

// Wanted are the references that were asked for and have to be found out; each is given once.
func (c *Citations) Wanted() []cite.Reference {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.wanted
	c.wanted = nil
	return w
}

// Found says where references lead; what was drawn by something else is drawn anew.
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

// Unanswered says that where references lead could not be found out: they are asked for again.
func (c *Citations) Unanswered(refs []cite.Reference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range refs {
		delete(c.asked, r)
	}
	c.stamp++
}

// Invalidate says that the vault changed: what is drawn stays, until it is known to be otherwise.
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
	c.stamp++ // so that what is in sight asks again
}

// version changes with what is known.
func (c *Citations) version() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stamp
}
