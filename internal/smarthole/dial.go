package smarthole

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/coder/websocket"

	"chatvault/internal/loopback"
)

// dial opens a connection to this computer, wherever the address leads: no proxy, no redirect.
func dial(ctx context.Context, url string) (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: loopback.Within(&net.Dialer{}).DialContext}
	defer transport.CloseIdleConnections()
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: &http.Client{ //nolint:bodyclose // the library closes it
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("it redirects to another address, which is not followed")
		},
	}})
	return conn, err
}
