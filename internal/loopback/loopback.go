// Package loopback knows which addresses are this computer's own. It is the one place that says so:
// what it takes for this computer may be spoken to in plain text, and is never reached through a
// proxy, which would be told the key.
package loopback

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// Host says whether a host of a URL, without its port and brackets, is this computer: an address of
// 127.0.0.0/8, ::1, or the name localhost. No other name is, whatever it may resolve to: those below
// .localhost, and localhost with a dot at its end, are looked up in the DNS by some and sent to the
// proxy by others.
func Host(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Dial is d's DialContext, but that what Host takes for this computer is connected to nowhere else,
// should the name localhost resolve to another's address.
func Dial(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	within := Within(d)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && Host(host) {
			return within.DialContext(ctx, network, address)
		}
		return d.DialContext(ctx, network, address)
	}
}

// Within is a dialer as d is that connects to this computer only, whatever a name resolves to.
func Within(d *net.Dialer) *net.Dialer {
	within := *d
	within.Control = func(_, address string, _ syscall.RawConn) error {
		if host, _, err := net.SplitHostPort(address); err != nil || !Host(host) {
			return fmt.Errorf("%s is not on this computer", address)
		}
		return nil
	}
	return &within
}
