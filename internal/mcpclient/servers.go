// Package mcpclient lets our agent use the tools of other programs over the Model Context Protocol.
//
// It promises that nothing of it runs where no server is configured; that a server gets no key of ours,
// no file of the vault and no say in what is done: its texts are bounded, its tools are asked about before
// they are called, and neither a slow nor a broken nor a hostile one holds anything else up.
package mcpclient

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/config"
	"chatvault/internal/routine"
	"chatvault/internal/text"
)

// Options of New.
type Options struct {
	Servers []config.MCPServer
	Version string
	Tell    func(line string) // the user; may be nil
	Allowed *Allowed          // what was allowed for good
}

// Servers are the configured servers. The nil *Servers has none.
type Servers struct {
	o     Options
	ctx   context.Context // ends with them
	stop  context.CancelFunc
	works sync.WaitGroup
	begin sync.Once
	used  atomic.Bool // a model was told of them: what changes is news

	mu      sync.Mutex
	servers []*server
	order   []*remote // their tools, in the order in which they came

	leftTold []string  // names of tools that the user was last told are not offered
	leftAt   time.Time // when
}

// New knows of servers, of which there may be none yet, and starts none.
func New(o Options) *Servers {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	s := &Servers{o: o}
	s.ctx, s.stop = context.WithCancel(context.Background())
	for _, c := range o.Servers {
		s.servers = append(s.servers, s.server(c))
	}
	return s
}

func (s *Servers) server(c config.MCPServer) *server {
	return &server{all: s, config: c, tried: make(chan struct{})}
}

// Add starts further servers, to which the user agreed.
func (s *Servers) Add(list []config.MCPServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range list {
		if s.ctx.Err() == nil {
			x := s.server(c)
			s.servers = append(s.servers, x)
			x.on()
		}
	}
}

// every is all of them, at this moment.
func (s *Servers) every() []*server {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.servers)
}

// Start starts those that are enabled, in the background. Only the first call does something.
func (s *Servers) Start() {
	if s == nil {
		return
	}
	s.begin.Do(func() {
		for _, x := range s.every() {
			if x.config.Enabled {
				x.on()
			} else {
				x.settled()
			}
		}
	})
}

// Ready starts them and waits until each answered or failed once, or ctx ends.
func (s *Servers) Ready(ctx context.Context) {
	if s == nil {
		return
	}
	s.Start()
	for _, x := range s.every() {
		select {
		case <-x.tried:
		case <-ctx.Done():
			return
		}
	}
}

// endTime is how long Close waits.
const endTime = 3 * closeTime

// Close ends them. One that does not let itself be ended is not waited for.
func (s *Servers) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	s.stop() // none is added from now on
	s.mu.Unlock()
	ended := make(chan struct{})
	routine.Go("mcp servers", func() {
		defer close(ended)
		s.works.Wait()
	})
	select {
	case <-ended:
	case <-time.After(endTime):
	}
}

// find is the server of a name.
func (s *Servers) find(name string) (*server, error) {
	var names []string
	for _, x := range s.every() {
		if strings.EqualFold(x.config.Name, name) {
			return x, nil
		}
		names = append(names, x.config.Name)
	}
	return nil, fmt.Errorf("there is no server %q; configured: %s", text.Clip(name, 40), cmp.Or(strings.Join(names, ", "), "none"))
}

// Switch turns a server on or off, until the program ends, and says what is so now.
func (s *Servers) Switch(name string, on bool) (string, error) {
	x, err := s.find(name)
	if err != nil {
		return "", err
	}
	s.begin.Do(func() {}) // the others stay as they are
	if on {
		x.off()
		x.on()
		return x.config.Name + " is being started.", nil
	}
	x.off()
	s.disconnected(x)
	return x.config.Name + " is off until it is turned on or chatvault restarts.", nil
}

// Describe says how the servers are, for a person.
func (s *Servers) Describe() string {
	if len(s.every()) == 0 {
		return "No servers are configured. Add one as a table [mcp.NAME] in your configuration; chatvault help agents explains how."
	}
	var b strings.Builder
	for _, x := range s.every() {
		b.WriteString(x.describe() + "\n")
	}
	b.WriteString("/mcp on NAME and /mcp off NAME turn one on and off; /mcp log NAME shows what it wrote.")
	return b.String()
}

// LogOf is what a server wrote last.
func (s *Servers) LogOf(name string) (string, error) {
	x, err := s.find(name)
	if err != nil {
		return "", err
	}
	return x.logText(), nil
}

// newsEvery is how often the user is told at most that the tools of a server, or what is left out of them,
// changed.
const newsEvery = time.Minute

