package smarthole

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/coder/websocket"
)

// reason is an error for the user: why there is no connection.
type reason string

func (r reason) Error() string { return string(r) }

// proof returns the valid answer to a challenge: the HMAC-SHA256 in hexadecimal, keyed with the token, of the challenge, a
// space and the address where SmartHole accepted the connection ("127.0.0.1:9473"). The address prevents a program at
// another address from relaying the challenge.
func proof(token, challenge string, at netip.AddrPort) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(challenge + " " + at.String()))
	return hex.EncodeToString(mac.Sum(nil))
}

// dialTrusted connects to the program at an address and sends it nothing. It returns the address of
// the other end too, or a reason if another user's program holds it.
func dialTrusted(ctx context.Context, url, token string) (*websocket.Conn, netip.AddrPort, error) {
	ctx, done := context.WithTimeout(ctx, dialTimeout)
	defer done()
	var us, peer netip.AddrPort
	conn, err := dial(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		us, peer = addrPort(i.Conn.LocalAddr()), addrPort(i.Conn.RemoteAddr())
	}}), url)
	if err != nil {
		return nil, peer, err
	}
	// Before the handshake the socket may not be accepted, and belong to root.
	uid, err := socketOwner(peer, us)
	switch {
	case err == nil && uid != os.Getuid():
		err = reason(fmt.Sprintf("a program of another user (uid %d) listens at %s, so it is sent nothing; end it or start SmartHole as yourself, or change smarthole.url", uid, url))
	case err != nil && runtime.GOOS == "linux" && token == "":
		err = reason(fmt.Sprintf("the system does not tell whose program listens at %s (%v), so it is sent nothing; set smarthole.token here and in SmartHole", url, err))
	default:
		return conn, peer, nil
	}
	_ = conn.CloseNow()
	return nil, peer, err
}

func addrPort(a net.Addr) netip.AddrPort {
	at := a.(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// socketOwner returns the user whose established socket has these two ends. Only Linux tells.
func socketOwner(local, remote netip.AddrPort) (uid int, err error) {
	v4, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return 0, err
	}
	v6, _ := os.ReadFile("/proc/net/tcp6") // absent without IPv6
	for line := range strings.Lines(string(v4) + string(v6)) {
		f := strings.Fields(line)
		if len(f) > 7 && f[3] == "01" && isAddr(f[1], local) && isAddr(f[2], remote) {
			return strconv.Atoi(f[7])
		}
	}
	return 0, errors.New("the connection is not in /proc/net/tcp")
}

// isAddr reports whether an address of /proc/net/tcp or tcp6 is at; sockets of IPv6 list an IPv4
// address as ::ffff:127.0.0.1.
func isAddr(listed string, at netip.AddrPort) bool {
	mapped := at.Addr().As16()
	return listed == procAddr(at.Addr().AsSlice(), at.Port()) || listed == procAddr(mapped[:], at.Port())
}

// procAddr formats an address as Linux does, "0100007F:2501": words in the byte order of the machine.
func procAddr(addr []byte, port uint16) (s string) {
	for ; len(addr) > 0; addr = addr[4:] {
		s += fmt.Sprintf("%08X", binary.NativeEndian.Uint32(addr))
	}
	return s + fmt.Sprintf(":%04X", port)
}
