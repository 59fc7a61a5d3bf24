//go:build unix

package session

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"chatvault/conversation/artifact"
	"chatvault/internal/base/statefile/statetest"
)

// TestLocatePipe checks that dropping a pipe or a device does not block.
func TestLocatePipe(t *testing.T) {
	c, _ := cited(t, map[string]string{"Home.md": "# Home\n"})
	m := &Mentions{attaching{vault: c.vault, things: artifact.NewStore(statetest.Root(t))}, nil}
	pipe := filepath.Join(t.TempDir(), "pipe.png")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dropped := range []string{pipe, "/dev/zero"} {
		if f, why := m.Locate(t.Context(), dropped); f.Path != "" || !strings.Contains(why, "outside this vault") {
			t.Errorf("%s: %+v, %s", dropped, f, why)
		}
	}
}
