package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

const hiddenInstructions = "Be kind.\U000e0068\U000e0069\nRead \u202eright.\n"

// The chat names and counts invisible characters in the files of a vault and in the arguments of an external tool, and
// shows all arguments on request.
func TestChatConsentShowsEverything(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "AGENTS.md": hiddenInstructions})
	other := t.TempDir()
	settings := fmt.Sprintf("[mcp.other]\ncommand = %q\nargs = [\"mcp\", \"--vault\", %q]\ntools = [\"read_file\"]\n", chatvault(t), other)
	if err := os.MkdirAll(filepath.Join(h.dir, "c", "chatvault"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, "c", "chatvault", "config.toml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	path := "Far\u200b" + strings.Repeat(" ", 1600) + strings.Repeat("y", 300_000) + "THE-END"
	srv := llmtest.New(t, llmtest.ToolCall("other__read_file", map[string]any{"path": path}), llmtest.Reply("Not read."))
	x := h.run(t, srv, nil)
	x.WaitFor("Ask about your notes", patience)
	x.Type("/trust")
	x.Press("enter")
	screen := x.WaitFor("Let this steer the agent?", patience)
	for _, want := range []string{"3 invisible characters, shown as <U+…>", "Be kind.<U+E0068><U+E0069>", "Read <U+202E>right."} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on\n%s", want, screen)
		}
	}
	time.Sleep(700 * time.Millisecond) // before, it takes no key
	x.Press("esc")
	x.WaitFor("/trust shows it again", patience)
	x.Type("read far")
	x.Press("enter")
	screen = x.WaitFor("↓ more", patience)
	for _, want := range []string{"Far<U+200B>␣×1,600yyy", "1 invisible character, shown as <U+…>"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on\n%s", want, screen)
		}
	}
	time.Sleep(700 * time.Millisecond)
	x.Press("end")
	x.WaitFor(`THE-END"}`, patience)
	x.Press("n")
	x.WaitFor("Not read.", patience)
}

// An editor shows the same.
func TestACPConsentShowsEverything(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "AGENTS.md": hiddenInstructions})
	e := h.editor(t, editorWith{srv: llmtest.New(t)})
	session := fmt.Sprint(e.call("session/new", map[string]any{"cwd": h.vault, "mcpServers": []any{}})["sessionId"])
	e.prompt(session, "/trust")
	e.hears("(3 invisible characters, shown as <U+…>)")
	e.hears("Be kind.<U+E0068><U+E0069>")
	e.hears("Read <U+202E>right.")
}
