package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/openai"
	"chatvault/internal/llmtest"
)

// start is open for one test; the key is looked for at its end.
func start(t *testing.T, base string, change ...func(*endpoint.Options)) *chain {
	t.Helper()
	dir := t.TempDir()
	if err := newVault(dir); err != nil {
		t.Fatal(err)
	}
	c, err := open(dir, model(base, 20*time.Second, 20*time.Second, change...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
		if where := c.leaks(); where != nil {
			t.Errorf("a key is in %v", where)
		}
	})
	return c
}

// dialling counts the connections a provider makes, and makes them with dial.
func dialling(count *atomic.Int32, dial func(ctx context.Context, n int32, network, addr string) (net.Conn, error)) func(*endpoint.Options) {
	return func(o *endpoint.Options) {
		o.Transport = &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				return dial(ctx, count.Add(1), network, addr)
			},
		}
	}
}

// of returns all events of one type.
func of[E event.Event](events []event.Event) []E {
	var all []E
	for _, e := range events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

// serve answers connections with f until the test ends, and counts them.
func serve(t *testing.T, f func(net.Conn)) (addr string, count *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	count = &atomic.Int32{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			f(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String(), count
}

// TestNetworkFaults tries the rows of the corpus in which no answer comes at all: a transient
// one is tried four times, one that will not pass once; the message stays in the inbox, and
// the next turn, at a server that answers, works.
func TestNetworkFaults(t *testing.T) {
	for _, c := range []struct {
		row      string
		attempts int32
		shows    []string
		at       func(t *testing.T) (base string, count *atomic.Int32, change func(*endpoint.Options))
	}{
		{"dns-timeout", 4, []string{"model.invalid"}, func(*testing.T) (string, *atomic.Int32, func(*endpoint.Options)) {
			count := &atomic.Int32{}
			return "https://model.invalid/v1", count, dialling(count, func(context.Context, int32, string, string) (net.Conn, error) {
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Name: "model.invalid", Err: "i/o timeout", IsTimeout: true}}
			})
		}},
		{"tls-handshake-eof", 4, nil, func(t *testing.T) (string, *atomic.Int32, func(*endpoint.Options)) {
			addr, count := serve(t, func(net.Conn) {})
			return "https://" + addr + "/v1", count, func(*endpoint.Options) {}
		}},
		{"http-to-https-port", 1, []string{"127.0.0.1", "TLS"}, func(t *testing.T) (string, *atomic.Int32, func(*endpoint.Options)) {
			addr, count := serve(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 1024))
				_, _ = io.WriteString(c, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
			})
			return "https://" + addr + "/v1", count, func(*endpoint.Options) {}
		}},
		{"proxy-407", 1, []string{"407"}, func(t *testing.T) (string, *atomic.Int32, func(*endpoint.Options)) {
			addr, count := serve(t, func(c net.Conn) {
				if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
					t.Error(err)
				}
				_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
			})
			return "https://model.invalid/v1", count, func(o *endpoint.Options) {
				o.Transport = &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: addr})}
			}
		}},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			base, count, change := c.at(t)
			ch := start(t, base, change)
			last, err := ch.turn("Read the notes.")
			if err != nil {
				t.Fatal(err)
			}
			e, ok := last.(event.TurnFailed)
			if !ok || e.Code != llm.KindNetwork {
				t.Fatalf("the turn: %+v", last)
			}
			for _, s := range c.shows {
				if !strings.Contains(e.Text, s) {
					t.Errorf("%q is missing in %q", s, e.Text)
				}
			}
			if n, retries := count.Load(), len(of[event.Retry](ch.events)); n != c.attempts || retries != int(c.attempts)-1 {
				t.Errorf("%d attempts, %d retries; want %d attempts", n, retries, c.attempts)
			}
			if pending, err := ch.inbox(); err != nil || len(pending) != 1 || pending[e.TurnID].LastError == "" {
				t.Errorf("inbox %v, %v", pending, err)
			}
			srv := llmtest.New(t, llmtest.Reply("Still here."))
			next, err := model(srv.URL(), patience, patience)(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer next.(*openai.Provider).Close()
			ch.p.SetProvider(next)
			if last, err := ch.turn("And now?"); err != nil || !finished(last, "Still here.") {
				t.Errorf("the next turn: %+v, %v", last, err)
			}
		})
	}
}

func finished(e event.Event, response string) bool {
	f, ok := e.(event.TurnFinished)
	return ok && f.Success && f.Response == response
}