// server is one of them.
type server struct {
	all    *Servers
	config config.MCPServer
	tried  chan struct{} // closed when it answered or failed once

	first sync.Once
	mu    sync.Mutex
	end   context.CancelFunc // of the run; nil: it is off
	ended chan struct{}
	state string    // for a person
	link  *link     // nil: not connected
	told  time.Time // when the user last heard of changed tools; of the run alone
	skips []string
	left  []string // tools that the model is not offered
	log   []string
}

// on begins to run it.
func (x *server) on() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.end != nil {
		return
	}
	ctx, cancel := context.WithCancel(x.all.ctx)
	ended := make(chan struct{})
	x.end, x.ended, x.state = cancel, ended, "starting"
	routine.Join(&x.all.works, "mcp server", func() {
		defer close(ended)
		x.run(ctx)
	})
}

// off ends it, and waits for that.
func (x *server) off() {
	x.mu.Lock()
	end, ended := x.end, x.ended
	x.end = nil
	x.mu.Unlock()
	if end != nil {
		end()
		<-ended
	}
	x.say("off")
}

func (x *server) say(state string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = state
}

func (x *server) settled() { x.first.Do(func() { close(x.tried) }) }

// A server that ends or does not start is started again after a while, which doubles up to mostWait, and
// given up after maxTries that came to nothing.
const (
	firstWait = time.Second
	mostWait  = time.Minute
	maxTries  = 6
	startTime = 30 * time.Second
	stable    = time.Minute // a run of that length is no failure

	refreshEvery = time.Second // how often a list of tools that changes is read at most
)

// run keeps the server connected until ctx ends.
func (x *server) run(ctx context.Context) {
	defer x.settled()
	wait, tries := firstWait, 0
	for ctx.Err() == nil {
		began := time.Now()
		err := x.once(ctx)
		if ctx.Err() != nil {
			return
		}
		x.all.disconnected(x)
		if time.Since(began) > stable {
			wait, tries = firstWait, 0
		}
		why := "it ended"
		if err != nil {
			why = x.cause(err)
		}
		x.note("chatvault: " + why)
		if tries++; tries == 1 {
			x.all.o.Tell(fmt.Sprintf("The MCP server %s is not available: %s", x.config.Name, why))
		}
		x.settled()
		if tries >= maxTries {
			x.say("failed; no more retries: " + why)
			return
		}
		x.say(fmt.Sprintf("failed (%s); retrying in %s", why, wait))
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, mostWait)
	}
}

// once connects and stays connected until the server ends.
func (x *server) once(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	l, err := x.connect(starting)
	if err != nil {
		return err
	}
	defer l.close()
	defer context.AfterFunc(ctx, routine.Guard("mcp end", l.end))() // also where what follows hangs
	if err := x.refresh(starting, l); err != nil {
		return err
	}
	x.mu.Lock()
	x.link, x.state = l, "ready"
	x.mu.Unlock()
	x.settled()
	defer func() {
		x.mu.Lock()
		x.link = nil
		x.mu.Unlock()
	}()
	ended := make(chan error, 1)
	routine.Join(&x.all.works, "mcp session", func() { ended <- l.session.Wait() })
	var wait <-chan time.Time
	changed := l.changed
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case <-wait:
			changed, wait = l.changed, nil
		case <-changed:
			changed, wait = nil, time.After(refreshEvery)
			listing, cancel := context.WithTimeout(ctx, startTime)
			err := x.refresh(listing, l)
			cancel()
			if err != nil {
				return err
			}
		}
	}
}

// connected is the link to the server; nil: there is none.
func (x *server) connected() *link {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.link
}

// Bounds of what is kept of what a server wrote.
const (
	maxLog     = 100 // lines
	maxLogLine = 300 // bytes
)

func (x *server) note(line string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log = append(x.log, text.Clip(line, maxLogLine))
	if len(x.log) > maxLog {
		x.log = slices.Delete(x.log, 0, len(x.log)-maxLog)
	}
}

func (x *server) logText() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.log) == 0 {
		return x.config.Name + " wrote nothing."
	}
	return x.config.Name + " wrote:\n" + strings.Join(x.log, "\n")
}

// describe is a line, or two, about the server.
func (x *server) describe() string {
	var names []string
	for _, r := range x.all.tools() {
		if r.server == x && !r.gone {
			names = append(names, r.remote)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	state := x.state
	if state == "" {
		state = "not started yet"
	}
	line := fmt.Sprintf("%s: %s", x.config.Name, state)
	if len(names) > 0 {
		line += ", " + text.Count(len(names), "tool") + ": " + text.Clip(strings.Join(names, ", "), 600)
	}
	if len(x.left) > 0 {
		line += "\n  no room for " + text.Count(len(x.left), "tool") + ": " + strings.Join(x.left, ", ")
	}
	if len(x.skips) > 0 {
		line += "\n  left out: " + text.Clip(strings.Join(x.skips, "; "), 600)
	}
	return line
}
