package endpoint

import "time"

// What an answer takes of the processor is, where its tokens come one by one, mostly waking up for
// each of them. So a long stream that trickles is read in batches: what comes within gatherTime is
// taken together: twenty times a second is still a text that flows. The first tokens, short answers and the end of
// any are read at once, and so is what comes faster than it can be gathered.
const (
	gatherTime  = 50 * time.Millisecond
	gatherAfter = 8       // reads
	gatherBelow = 2 << 10 // bytes that the last read brought
)

// What floods is read no faster than that, whatever it could be read at: no model writes so much, and
// the processor is there for others too, the one who presses Esc among them.
const (
	floodPace  = 8 << 20 // bytes a second
	floodBurst = 2 << 20 // bytes that may come at once
)

// readPace is the pace at which a stream is read.
type readPace struct {
	reads int
	last  int // bytes that the last read brought
	at    time.Time
	ahead int // bytes that came faster than floodPace
}

// due is how long is to be waited before the next read.
func (g *readPace) due(now time.Time) time.Duration {
	if over := g.ahead - floodBurst; over > 0 {
		wait := time.Duration(over) * time.Second / floodPace
		return min(max(wait-now.Sub(g.at), 0), gatherTime)
	}
	if g.reads < gatherAfter || g.last >= gatherBelow {
		return 0
	}
	return min(max(gatherTime-now.Sub(g.at), 0), gatherTime)
}

// took notes a read.
func (g *readPace) took(n int, now time.Time) {
	g.reads++
	if !g.at.IsZero() {
		passed := min(max(now.Sub(g.at), 0), time.Second)
		g.ahead = max(g.ahead-int(passed*floodPace/time.Second), 0)
	}
	g.ahead += n
	g.last, g.at = n, now
}
