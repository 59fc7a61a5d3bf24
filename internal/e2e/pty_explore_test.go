package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

const codeAnswer = "Do **this**:\n\n```sh\nmake tart\n```\n\nSee [[Nectarine tart]]. The medlar comes last."

// clickOn clicks at the first cell of a text on the screen.
func (c chat) clickOn(t *testing.T, text string) {
	t.Helper()
	for y, row := range strings.Split(c.Screen(), "\n") {
		if before, _, found := strings.Cut(row, text); found {
			c.Click(len([]rune(before)), y)
			return
		}
	}
	t.Fatalf("there is no %q to click at:\n%s", text, c.Screen())
}

// Items of the transcript are selected and copied as they were written, through the terminal if there is no clipboard
// program, with a file in addition. Search finds words, also in folded items. A click unfolds, selects and follows. A
// key gives the mouse to the terminal.
func TestChatSelectsAndCopies(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.ToolCall("search_files", map[string]any{"pattern": "nectarines"}), llmtest.Reply(codeAnswer))
	c := openChat(t, chatOptions{server: srv, notes: recipes(), width: 90, height: 30, env: []string{"CHATVAULT_HYPERLINKS=off"}})
	c.send("how is it baked?")
	c.idle(t, "The medlar comes last.")

	c.Press("ctrl+up")
	c.WaitFor("y cop", patience)
	c.Press("y")
	file := filepath.Join(filepath.Dir(c.vault), "s", "chatvault", "copied.md")
	screen := c.WaitFor("Sent to the terminal's clipboard (OSC 52)", patience)
	if !strings.Contains(strings.Join(strings.Fields(screen), ""), file) {
		t.Errorf("the file is not named:\n%s", screen)
	}
	if strings.Contains(screen, "Copied") {
		t.Errorf("it is said to be copied:\n%s", screen)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != codeAnswer {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	c.Press("c")
	sent := func(text string) string { return "52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) }
	c.WaitUntil("the code in the clipboard", patience, func(string) bool { return slices.Contains(c.Clipboard(), sent("make tart\n")) })
	if got := c.Clipboard(); !slices.Equal(got, []string{sent(codeAnswer), sent("make tart\n")}) {
		t.Errorf("the terminal was given %q", got)
	}

	c.Press("ctrl+f")
	c.Type("six nectarines")
	c.WaitFor("1 of 1", patience) // in the folded result of the search
	c.WaitFor("> Six nectarines.", patience)
	c.Press("ctrl+u")
	c.Type("medlar")
	c.WaitFor("Find › medlar", patience)
	c.WaitFor("1 of 1", patience)
	c.WaitGone("> Six nectarines.", patience)
	c.Press("esc")
	c.WaitGone("Find ›", patience)
	c.WaitFor("Esc back", patience)
	c.Press("esc")
	c.WaitGone("Esc back", patience)

	c.clickOn(t, "searched for")
	c.WaitFor("> Six nectarines.", patience)
	c.clickOn(t, "search_files")
	c.WaitGone("> Six nectarines.", patience)
	c.clickOn(t, "how is it baked?")
	c.waitForRow(t, "▐▌ how is it baked?")
	c.clickOn(t, "Nectarine tart.")
	c.WaitFor("Some words about it.", patience)
	c.Press("esc", "esc")
	c.WaitGone("Esc back", patience)

	const cellMotion = 1002
	if !c.HasMode(cellMotion) {
		t.Error("the terminal does not tell of the mouse")
	}
	c.Press("ctrl+y")
	c.WaitFor("The terminal has the mouse", patience)
	if c.HasMode(cellMotion) {
		t.Error("the terminal still tells of the mouse")
	}
	c.Press("ctrl+y")
	c.WaitFor("The mouse scrolls and clicks here", patience)
	if !c.HasMode(cellMotion) {
		t.Error("the mouse was not taken back")
	}
	c.quit(t)
}

// If the system has a clipboard program, it gets the text, and the chat says that it was copied. Nothing is sent to the
// terminal.
func TestChatCopiesByProgram(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply(codeAnswer))
	dir, path := programs(t, map[string]string{"wl-copy": `cat > "$0.held"` + "\n"})
	c := openChat(t, chatOptions{server: srv, notes: recipes(), env: []string{"PATH=" + path, "WAYLAND_DISPLAY=wayland-0", "CHATVAULT_MOUSE=false"}})
	c.send("how is it baked?")
	c.idle(t, "The medlar comes last.")
	c.send("/copy")
	c.WaitFor("Copied: the last answer", patience)
	if got, _ := os.ReadFile(filepath.Join(dir, "wl-copy.held")); string(got) != codeAnswer {
		t.Errorf("wl-copy was given %q", got)
	}
	c.send("/copy all")
	c.WaitFor("Copied: the conversation", patience)
	if got, _ := os.ReadFile(filepath.Join(dir, "wl-copy.held")); !strings.Contains(string(got), codeAnswer) || !strings.Contains(string(got), "> how is it baked?") {
		t.Errorf("wl-copy was given %q", got)
	}
	if n := len(c.Clipboard()); n > 0 {
		t.Errorf("the terminal was given %d texts, too", n)
	}
	if c.HasMode(1002) {
		t.Error("the terminal tells of the mouse")
	}
	c.quit(t)
}
