package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// The chat as lines on a terminal: Ctrl+C stops the turn, and twice leaves the chat; an unsent draft is kept; no escape
// sequence is written.
func TestAccessibleChat(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("Let me see. "), llmtest.Text("Well\n"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Fresh start."),
	)
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	if err := os.MkdirAll(vault, 0o755); err != nil {
		t.Fatal(err)
	}
	start := func() *ptytest.Terminal {
		x := ptytest.Start(t, ptytest.Options{
			Path: chatvault(t), Args: []string{"--vault", vault}, Dir: home,
			Env: ptytest.Env("HOME="+home, "XDG_CONFIG_HOME="+home+"/c", "XDG_STATE_HOME="+home+"/s", "XDG_DATA_HOME="+home+"/d", "ACCESSIBLE=1",
				"OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"),
		})
		x.WaitFor("You:", patience)
		return x
	}
	x := start()
	x.Send("hello\n")
	x.WaitFor("Assistant: Let me see. Well", patience)
	x.Send("and this\n")
	x.WaitFor("Queued:", patience)
	x.Send("\x03")
	x.WaitFor("Stopped.", patience)
	x.WaitFor("Assistant: Fresh start.", patience)
	x.Send("not yet done \\\n")
	x.WaitFor("More:", patience)
	x.Send("\x04")
	if code := x.Wait(patience); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if left := x.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
	if raw := x.Raw(); bytes.ContainsRune(raw, '\x1b') {
		t.Errorf("an escape sequence was written: %q", raw)
	}

	x = start()
	x.WaitFor("A draft was saved: not yet done", patience)
	x.WaitUntil("the prompt at the end", patience, func(s string) bool { return strings.HasSuffix(s, "You:") })
	x.Send("\x03")
	x.WaitFor("Press Ctrl+C again to leave.", patience)
	x.Send("\x03")
	if code := x.Wait(patience); code != 0 {
		t.Errorf("exit status %d", code)
	}
}
