package endpoint

import (
	"sync"
	"time"

	"chatvault/agent/llm"
)

// pace is the speed at which a server read the prompts of earlier calls.
type pace struct {
	body      []byte  // of the last request, which the server may have cached
	perByte   float64 // tokens per byte of body
	perSecond float64 // tokens
}

// paces holds the paces of servers on this computer in this process, by base URL and model.
var paces sync.Map

func (c *Client) pace() pace {
	p, _ := paces.Load(c.key())
	known, _ := p.(pace)
	return known
}

func (c *Client) setPace(p pace) { paces.Store(c.key(), p) }

// worthTelling is the shortest reading time for which progress is shown.
const worthTelling = 2 * time.Second

// expect returns an estimate of what a server has to read for a request, or zero if it reports that itself or nothing
// is known.
func (c *Client) expect(body []byte) llm.Reading {
	p := c.pace()
	n := int(float64(fresh(p.body, body)) * p.perByte)
	if p.perSecond == 0 || c.Server() == LlamaCpp || float64(n) < p.perSecond*worthTelling.Seconds() {
		return llm.Reading{}
	}
	return llm.Reading{Total: n, PerSecond: p.perSecond, Estimated: true}
}

// fresh returns the number of bytes of a request that differ from the one before it, without common beginning and end.
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

// measurable is the least number of tokens from which a speed is measured; for fewer, other work dominates.
const measurable = 64

// keepPace records how fast the server read the prompt of a successful call.
func (c *Call) keepPace() {
	if c.usage == nil || c.answered.IsZero() || c.began.IsZero() || !isLocal(c.client.host) {
		return
	}
	u, p := c.usage, c.client.pace()
	if u.PromptTokens == 0 {
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

// ReportReading yields how many tokens of the prompt the endpoint has read, including cached ones, and in what time. Progress
// restarts the wait for the answer.
func (c *Call) ReportReading(read, cached, total int, took time.Duration) {
	p := c.client.pace()
	if fresh := read - cached; fresh >= measurable && took > 0 {
		p.perSecond = float64(fresh) / took.Seconds()
		c.client.setPace(p)
	}
	if read > c.read {
		c.watch.begin()
	}
	c.read = max(c.read, read)
	c.Send(llm.Chunk{Reading: &llm.Reading{Read: min(read, total), Total: total, PerSecond: p.perSecond}})
}
