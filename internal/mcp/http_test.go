package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listen serves over HTTP.
func listen(t *testing.T, s *Server, open bool) (address, token string) {
	t.Helper()
	token, file, err := s.Token()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.ServeHTTP(ctx, l, token, open) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), token
}

// bearing sends a token with every request.
type bearing struct{ token string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, address, token, name string) (*sdk.ClientSession, error) {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(context.Background(),
		&sdk.StreamableClientTransport{Endpoint: "http://" + address + Path, HTTPClient: &http.Client{Transport: bearing{token}}, MaxRetries: -1}, nil)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func TestHTTP(t *testing.T) {
	dir := vaultOf(t, map[string]string{"A.md": "a\n"})
	s := open(t, dir, "", Options{})
	address, token := listen(t, s, false)
	again, _, err := s.Token()
	if err != nil || again != token {
		t.Errorf("the token is another one: %v", err)
	}
	if _, err := dial(t, address, "wrong", "x"); err == nil {
		t.Error("a wrong token was taken")
	}
	a, err := dial(t, address, token, "a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := dial(t, address, token, "b")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			c := []*sdk.ClientSession{a, b}[i%2]
			does(t, c, "append_file", map[string]any{"path": "A.md", "content": fmt.Sprintf("line %d.", i)})
		})
	}
	wg.Wait()
	for i := range 20 {
		if text := read(t, dir, "A.md"); strings.Count(text, fmt.Sprintf("line %d.", i)) != 1 {
			t.Errorf("line %d: %q", i, text)
		}
	}
	if text := does(t, a, "changes", nil); !strings.Contains(text, "“a: append_file A.md”") || !strings.Contains(text, "“b: append_file A.md”") {
		t.Errorf("%s", text)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func TestHTTPRefuses(t *testing.T) {
	s := open(t, vaultOf(t, nil), "", Options{})
	address, token := listen(t, s, false)
	opened, openToken := listen(t, s, true)
	_, port, _ := net.SplitHostPort(address)
	for _, tt := range []struct {
		name   string
		to     string
		change func(*http.Request)
		want   int
	}{
		{"as it should be", address, func(*http.Request) {}, 200},
		{"localhost", address, func(r *http.Request) { r.Host = "localhost:" + port }, 200},
		{"its own origin", address, func(r *http.Request) { r.Header.Set("Origin", "http://"+address) }, 200},
		{"no token", address, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a part of the token", address, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token[1:]) }, 401},
		{"another's host", address, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"another's host below localhost", address, func(r *http.Request) { r.Host = "x.localhost" }, 403},
		{"an address not of this computer", address, func(r *http.Request) { r.Host = "192.0.2.1" }, 403},
		{"the same, open", opened, func(r *http.Request) { r.Host = "192.0.2.1" }, 200},
		{"another's host, open", opened, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"a web page", address, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a local web page", address, func(r *http.Request) { r.Header.Set("Origin", "http://localhost:3000") }, 403},
		{"no page at all", address, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a page without an origin", address, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		{"another path", address, func(r *http.Request) { r.URL.Path = "/" }, 404},
		{"too much", address, func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", maxBody+1))), maxBody+1
		}, 413},
		{"a session of nobody's", address, func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "x") }, 404},
	} {
		r, err := http.NewRequest(http.MethodPost, "http://"+tt.to+Path, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if openToken != token {
			t.Fatal("one vault, two tokens")
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		tt.change(r)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != tt.want {
			t.Errorf("%s: %d, not %d: %s", tt.name, res.StatusCode, tt.want, body)
		}
	}
}

// Sessions are bounded, those that are half closed too, and ended ones make room.
func TestHTTPSessionsAreBounded(t *testing.T) {
	s := open(t, vaultOf(t, nil), "", Options{})
	address, token := listen(t, s, false)
	begin := func() (status int, session string) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", Path, address, token, len(initialize), initialize)
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()      // in the middle of it
		_ = r.Body.Close() // of a connection that is gone
		return r.StatusCode, r.Header.Get("Mcp-Session-Id")
	}
	first := ""
	for i := range maxSessions {
		status, session := begin()
		if status != 200 {
			t.Fatalf("session %d: %d", i, status)
		}
		first = session
	}
	if status, _ := begin(); status != 503 {
		t.Errorf("one session more: %d", status)
	}
	r, err := http.NewRequest(http.MethodDelete, "http://"+address+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", first)
	res, err := (&http.Client{Transport: bearing{token}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if status, _ := begin(); status == 200 {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("an ended session makes no room")
		}
	}
}

func TestTokenThatOthersRead(t *testing.T) {
	s := open(t, vaultOf(t, nil), "", Options{})
	token, file, err := s.Token()
	if err == nil {
		err = os.Chmod(file, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := s.Token()
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || other == token || info.Mode().Perm() != 0o600 {
		t.Errorf("a token that others could read stayed: %v, %v", err, statErr)
	}
}
