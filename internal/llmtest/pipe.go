package llmtest

import (
	"context"
	"net"
	"sync"
)

// Pipe is an in-memory net.Listener for tests with testing/synctest. Its connections are
// net.Pipe, on which goroutines block durably. A reset closes the connection.
type Pipe struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewPipe returns an open listener for Options.Listener.
func NewPipe() *Pipe {
	return &Pipe{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for a call to DialContext. It returns net.ErrClosed after Close.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close unblocks Accept and refuses further connections. Established connections stay open.
func (p *Pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr returns a placeholder loopback address, where no socket listens.
func (p *Pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// DialContext connects to the listener, ignoring the network and the address. It is for http.Transport.
func (p *Pipe) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
