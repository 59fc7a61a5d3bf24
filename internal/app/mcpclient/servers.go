// Package mcpclient lets the agent use the tools of other programs over the Model Context Protocol.
//
// Nothing runs unless a server is configured. A server gets no keys and no files of the vault. Its texts are bounded, its
// tools need the user's consent, and a slow, broken or hostile server blocks nothing else.
package mcpclient

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"chatvault/internal/app/config"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
)

// Options configure Servers.
type Options struct {
	Servers []config.MCPServer
	Version string
	Tell    func(line string) // tells the user; may be nil
}

// Servers are the configured servers.
type Servers struct {
	o     Options
	ctx   context.Context // ends with them
	stop  context.CancelFunc
	works sync.WaitGroup
	begin sync.Once

	mu      sync.Mutex
	servers []*server
	left    []string // names of tools that the model is not offered
}

// New returns servers that are not started.
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
	x := &server{all: s, config: c}
	x.tried, x.markTried = context.WithCancel(context.Background())
	return x
}

// Add starts more servers, which the user agreed to.
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

// current returns the current servers.
func (s *Servers) current() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.servers)
}

// Start starts the enabled servers in the background. Later calls do nothing.
func (s *Servers) Start() {
	s.begin.Do(func() {
		for _, x := range s.current() {
			if x.config.Enabled {
				x.on()
			} else {
				x.markTried()
			}
		}
	})
}

// Ready calls Start and waits until each server has answered or failed once, or ctx ends.
func (s *Servers) Ready(ctx context.Context) {
	s.Start()
	for _, x := range s.current() {
		select {
		case <-x.tried.Done():
		case <-ctx.Done():
			return
		}
	}
}

// endTime is the maximum time that Close waits.
const endTime = 3 * closeTime

// Close ends the servers.
func (s *Servers) Close() {
	s.mu.Lock()
	s.stop() // Add does nothing from now on
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

// find returns the server with a name.
func (s *Servers) find(name string) (*server, error) {
	var names []string
	for _, x := range s.current() {
		if strings.EqualFold(x.config.Name, name) {
			return x, nil
		}
		names = append(names, x.config.Name)
	}
	return nil, fmt.Errorf("there is no server %q; configured: %s", text.Clip(name, 40), cmp.Or(strings.Join(names, ", "), "none"))
}

// Switch turns a server on or off until the program ends, and returns its new state in a sentence.
func (s *Servers) Switch(name string, on bool) (string, error) {
	x, err := s.find(name)
	if err != nil {
		return "", err
	}
	s.begin.Do(func() {}) // do not start the others
	if on {
		x.off()
		x.on()
		return x.config.Name + " is being started.", nil
	}
	x.off()
	return x.config.Name + " is off until it is turned on or chatvault restarts.", nil
}

// Describe describes the servers, for a person.
func (s *Servers) Describe() string {
	if len(s.current()) == 0 {
		return "No servers are configured. Add one as a table [mcp.NAME] in your configuration; chatvault help agents explains how."
	}
	var b strings.Builder
	for _, x := range s.current() {
		b.WriteString(x.describe() + "\n")
	}
	b.WriteString("/mcp on NAME and /mcp off NAME turn one on and off; /mcp log NAME shows what it wrote.")
	return b.String()
}

// LogOf returns the last lines that a server wrote.
func (s *Servers) LogOf(name string) (string, error) {
	x, err := s.find(name)
	if err != nil {
		return "", err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.log) == 0 {
		return x.config.Name + " wrote nothing.", nil
	}
	return x.config.Name + " wrote:\n" + strings.Join(x.log, "\n"), nil
}

// server is a configured server.
type server struct {
	all       *Servers
	config    config.MCPServer
	tried     context.Context // ends when it has answered or failed once
	markTried context.CancelFunc

	mu    sync.Mutex
	end   context.CancelFunc // ends the run; nil if it is off
	ended chan struct{}
	state string    // for a person
	tools []*remote // none while it is not connected
	skips []string  // tools that cannot be used, and why
	log   []string  // the last lines that it wrote
}

// on starts running the server.
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

// off ends the server and waits for it.
func (x *server) off() {
	x.mu.Lock()
	end, ended := x.end, x.ended
	x.end = nil
	x.mu.Unlock()
	if end != nil {
		end()
		<-ended
	}
	x.setState("off")
}

func (x *server) setState(state string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = state
}

// A server that ends or does not start is restarted after firstWait, then after twice as long each time up to mostWait,
// at most maxTries consecutive times.
const (
	firstWait = time.Second
	mostWait  = time.Minute
	maxTries  = 6
	startTime = 30 * time.Second
	stable    = time.Minute // minimum duration of a successful run

	refreshEvery = time.Second // minimum time between reads of a changing list of tools
)

// run keeps the server connected until ctx ends.
func (x *server) run(ctx context.Context) {
	defer x.markTried()
	for tries := 1; ; tries++ {
		began := time.Now()
		err := x.runOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > stable {
			tries = 1
		}
		why := "it ended"
		if err != nil {
			why = x.cause(err)
		}
		x.appendLog("chatvault: " + why)
		if tries == 1 {
			x.all.o.Tell(fmt.Sprintf("The MCP server %s is not available: %s", x.config.Name, why))
		}
		x.markTried()
		if tries == maxTries {
			x.setState("failed; no more retries: " + why)
			return
		}
		wait := min(firstWait<<(tries-1), mostWait)
		x.setState(fmt.Sprintf("failed (%s); retrying in %s", why, wait))
		if !routine.Sleep(ctx, wait) {
			return
		}
	}
}

// runOnce connects to the server and returns when it ends.
func (x *server) runOnce(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	l, err := x.connect(starting)
	if err != nil {
		return err
	}
	defer l.close()
	defer context.AfterFunc(ctx, routine.Guard("mcp end", l.end))() // even if the calls below hang
	if err := x.refresh(starting, l); err != nil {
		return err
	}
	x.setState("ready")
	x.markTried()
	defer x.setTools(nil, nil)
	ended := make(chan error, 1)
	routine.Join(&x.all.works, "mcp session", func() { ended <- l.session.Wait() })
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case <-l.changed:
		}
		listing, cancel := context.WithTimeout(ctx, startTime)
		err := x.refresh(listing, l)
		cancel()
		if err != nil || !routine.Sleep(ctx, refreshEvery) {
			return err
		}
	}
}

// Bounds of a server's log.
const (
	maxLog     = 100 // lines
	maxLogLine = 300 // bytes
)

func (x *server) appendLog(line string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.log = append(x.log, text.Clip(line, maxLogLine))
	if len(x.log) > maxLog {
		x.log = slices.Delete(x.log, 0, len(x.log)-maxLog)
	}
}

// describe describes the server in one to three lines.
func (x *server) describe() string {
	x.all.mu.Lock()
	left := x.all.left
	x.all.mu.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	line := x.config.Name + ": " + cmp.Or(x.state, "not started yet")
	var names, unoffered []string
	for _, r := range x.tools {
		names = append(names, r.remote)
		if slices.Contains(left, r.name) {
			unoffered = append(unoffered, r.remote)
		}
	}
	if len(names) > 0 {
		line += ", " + text.Count(len(names), "tool") + ": " + text.Clip(strings.Join(names, ", "), 600)
	}
	if len(unoffered) > 0 {
		line += "\n  no room for " + text.Count(len(unoffered), "tool") + ": " + strings.Join(unoffered, ", ")
	}
	if len(x.skips) > 0 {
		line += "\n  left out: " + text.Clip(strings.Join(x.skips, "; "), 600)
	}
	return line
}
