package endpoint

import (
	"sync"
	"time"

	"chatvault/agent/llm"
)

// pace is how fast a server read the prompts of earlier calls.
type pace struct {
	body      []byte  // of the last request, whose prompt the server may have in its cache
	perByte   float64 // tokens of the prompt to a byte of body
	perSecond float64 // tokens
}

// paces are those of servers on this computer, by base URL and model, while the process lives.
var paces sync.Map

func (c *Client) pace() pace {
	p, _ := paces.Load(c.key())
	known, _ := p.(pace)
	return known
}

func (c *Client) setPace(p pace) { paces.Store(c.key(), p) }

// worthTelling is the least reading time for which progress is shown.
const worthTelling = 2 * time.Second

// expect returns what a server that does not report it has to read of a request; zero if it is not known.
func (c *Client) expect(body []byte) llm.Reading {
	p := c.pace()
	n := int(float64(fresh(p.body, body)) * p.perByte)
	if p.perSecond == 0 || c.Server() == LlamaCpp || float64(n) < p.perSecond*worthTelling.Seconds() {
		return llm.Reading{}
	}
	return llm.Reading{Total: n, PerSecond: p.perSecond, Estimated: true}
}

// fresh returns how many bytes of a request are not in the one before it, at its beginning or end.
func fresh(before, body []byte) int {
	n, least := 0, min(len(before), len(body))
	for n < least && before[n] == body[n] {
		n++
	}
	end := 0
	for end < least-n && before[len(before)-1-end] == body[len(body)-1-end] {
		end++
	}
	return len(body) - n - end
}

// measurable is how many tokens tell how fast a server reads: of fewer, other work takes longer.
const measurable = 64

// keepPace notes how fast the server read the prompt of a call that succeeded.
func (c *Call) keepPace() {
	if c.used == nil || c.answered.IsZero() || c.began.IsZero() || !here(c.client.host) {
		return
	}
	u, p := c.used(), c.client.pace()
	if u == nil || u.PromptTokens == 0 {
		return
	}
	p.perByte = float64(u.PromptTokens) / float64(len(c.body))
	read := min(float64(fresh(p.body, c.body))*p.perByte, float64(u.PromptTokens-u.CachedTokens))
	if took := c.answered.Sub(c.began).Seconds(); c.client.Server() != LlamaCpp && read >= measurable && took > 0 {
		p.perSecond = read / took
	}
	p.body = c.body
	c.client.setPace(p)
}

// Reads passes on how many tokens of the prompt the endpoint has read, with those that were in its cache, and
// in which time: it may take its time again for more.
func (c *Call) Reads(read, cached, total int, took time.Duration) error {
	p := c.client.pace()
	if fresh := read - cached; fresh >= measurable && took > 0 {
		p.perSecond = float64(fresh) / took.Seconds()
		c.client.setPace(p)
	}
	if read > c.read {
		c.watch.begin()
	}
	c.read = max(c.read, read)
	return c.Send(llm.Chunk{Reading: &llm.Reading{Read: min(read, total), Total: total, PerSecond: p.perSecond}})
}
