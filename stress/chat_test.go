//go:build unix

package stress

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	outInTime(t, since)
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
	return status
}

// outInTime checks that no more than 2 s have gone by since it was told to end.
func outInTime(t *testing.T, since time.Time) {
	t.Helper()
	d := time.Since(since)
	limit := within(2 * time.Second)
	t.Logf("%s: out after %v%s", t.Name(), d.Round(time.Millisecond), relaxed(limit, 2*time.Second))
	if d > limit {
		t.Errorf("it ended after %v, which may take %v at a load of %.1f", d, limit, load())
	}
}

// within is how long something may take that may take this long on a machine with nothing else to
// do: where more waits for the two cores than that, so many times as long.
func within(quiet time.Duration) time.Duration {
	if now := load(); now >= 4 {
		return time.Duration(float64(quiet) * now)
	}
	return quiet
}

// relaxed says of a limit that the machine was too busy to hold to what is promised.
func relaxed(limit, promised time.Duration) string {
	if limit <= promised {
		return ""
	}
	return fmt.Sprintf(" (held to %v only, not %v, at a load of %.1f)", limit.Round(time.Millisecond), promised, load())
}

// load is how many processes there is work for: in the last minute, or now if that is more. 0: the
// system does not tell.
func load() float64 {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var minute, five, fifteen float64
	var running int
	if _, err := fmt.Sscanf(string(data), "%f %f %f %d/", &minute, &five, &fifteen, &running); err != nil {
		return 0
	}
	return max(minute, float64(running))
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
