package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/ptytest"
)

// Lists and texts fit the terminal's width, and deleting asks first.
func TestConversationsOnATerminal(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	root, err := os.OpenRoot(h.state())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	m := conversation.NewManager(root, conversation.Options{})
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	question := "How high is the fence to be, " + strings.Repeat("all things considered, ", 5) + "\x1b[2Jafter all?"
	turn := conversation.Turn{ID: "t1", Started: at, Ended: at, Messages: []conversation.Message{
		{ID: "t1", Role: conversation.RoleUser, Time: at, Content: question},
		{Role: conversation.RoleAssistant, Time: at, Content: "A metre."},
	}}
	const id = "20261120-090000-0a1b2c3d"
	if err := m.Append(id, turn); err != nil {
		t.Fatal(err)
	}
	if _, err := m.End(at, "command"); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) *ptytest.Terminal {
		return ptytest.Start(t, ptytest.Options{
			Path: chatvault(t), Args: append([]string{"--vault", h.vault, "conversations"}, args...), Dir: h.dir, Width: 60, Height: 24,
			Env: ptytest.Env("HOME="+h.dir, "XDG_CONFIG_HOME="+h.dir+"/c", "XDG_STATE_HOME="+h.dir+"/s", "XDG_DATA_HOME="+h.dir+"/d", "TZ=UTC"),
		})
	}

	x := run("list")
	if code := x.Wait(patience); code != 0 {
		t.Errorf("list: exit %d", code)
	}
	if row, next := x.Row(0), x.Row(1); !strings.HasPrefix(row, "  20261120-090000-0a1b2c3d  2026-11-20 09:00    1 turn  How") || !strings.HasSuffix(row, "…") || strings.TrimSpace(next) != "" {
		t.Errorf("list:\n%s", x.Screen())
	}

	x = run("show", "last")
	if code := x.Wait(patience); code != 0 {
		t.Errorf("show: exit %d", code)
	}
	screen := x.Screen()
	for _, want := range []string{"\n**You** · 2026-11-20 09:00\n\n> How high is the fence to be, all things considered, all\nthings considered,", "␛[2Jafter all?", "\n**Agent** · 09:00\n\nA metre."} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in\n%s", want, screen)
		}
	}

	x = run("delete", "last")
	x.WaitFor("[y/N]", patience)
	x.Type("y\n")
	x.WaitFor("Deleted: “How high is the fence", patience)
	if code := x.Wait(patience); code != 0 {
		t.Errorf("delete: exit %d", code)
	}
	if list, err := m.List(); err != nil || len(list) != 0 {
		t.Errorf("left: %v, %v", list, err)
	}
}