// TestOfflineThenBack: an endpoint that is back before the last attempt is not missed; one
// that is back later answers the message that was kept.
func TestOfflineThenBack(t *testing.T) {
	for _, down := range []int32{3, 4} {
		t.Run(fmt.Sprint(down), func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Reply("Back."))
			var count atomic.Int32
			ch := start(t, srv.URL(), dialling(&count, func(ctx context.Context, n int32, network, addr string) (net.Conn, error) {
				if n <= down {
					return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
				}
				return (&net.Dialer{}).DialContext(ctx, network, addr)
			}))
			last, err := ch.turn("Read the notes.")
			if err != nil {
				t.Fatal(err)
			}
			if down == 4 {
				e, ok := last.(event.TurnFailed)
				if !ok || e.Code != llm.KindNetwork || count.Load() != 4 {
					t.Fatalf("after %d attempts: %+v", count.Load(), last)
				}
				if pending, err := ch.inbox(); err != nil || len(pending) != 1 {
					t.Errorf("inbox %v, %v", pending, err)
				}
				if err := ch.p.Retry(e.TurnID); err != nil {
					t.Fatal(err)
				}
				if last, err = ch.await(isLast); err != nil {
					t.Fatal(err)
				}
			}
			if !finished(last, "Back.") || len(srv.Requests()) != 1 {
				t.Errorf("%+v after %d requests", last, len(srv.Requests()))
			}
			if pending, err := ch.inbox(); err != nil || len(pending) != 0 {
				t.Errorf("inbox %v, %v", pending, err)
			}
		})
	}
}

// TestRetryAfter: the server's wait stands in the event, and a stop ends it at once.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"60": time.Minute, "2": 2 * time.Second, "0": delays[0]} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", header), llmtest.Reply("Still here.", llmtest.Forever()))
			ch := start(t, srv.URL())
			m, err := ch.p.Submit(t.Context(), event.Inbound{Text: "Read the notes."})
			if err != nil {
				t.Fatal(err)
			}
			e, err := ch.await(func(e event.Event) bool { _, ok := e.(event.Retry); return ok })
			if err != nil {
				t.Fatal(err)
			}
			if r := e.(event.Retry); r.Delay != want || r.Attempt != 2 || r.Code != llm.KindRateLimit || !strings.Contains(r.Message, "slow down") {
				t.Errorf("%+v", r)
			}
			if want < time.Second {
				return
			}
			begun := time.Now()
			ch.p.Stop()
			last, err := ch.await(isLast)
			if _, ok := last.(event.TurnStopped); !ok || err != nil || time.Since(begun) > time.Second {
				t.Errorf("after %v: %+v, %v", time.Since(begun), last, err)
			}
			if pending, err := ch.inbox(); err != nil || len(pending) != 0 || len(srv.Requests()) != 1 {
				t.Errorf("inbox %v, %v; %d requests for %s", pending, err, len(srv.Requests()), m.ID)
			}
			if last, err := ch.turn("And now?"); err != nil || !finished(last, "Still here.") {
				t.Errorf("the next turn: %+v, %v", last, err)
			}
		})
	}
}

// TestDoomCycle is the row doom-cycle-ABAB: two calls that come again and again with the same
// results. The model is told after three rounds, and the turn ends with an account at the next.
func TestDoomCycle(t *testing.T) {
	t.Parallel()
	read := func(path string) llmtest.Step {
		return llmtest.ToolCall("read_note", map[string]any{"path": path}, llmtest.When(`tools contains "read_note"`))
	}
	steps := []llmtest.Step{
		llmtest.Reply("Still here.", llmtest.When(`user contains "And now?"`)),
		llmtest.Reply("I read both and found nothing.", llmtest.When(`tool result contains "no tool can be called any more"`)),
	}
	for range 10 {
		steps = append(steps, read("a.md"), read("b.md"))
	}
	srv := llmtest.New(t, steps...)
	ch := start(t, srv.URL())
	last, err := ch.turn("Find it.")
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := last.(event.TurnFinished); !ok || !e.Success || e.StopReason != event.StopLoop || e.Response != "I read both and found nothing." {
		t.Errorf("%+v", last)
	}
	var told []int // requests in which the model is told, by number of calls before it
	for i, r := range srv.Requests() {
		if m, ok := r.Chat.Last("tool"); ok && strings.Contains(string(m.Content), "You are going round in circles") {
			told = append(told, i)
		}
	}
	runs := len(of[event.ToolFinished](ch.events))
	if runs != 7 || len(told) != 1 || told[0] != 6 {
		t.Errorf("%d calls ran, told before model calls %v", runs, told)
	}
	if last, err := ch.turn("And now?"); err != nil || !finished(last, "Still here.") {
		t.Errorf("the next turn: %+v, %v", last, err)
	}
}

// TestKeyStaysAtItsHost is the row http-302-other-host with a host that listens: the key, and
// the request, go nowhere but to the endpoint.
func TestKeyStaysAtItsHost(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	srv := llmtest.New(t, llmtest.Fail(http.StatusFound, "", "Location", other.URL))
	ch := start(t, srv.URL())
	last, err := ch.turn("Read the notes.")
	if e, ok := last.(event.TurnFailed); err != nil || !ok || e.Code != llm.KindNetwork || reached.Load() != 0 {
		t.Errorf("%+v, %v; the other host was reached %d times", last, err, reached.Load())
	}
}
