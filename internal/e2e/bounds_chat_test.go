package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

// keyTime is the time from a key press to the screen in 95 of 100 cases, and keyLoaded the one of any key in make test
// on a busy machine.
const (
	keyTime   = 50 * time.Millisecond
	keyLoaded = 3 * time.Second
)

// flooding is a model that floods the chat and reports its first request.
type flooding struct {
	*httptest.Server
	began chan struct{}
}

// flood returns a model with an endless answer: say is called for each chunk until it returns false.
func flood(t *testing.T, say func(ctx context.Context, send func(delta string) bool)) flooding {
	t.Helper()
	began := make(chan struct{})
	var once sync.Once
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(began) })
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		say(r.Context(), func(delta string) bool {
			line, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": delta}}}})
			if err != nil {
				return false
			}
			_, err = fmt.Fprintf(w, "data: %s\n\n", line)
			if delta == "" {
				err = rc.Flush()
			}
			return err == nil && r.Context().Err() == nil
		})
		_, _ = fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(srv.Close)
	return flooding{srv, began}
}

// pathological returns Markdown that is slow to parse and render.
func pathological() string {
	const n = 400
	return strings.Join([]string{
		strings.Repeat("> ", n) + "deep", strings.Repeat("- ", n) + "deep", strings.Repeat("*", 4*n) + "a", strings.Repeat("[", 10*n) + "a" + strings.Repeat("]", 10*n),
		strings.Repeat("![", 5*n) + "x", strings.Repeat("`", n) + "a" + strings.Repeat("`", n-1), strings.Repeat("<", 10*n), strings.Repeat("a**b", 5*n), strings.Repeat("[a](", 5*n),
		strings.Repeat("|a", n) + "|\n" + strings.Repeat("|-", n) + "|\n" + strings.Repeat(strings.Repeat("|b", n)+"|\n", 20), strings.Repeat("&#27;", 2*n), strings.Repeat("_a ", 5*n),
		strings.Repeat("[[", 5*n) + "x", strings.Repeat("~~a", 5*n), strings.Repeat("$x", 5*n), strings.Repeat("==a ", 5*n), strings.Repeat("#", 5*n) + "a", "[^1]: " + strings.Repeat("[^1]", 5*n), strings.Repeat("x", 50*n),
	}, "\n\n")
}

// TestChatStaysQuick types while the model floods the chat: 10,000 chunks a second, an endless answer, pathological
// Markdown, and a vault with a huge note, with 256 descriptors and a memory limit of 256 MiB. A key appears within 50
// ms in 95 of 100 cases (CHATVAULT_STRESS), at most 300 MB are in memory, and Esc stops it.
func TestChatStaysQuick(t *testing.T) {
	beside(t)
	keys, long := 12, 1500*time.Millisecond
	if stressed() {
		keys, long = 100, 20*time.Second
	}
	words := func(i int) string { return fmt.Sprintf("word%d and %d, ", i*7919%100_003, i) }
	paragraph := func(i int) string {
		var b strings.Builder
		for j := range 250 {
			b.WriteString(words(250*i + j))
		}
		return b.String() + "\n\n"
	}
	for _, c := range []struct {
		name string
		say  func(ctx context.Context, send func(string) bool)
	}{
		{"10,000 pieces a second", func(ctx context.Context, send func(string) bool) {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			end := time.Now().Add(long)
			for i := 0; time.Now().Before(end); {
				for range 100 {
					if i++; !send(words(i)) {
						return
					}
				}
				if !send("") {
					return
				}
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		}},
		{"an answer without end, a megabyte a second", func(ctx context.Context, send func(string) bool) {
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for i := 0; send(paragraph(10*i)) && send(paragraph(10*i+5)) && send(""); i++ {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
			}
		}},
		{"an answer without end, as fast as it can be read", func(ctx context.Context, send func(string) bool) {
			for i := 0; ctx.Err() == nil && send(paragraph(i)); i++ {
			}
		}},
		{"pathological Markdown", func(ctx context.Context, send func(string) bool) {
			text := pathological()
			for from := 0; from < len(text); from += 200 {
				if !send(text[from:min(from+200, len(text))]) || !send("") {
					return
				}
			}
			<-ctx.Done() // it stays the tail of a stream
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv := flood(t, c.say)
			h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "large.md": "# Large\n" + strings.Repeat("Some words of [[Home]] that go on.\n", 1000)})
			if stressed() {
				data := strings.Repeat("Some words of [[Home]] that go on.\n", 3_000_000)
				if err := os.WriteFile(filepath.Join(h.vault, "huge.md"), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "CHATVAULT_KEYRING=off",
				"OPENAI_BASE_URL="+srv.URL+"/v1", "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model", memoryLimit)
			x := ptytest.Start(t, ptytest.Options{
				Path: "/bin/sh", Args: []string{"-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, mostFiles), chatvault(t), "--vault", h.vault}, Dir: h.dir, Env: env, Width: 110, Height: 40,
			})
			x.WaitFor("Ask about your notes", patience)
			idle := keyTimes(x, keys)
			x.Press("ctrl+u")
			x.WaitFor("Ask about your notes", patience)
			x.Type("begin")
			x.Press("enter")
			select {
			case <-srv.began:
			case <-time.After(patience):
				t.Fatalf("the model was not asked\n%s", x.Screen())
			}
			x.WaitFor("Ask about your notes", patience) // what was sent has left the composer
			busy := keyTimes(x, keys)
			resident, _ := residentMax(x.PID())
			p95, still := busy[len(busy)*95/100], idle[len(idle)*95/100]
			t.Logf("a key takes %v (idle %v) in 95 of 100 cases, at most %v; %d MiB in memory", p95, still, busy[len(busy)-1], resident>>10)
			switch most := busy[len(busy)-1]; {
			case stressed() && p95 > keyTime:
				t.Errorf("a key takes %v in 95 of 100 cases, %v when nothing goes on; it may take %v", p95, still, keyTime)
			case most > keyLoaded:
				t.Errorf("a key took %v", most)
			}
			if resident > mostResident {
				t.Errorf("%d MiB in memory", resident>>10)
			}
			x.Press("ctrl+u", "esc")
			x.WaitUntil("the turn to end", patience, func(s string) bool {
				return strings.Contains(s, "Stopp") || strings.Contains(s, "Ask about your notes") && !strings.Contains(s, "Esc stops")
			})
		})
	}
}

// keyTimes types keys one by one and returns the times until each was on the screen, sorted.
func keyTimes(x *ptytest.Terminal, n int) []time.Duration {
	var took []time.Duration
	typed := "q"
	x.Type("q")
	x.WaitFor("› q", patience)
	for i := range n {
		key := string(rune('a' + i*7%26))
		if len(typed) >= 60 {
			x.Press("ctrl+u")
			x.WaitFor("Ask about your notes", patience)
			typed = ""
		}
		typed += key
		begun := time.Now()
		x.Type(key)
		x.WaitUntil("the key", patience, func(s string) bool { return strings.Contains(s, "› "+typed) })
		took = append(took, time.Since(begun))
		time.Sleep(5 * time.Millisecond)
	}
	slices.Sort(took)
	return took
}
