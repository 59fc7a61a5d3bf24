package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/ptytest"
)

// The first frame appears before Bubble Tea's own, and keys pressed then count.
func TestFirstFrame(t *testing.T) {
	t.Parallel()
	c := openChat(t, chatOptions{width: 80, height: 24})
	if !c.IsRaw() {
		t.Error("the composer is on the screen while the terminal still edits lines")
	}
	c.send("hello")
	c.WaitFor("Hello! I am the offline engine", patience)
	raw := string(c.Raw())
	if first, again := strings.Index(raw, "Ask about your notes"), strings.LastIndex(raw, "\x1b[?1049h"); first < 0 || again < first {
		t.Errorf("the first frame is at %d, Bubble Tea's begins at %d", first, again)
	}
	c.quit(t)
}

// Without notes and without a known vault, the chat asks which vault to open: a known one, a copy of the sample vault,
// any folder, or a new one, which it creates.
func TestChatWithoutAVault(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	home, empty, garden := filepath.Join(base, "home"), filepath.Join(base, "empty"), filepath.Join(base, "Garden")
	for _, dir := range []string{home, empty, garden} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(garden, "Fence.md"), []byte("# Fence\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	start := func(env ...string) *ptytest.Terminal {
		t.Helper()
		return ptytest.Start(t, ptytest.Options{
			Path: chatvault(t), Args: []string{"--offline"}, Dir: empty, Width: 100, Height: 24,
			Env: ptytest.Env(append(env, "HOME="+home, "XDG_STATE_HOME="+home+"/s", "XDG_CONFIG_HOME="+home+"/c", "CHATVAULT_KEYRING=off")...),
		})
	}
	leave := func(x *ptytest.Terminal) {
		t.Helper()
		x.Press("ctrl+d")
		x.Wait(patience)
	}

	x := start() // nothing is known yet
	x.WaitFor("Which vault do you want to open?", patience)
	x.WaitFor("› The sample vault", patience)
	x.Press("down", "enter")
	x.WaitFor("Which folder holds the notes?", patience)
	x.Type(filepath.Join(base, "nowhere") + "\r")
	x.WaitUntil("the question again, and why", patience, func(screen string) bool {
		return strings.Contains(screen, "Which folder holds the notes?") && strings.Contains(screen, "cannot be opened")
	})
	x.Press("esc")
	x.WaitFor("Which vault do you want to open?", patience)
	x.Press("esc")
	x.WaitFor("There are no notes in "+empty, patience)
	x.Type("what is there?\r")
	x.WaitFor("no vault is open: /vault opens one", patience)
	x.Press("ctrl+c")
	x.Type("/vault ../Garden\r")
	x.WaitFor("◆ Garden", patience)
	leave(x)

	x = start() // what was opened is known
	x.WaitFor("› Garden", patience)
	x.Press("enter")
	x.WaitFor("◆ Garden", patience)
	leave(x)

	x = start()
	x.WaitFor("A new vault…", patience)
	x.Press("up", "enter")
	x.WaitFor("Which folder is to be made", patience)
	x.Type("../Garden\r")
	x.WaitFor("cannot be made", patience)
	x.Press("esc")
	x.WaitFor("Which vault do you want to open?", patience)
	x.Press("enter")
	x.WaitFor("Which folder is to be made", patience)
	x.Type("~/My notes\r")
	x.WaitFor("◆ My notes", patience)
	x.Type(`create a note Gate with "oak"`)
	x.Press("enter")
	x.WaitFor("› Allow once", patience)
	x.Type("y")
	x.WaitFor("Created Gate.", patience)
	x.WaitFor("Enter sends", patience)
	if _, err := os.Stat(filepath.Join(home, "My notes", "Gate.md")); err != nil {
		t.Error(err)
	}
	leave(x)

	x = start()
	x.WaitFor("A new vault…", patience)
	x.Press("esc", "ctrl+d")
	x.WaitFor("no vault was opened, and nothing was created", patience)
	if code := x.Wait(patience); code != 2 {
		t.Errorf("exit %d", code)
	}

	x = start("TMPDIR=" + base) // the sample vault leaves nothing
	x.WaitFor("The sample vault", patience)
	x.Type("sample")
	x.WaitFor("› The sample vault", patience)
	x.Press("enter")
	x.WaitFor("◆ Sample vault", patience)
	leave(x)

	x = start("ACCESSIBLE=1") // lines have no list of vaults
	x.WaitFor("Name a folder of Markdown notes with --vault DIR", patience)
	if code := x.Wait(patience); code != 2 {
		t.Errorf("exit %d", code)
	}
	if left, err := filepath.Glob(base + "/chatvault-demo-*"); err != nil || len(left) > 0 {
		t.Errorf("left of the demo: %v, %v", left, err)
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
