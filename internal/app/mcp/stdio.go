package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/routine"
)

// After the end of a client's input, pending requests have drainTime to be answered, and closeTime more to end after
// they are canceled.
const (
	drainTime = 1500 * time.Millisecond
	closeTime = 300 * time.Millisecond
)

// Serve answers a client until in or ctx ends.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ran := make(chan error, 1)
	t := &stdio{IOTransport: sdk.IOTransport{Reader: io.NopCloser(in), Writer: output{out}}, ended: make(chan struct{})}
	routine.Go("mcp stdio", func() { ran <- s.sdk.Run(ctx, t) })
	select {
	case err := <-ran:
		return ended(err)
	case <-t.ended: // its calls are being canceled
	case <-ctx.Done():
	}
	select {
	case err := <-ran:
		return ended(err)
	case <-time.After(closeTime):
		return nil
	}
}

// ended returns the error of a session that ended with err; a usual end is none.
func ended(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return fmt.Errorf("what came on standard input is not a message of the Model Context Protocol: chatvault mcp is started by an agent, and chatvault mcp config shows how (%w)", err)
}

// stdio is a transport whose input may end before all requests are answered.
type stdio struct {
	sdk.IOTransport
	ended chan struct{} // closed at the end of the input
}

// Connect implements sdk.Transport.
func (t *stdio) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.IOTransport.Connect(ctx)
	return &draining{Connection: c, end: sync.OnceFunc(func() { close(t.ended) })}, err
}

// draining delays the end of its input until all requests are answered, because the SDK then cancels them.
type draining struct {
	sdk.Connection
	end     func()
	pending atomic.Int64
}

func (c *draining) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if err != nil {
		for limit := time.Now().Add(drainTime); c.pending.Load() > 0 && time.Now().Before(limit) && ctx.Err() == nil; {
			time.Sleep(5 * time.Millisecond)
		}
		c.end()
	} else if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.pending.Add(1)
	}
	return m, err
}

func (c *draining) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if _, ok := m.(*jsonrpc.Response); ok {
		c.pending.Add(-1)
	}
	return err
}

// output is the process's standard output, which is not closed.
type output struct{ io.Writer }

func (output) Close() error { return nil }
