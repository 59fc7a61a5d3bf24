package session

import (
	"context"
	"net"
	"testing"
	"time"

	"chatvault/internal/app/config"
	"chatvault/internal/app/mcpclient"
)

// TestTurnWaitsForServers checks that waiting for a silent server ends with the turn.
func TestTurnWaitsForServers(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	a := &Session{mcp: mcpclient.New(mcpclient.Options{Servers: []config.MCPServer{{
		Name: "silent", URL: "http://" + silent.Addr().String(), TimeoutSeconds: 60, Enabled: true,
	}}})}
	defer a.mcp.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	began := time.Now()
	go func() {
		a.serversReady(true, nil)(ctx)
		close(done)
	}()
	cancel()
	<-done
	if waited := time.Since(began); waited >= serversWaitOnce {
		t.Errorf("it went on for %v", waited)
	}
}
