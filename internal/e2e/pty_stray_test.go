package e2e

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

// A library's complaint about unexpected bytes after an endpoint's answer goes to the log, not to the screen.
func TestStrayBytes(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.Close() }()
		body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It is baked.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
		_, _ = fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		_ = out.Flush()
		time.Sleep(200 * time.Millisecond) // until the connection is idle
		_, _ = conn.Write([]byte("HTTP/1.1 500 \x1b]0;pwn\x07stray\r\n\r\n"))
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		_, _ = conn.Read(make([]byte, 1)) // until it is closed
	}))
	t.Cleanup(srv.Close)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	x := ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: []string{"--vault", h.vault}, Dir: h.dir, Width: 110, Height: 40,
		Env: ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "CHATVAULT_KEYRING=off",
			"OPENAI_BASE_URL="+srv.URL+"/v1", "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model"),
	})
	x.WaitFor("Ask about your notes", patience)
	x.Type("how?")
	x.Press("enter")
	x.WaitFor("It is baked.", patience)
	logged := func() (found bool) {
		_ = filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "chatvault.log" {
				text, _ := os.ReadFile(path)
				found = found || strings.Contains(string(text), "stray")
			}
			return nil
		})
		return found
	}
	for end := time.Now().Add(patience); !logged() && !strings.Contains(string(x.Raw()), "stray") && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	x.WaitIdle(quiet, patience)
	x.Press("ctrl+c")
	x.WaitFor("again", patience)
	x.Press("ctrl+c")
	x.Wait(patience)
	if raw := string(x.Raw()); strings.Contains(raw, "stray") {
		t.Errorf("it was written to the terminal: %q", raw[max(0, strings.Index(raw, "stray")-200):])
	}
	if !logged() {
		t.Error("the log does not say so")
	}
}
