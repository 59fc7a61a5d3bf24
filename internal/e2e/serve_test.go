package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/llmtest/hubtest"
	"chatvault/internal/ptytest"
)

// SIGTERM, as systemd sends it, lets the running turn of `chatvault serve` end and report its answer. serve then exits
// with status 0, and the inbox is empty.
func TestServeDrainsOnSIGTERM(t *testing.T) {
	t.Parallel()
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Close()
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("Rye is "), llmtest.Flush(), llmtest.Delay(1500*time.Millisecond), llmtest.Text("on the list.")))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	settings := filepath.Join(h.dir, "c", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("[smarthole]\nurl = \""+hub.URL()+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: []string{"serve", "--vault", h.vault}, Dir: h.dir, Width: 160,
		Env: ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "CHATVAULT_KEYRING=off",
			"OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"),
	})
	x.WaitFor("SmartHole: connected", patience)
	if err := hub.Send("m1", "put rye on the list", "voice"); err != nil {
		t.Fatal(err)
	}
	if !srv.AwaitRequests(1, patience) {
		t.Fatalf("no model call\n%s", x.Screen())
	}
	x.Signal(syscall.SIGTERM)
	if code := x.Wait(patience); code != 0 {
		t.Errorf("it ended with %d\n%s", code, x.Screen())
	}
	told := 0
	for _, r := range hub.Responses() {
		if r.MessageID == "m1" && r.Type == "notification" && strings.Contains(r.Payload.Body, "Rye is on the list.") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the answer was told %d times: %+v\n%s", told, hub.Responses(), x.Screen())
	}
	if left, err := filepath.Glob(filepath.Join(h.state(), "inbox", "*.json")); err != nil || len(left) > 0 {
		t.Errorf("left in the inbox: %v, %v", left, err)
	}
}
