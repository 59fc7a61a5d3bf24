package smarthole

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"chatvault/internal/llmtest/hubtest"
)

func TestIsAddr(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the test data is little-endian")
	}
	for _, tt := range []struct {
		listed, at string
		want       bool
	}{
		{"0100007F:2501", "127.0.0.1:9473", true},
		{"0200007F:0050", "127.0.0.2:80", true},
		{"00000000000000000000000001000000:2501", "[::1]:9473", true},
		{"0000000000000000FFFF00000100007F:FFFF", "127.0.0.1:65535", true},
		{"0100007F:2502", "127.0.0.1:9473", false},
		{"0200007F:2501", "127.0.0.1:9473", false},
		{"7F000001:2501", "127.0.0.1:9473", false},
		{"0100007F:2501", "[::1]:9473", false},
		{"0000000000000000000000000100007F:2501", "127.0.0.1:9473", false},
		{"local_address", "127.0.0.1:9473", false},
	} {
		if got := isAddr(tt.listed, netip.MustParseAddrPort(tt.at)); got != tt.want {
			t.Errorf("%q is %s: %v", tt.listed, tt.at, got)
		}
	}
}

// TestSocketOwner: the owner of an accepted connection is found for every address family of the listener.
func TestSocketOwner(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("socket owners are known only on Linux")
	}
	for _, tt := range []struct{ listen, dial string }{{"127.0.0.1:0", "127.0.0.1"}, {"127.0.0.1:0", "::ffff:127.0.0.1"}, {"[::]:0", "127.0.0.1"}, {"[::1]:0", "::1"}} {
		l, err := net.Listen("tcp", tt.listen)
		if err != nil {
			t.Logf("%s: %v", tt.listen, err) // no IPv6
			continue
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c, err := net.Dial("tcp", net.JoinHostPort(tt.dial, port))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer accepted.Close()
		us, peer := addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())
		if uid, err := socketOwner(peer, us); err != nil || uid != os.Getuid() {
			t.Errorf("%v: uid %d, %v", tt, uid, err)
		}
		if uid, err := socketOwner(peer, netip.AddrPortFrom(us.Addr(), 1)); err == nil {
			t.Errorf("%v: a connection that does not exist belongs to %d", tt, uid)
		}
	}
}

// TestProof: SmartHole's proof is accepted only with its token and from its address.
func TestProof(t *testing.T) {
	const token = "correct-horse-battery"
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	hub.SetToken(token)
	for name, tt := range map[string]struct {
		token string
		move  uint16 // offset from the hub's port
		want  bool
	}{"its token": {token, 0, true}, "another token": {"wrong-horse-battery", 0, false}, "passed on from another address": {token, 1, false}, "none": {"", 0, true}} {
		s := New(Options{URL: hub.URL(), Token: tt.token, Registration: Registration{Name: "n", Description: "d", Version: "v", Capabilities: []string{}}})
		conn, at, err := dialTrusted(context.Background(), hub.URL(), tt.token)
		if err != nil {
			t.Fatal(err)
		}
		err = s.register(context.Background(), conn, netip.AddrPortFrom(at.Addr(), at.Port()+tt.move))
		_ = conn.CloseNow()
		if _, bad := errors.AsType[reason](err); bad == tt.want || !bad && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range hub.Violations() {
		t.Error(v)
	}
}
