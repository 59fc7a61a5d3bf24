// Package loopback decides which addresses are this computer. Connections to them may be unencrypted, and never use a
// proxy, which would see the key.
package loopback

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// Host reports whether the host of a URL, without port and brackets, is this computer: an address in 127.0.0.0/8, ::1, or
// the name localhost. Other names do not count, whatever they resolve to, since some programs look up names such as
// x.localhost in the DNS or send them to the proxy.
func Host(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Dial returns d's DialContext, except that hosts accepted by Host are only reached on this computer, even if localhost
// resolves to another address.
func Dial(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	within := Within(d)
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(address); err == nil && Host(host) {
			return within.DialContext(ctx, network, address)
		}
		return d.DialContext(ctx, network, address)
	}
}

// Within returns a copy of d that connects to this computer only.
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
