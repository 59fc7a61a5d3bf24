package chat

import (
	"sync"

	"chatvault/internal/session/cite"
)

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

// link is the URL of a citation, "" where there is none.
func (c *Citations) link(at cite.Citation) string {
	if c.Link == nil {
		return ""
	}
	return c.Link(at)
}
