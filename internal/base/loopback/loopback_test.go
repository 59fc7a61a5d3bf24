package loopback

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.255.255.254": true, "::1": true, "::ffff:127.0.0.1": true,

		"localhost.": false, "foo.localhost": false, "foo.localhost.": false, ".localhost": false, "localhost.localdomain": false,
		"localhost.example.org": false, "localhost6": false, "127.0.0.1.": false, "127.0.0.1.nip.io": false, "127.1": false,
		"127.0.0.01": false, "0x7f.0.0.1": false, "2130706433": false, "0.0.0.0": false, "::": false, "::2": false, "::1%lo": false,
		"128.0.0.1": false, "10.0.0.1": false, "169.254.1.1": false, "localhost\u200b": false, "ⓛocalhost": false, "": false,
	} {
		if got := Host(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// TestDial: connections to this computer follow the loopback rule; all others use the given dialer.
func TestDial(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	asItIs := errors.New("as it is")
	d := &net.Dialer{Control: func(string, string, syscall.RawConn) error { return asItIs }}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		conn, err := Dial(d)(ctx, "tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	if _, err := Dial(d)(ctx, "tcp", "192.0.2.1:80"); !errors.Is(err, asItIs) {
		t.Error(err)
	}
	if _, err := Within(d).DialContext(ctx, "tcp", "192.0.2.1:80"); err == nil || !strings.Contains(err.Error(), "192.0.2.1:80 is not on this computer") {
		t.Error(err)
	}
}
