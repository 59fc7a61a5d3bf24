package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/routine"
)

// Once a client's input has ended, what it asked has drainTime to be answered, and closeTime more to
// notice that it is cancelled.
const (
	drainTime = 1500 * time.Millisecond
	closeTime = 300 * time.Millisecond
)

// Serve answers the client at the other end of in and out, until in ends or ctx does.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ran := make(chan error, 1)
	t := &stdio{IOTransport: sdk.IOTransport{Reader: io.NopCloser(in), Writer: output{out}}, ended: make(chan struct{})}
	routine.Go("mcp stdio", func() { ran <- s.sdk.Run(ctx, t) })
	select {
	case err := <-ran:
		return ended(err)
	case <-t.ended: // its calls are being cancelled
	case <-ctx.Done():
	}
	select {
	case err := <-ran:
		return ended(err)
	case <-time.After(closeTime):
		return nil
	}
}

// ended is the error that a client's session ended with, if it was one.
func ended(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return fmt.Errorf("what came on standard input is not a message of the Model Context Protocol: chatvault mcp is started by an agent, and chatvault mcp config shows how (%w)", err)
}

// stdio is a transport whose input may end before all is answered.
type stdio struct {
	sdk.IOTransport
	ended chan struct{} // closed when the input is taken for ended
}

// Connect implements sdk.Transport.
func (t *stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.IOTransport.Connect(ctx)
	return &draining{Connection: c, ended: t.ended, answered: make(chan struct{}, 1)}, err
}

// draining holds the end of its input back until all that came by it is answered: the SDK cancels what is
// under way when the input ends.
type draining struct {
	sdk.Connection
	ended    chan struct{}
	once     sync.Once
	answered chan struct{}

	mu      sync.Mutex
	pending int
}

func (c *draining) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		c.drain(ctx)
		c.once.Do(func() { close(c.ended) })
		return m, err
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.count(1)
	}
	return m, nil
}

func (c *draining) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok && c.count(-1) <= 0 {
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	return err
}

func (c *draining) count(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending += n
	return c.pending
}

// drain waits until all is answered, but for at most drainTime.
func (c *draining) drain(ctx context.Context) {
	limit := time.After(drainTime)
	for c.count(0) > 0 {
		select {
		case <-c.answered:
		case <-limit:
			return
		case <-ctx.Done():
			return
		}
	}
}

// output is the process's own standard output, which is not closed.
type output struct{ io.Writer }

func (output) Close() error { return nil }
