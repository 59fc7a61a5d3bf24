//go:build unix

package stress

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

// chat is the real chat in a terminal.
type chat struct {
	*ptytest.Terminal
	h *home
}

// start runs the chat, without waiting for anything.
func (h *home) start(t *testing.T, extra ...string) chat {
	t.Helper()
	return chat{ptytest.Start(t, ptytest.Options{
		Path: h.bin, Args: h.args(), Dir: h.dir, Env: h.environment(extra...), Width: 100, Height: 30,
	}), h}
}

// open runs the chat and waits until it takes keys.
func (h *home) open(t *testing.T, extra ...string) chat {
	t.Helper()
	c := h.start(t, extra...)
	c.WaitFor("Ask about your notes", patience)
	return c
}

func (c chat) send(text string) {
	c.Type(text)
	c.Press("enter")
}

// ends waits until the chat has ended and checks that it took no longer than 2 s, and left the
// terminal as it was.
func (c chat) ends(t *testing.T, since time.Time) (status int) {
	t.Helper()
	status = c.Wait(patience)
	if d := time.Since(since); d > 2*time.Second && !busy() {
		t.Errorf("it ended after %v", d)
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
	return status
}

// busy says whether the machine has more to do than it can: how long something takes says little
// then.
func busy() bool {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(data), " ")
	whole, _, _ := strings.Cut(first, ".")
	return len(whole) > 1 || whole > "3"
}

// saved waits until the draft on disk is this text.
func (h *home) saved(t *testing.T, draft string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		names, _ := filepath.Glob(h.state("drafts", "*.txt"))
		for _, name := range names {
			if data, _ := os.ReadFile(name); string(data) == draft {
				return
			}
		}
		if time.Now().After(end) {
			t.Fatalf("the draft %q was not saved", draft)
		}
	}
}

// report is the one crash report there is, which nobody else may read.
func (h *home) report(t *testing.T) string {
	t.Helper()
	names, _ := filepath.Glob(h.state("crash-*.txt"))
	if len(names) != 1 {
		t.Errorf("%d crash reports", len(names))
		return ""
	}
	info, err := os.Stat(names[0])
	must(t, err)
	if info.Mode().Perm() != fs.FileMode(0o600) {
		t.Errorf("the report has the mode %v", info.Mode())
	}
	return read(t, names[0])
}
