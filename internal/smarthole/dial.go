package smarthole

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/coder/websocket"
)

// dial opens a connection to this computer, wherever the address leads: no proxy, no redirect.
func dial(ctx context.Context, url string) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: dialLoopback}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: &http.Client{ //nolint:bodyclose // the library closes it
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it leads elsewhere, which is refused") },
	}})
	return conn, err
}

func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		_ = conn.Close()
		return nil, fmt.Errorf("%s is not on this computer", address)
	}
	return conn, nil
}
