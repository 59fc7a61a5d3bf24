package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// TestInlineInTmux: while an answer comes without the alternate screen, a window of tmux, which breaks lines
// anew, gets narrower and wider. What is drawn again stands there once, with no line broken.
func TestInlineInTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	const last = "The last paragraph, which is still being written, goes on"
	t.Run("printed", func(t *testing.T) {
		t.Parallel()
		inTmux(t, strings.Repeat(strings.Repeat("It says nothing at length. ", 8)+"\n\n", 5)+last, last, "The last")
	})
	t.Run("nothing printed", func(t *testing.T) { // tmux itself moves its beginning into the scrollback
		t.Parallel()
		inTmux(t, strings.Repeat("It says nothing at length. ", 40)+last, last)
	})
}

// inTmux shows an answer that ends with last; each of once stands there once at any width.
func inTmux(t *testing.T, text, last string, once ...string) {
	once = append(once, "Ask about your notes", "Esc stops", "tell me all")
	srv := llmtest.New(t, llmtest.Say(llmtest.Text(text), llmtest.Flush(), llmtest.Hang()))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	socket := filepath.Join(t.TempDir(), "tmux")
	tmux := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", socket}, args...)...)
		cmd.Dir = h.dir
		cmd.Env = ptytest.Env(
			"HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "CHATVAULT_KEYRING=off", "CHATVAULT_ALT_SCREEN=false",
			"OPENAI_BASE_URL="+srv.URL(), "OPENAI_API_KEY=sk-env-0123456789abcdef", "CHATVAULT_MODEL=test-model",
		)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "220", "-y", "40", chatvault(t), "--vault", h.vault)
	pid, err := strconv.Atoi(strings.TrimSpace(tmux("display", "-p", "#{pane_pid}")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		tmux("kill-server")
		for end := time.Now().Add(patience); syscall.Kill(pid, 0) == nil && time.Now().Before(end); {
			time.Sleep(20 * time.Millisecond)
		}
	}()
	tmux("set", "-g", "status", "off")
	shown := func(want string) string {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if s := tmux("capture-pane", "-p", "-S", "-"); strings.Contains(s, want) {
				return s
			} else if time.Now().After(end) {
				t.Fatalf("no %q in\n%s", want, s)
			}
		}
	}
	shown("Enter sends")
	tmux("send-keys", "tell me all", "Enter")
	shown("goes on")
	for _, size := range [][2]int{{60, 2}, {40, 1}, {120, 2}} {
		width, margin := size[0], size[1]
		tmux("resize-window", "-x", fmt.Sprint(width), "-y", "40")
		s := shown("\n" + strings.Repeat(" ", margin) + strings.Repeat("─", min(width-2*margin, 112)) + "\n")
		for _, once := range once {
			if n := strings.Count(s, once); n != 1 {
				t.Errorf("at %d columns %q stands there %d times:\n%s", width, once, n, s)
			}
		}
		if !strings.Contains(strings.Join(strings.Fields(s), " "), last) || strings.Contains(s[strings.LastIndex(s, "\n\n")+1:], "─\n─") {
			t.Errorf("at %d columns lines are broken:\n%s", width, s)
		}
	}
}
