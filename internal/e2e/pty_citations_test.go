package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"

	"chatvault/internal/ptytest"
)

// recipes returns a vault whose notes are cited in answers.
func recipes() map[string]string {
	return map[string]string{
		"Home.md": "# Home\n",
		"Recipes/Nectarine tart.md": "# Nectarine tart\n\nSix nectarines.\n\n" + strings.Repeat("Some words about it.\n\n", 30) +
			"## Baking\n\nBake it blind, 20 minutes.\n" + strings.Repeat("\nAnd more.\n", 40),
	}
}

// programs writes scripts into a folder and returns a PATH that begins with it.
func programs(t *testing.T, scripts map[string]string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	ptytest.Programs(t, dir, scripts)
	return dir, dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

func (c chat) idle(t *testing.T, said string) string {
	t.Helper()
	return c.WaitUntil("the end of the turn after "+said, patience, func(s string) bool {
		return strings.Contains(s, said) && strings.Contains(s, "Enter sends ·")
	})
}

// References in an answer are links, and those that lead nowhere are marked. Enter shows the cited passage, e opens the
// editor at that line, o opens Obsidian, Esc returns.
func TestChatCitations(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("Bake it blind ([[Nectarine tart#Baking]]). There is no [[Cherry pie]]."))
	dir, path := programs(t, map[string]string{
		"nano": `printf '%s\n' "$@" > "$0.args"
printf 'The editor has the terminal. '
read -r line
printf 'You typed %s' "$line" > "$0.typed"
printf '# Nectarine tart\n\nWritten in the editor.\n' > "$2"
`,
		"xdg-open": `printf '%s' "$1" > "$0.url"` + "\n",
	})
	c := openChat(t, chatOptions{server: srv, notes: recipes(), width: 90, height: 26, env: []string{"CHATVAULT_HYPERLINKS=on", "EDITOR=nano", "PATH=" + path}})
	c.send("how is it baked?")
	c.WaitFor("There is no Cherry pie?.", patience)
	const url = "obsidian://open?vault=Notes&file=Recipes%2FNectarine%20tart%23Baking"
	if styled := c.Styled(); !strings.Contains(styled, url) {
		t.Errorf("the terminal knows no link to %s:\n%q", url, styled)
	}
	if strings.Contains(c.Styled(), "Cherry%20pie") {
		t.Error("what leads nowhere is a link")
	}

	c.Press("shift+tab")
	c.WaitFor("Esc back", patience)
	c.Press("enter")
	for _, want := range []string{"▎ Baking", "Recipes/Nectarine tart.md:65", "Bake it blind, 20 minutes.", "e editor · o Obsidian"} {
		c.WaitFor(want, patience)
	}
	c.Press("o")
	c.WaitFor("Opening in Obsidian:", patience)
	if got, _ := os.ReadFile(filepath.Join(dir, "xdg-open.url")); string(got) != url {
		t.Errorf("xdg-open was given %q", got)
	}

	c.Press("e")
	c.WaitFor("The editor has the terminal.", patience)
	if c.IsAltScreen() {
		t.Error("the editor runs in the chat's screen")
	}
	c.Type("words for the editor\n")
	screen := c.WaitFor("Written in the editor.", patience)
	if !c.IsAltScreen() || strings.Contains(screen, "words for the editor") {
		t.Errorf("the terminal was not taken back:\n%s", screen)
	}
	note := filepath.Join(c.vault, "Recipes", "Nectarine tart.md")
	if args, _ := os.ReadFile(filepath.Join(dir, "nano.args")); string(args) != "+65\n"+note+"\n" {
		t.Errorf("the editor was given %q", args)
	}
	if typed, _ := os.ReadFile(filepath.Join(dir, "nano.typed")); string(typed) != "You typed words for the editor" {
		t.Errorf("the editor read %q", typed)
	}
	c.WaitFor("There is no heading “Baking” in it", patience)

	c.Press("esc")
	c.WaitGone("Written in the editor.", patience)
	c.Press("esc")
	c.WaitGone("Esc back", patience)
	c.Type("more")
	c.WaitFor("› more", patience)
	c.Press("ctrl+u")
	c.quit(t)
}

// On a terminal that is not known to support links none is written, and everything else works. Keys move from item to
// item.
func TestChatCitationsWithoutLinks(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("It is in Recipes/Nectarine tart.md:3."), llmtest.Reply("And that was all."))
	c := openChat(t, chatOptions{server: srv, notes: recipes(), env: []string{"TMUX=/tmp/x,1,0"}})
	c.send("where?")
	c.idle(t, "It is in Recipes/Nectarine tart.md:3.")
	c.send("what else?")
	c.idle(t, "And that was all.")
	c.Press("ctrl+up", "ctrl+up", "ctrl+up")
	c.waitForRow(t, "▐  It is in Recipes/Nectarine tart.md:3.")
	c.Press("enter")
	c.WaitFor("▎ Six nectarines.", patience)
	c.Press("esc", "ctrl+down")
	c.waitForRow(t, "▐▌ what else?")
	c.Press("esc")
	c.WaitGone("▐", patience)
	if strings.Contains(string(c.Raw()), "\x1b]8;") {
		t.Error("a link was written")
	}
	c.quit(t)
}

// waitForRow waits until a row begins with text, after spaces.
func (c chat) waitForRow(t *testing.T, text string) {
	t.Helper()
	c.WaitUntil(fmt.Sprintf("a row that begins with %q", text), patience, func(s string) bool {
		for row := range strings.SplitSeq(s, "\n") {
			if strings.HasPrefix(strings.TrimLeft(row, " "), text) {
				return true
			}
		}
		return false
	})
}

// The running turn continues while the editor is open, and all of it is shown when the editor exits.
func TestChatTurnContinuesDuringAnEditor(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("See [[Home]]."),
		llmtest.ToolCall("write_file", map[string]any{"path": "Made.md", "content": "made"}, llmtest.Delay(500*time.Millisecond)),
		llmtest.Reply("It is made."),
	)
	dir, path := programs(t, map[string]string{"ed": "printf 'editing'\nwhile [ ! -e \"$0.end\" ]; do sleep 0.02; done\n"})
	c := openChat(t, chatOptions{server: srv, notes: recipes(), env: []string{"VISUAL=ed", "PATH=" + path}})
	c.send("where?")
	c.idle(t, "See Home.")
	c.send("make a note")
	c.WaitFor("make a note", patience)
	c.Press("shift+tab", "e")
	c.WaitFor("editing", patience)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(c.vault, "Made.md")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the turn does not go on")
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ed.end"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.WaitFor("It is made.", patience)
	c.Press("esc")
	c.quit(t)
}

// A signal ends the editor too, and the terminal is restored.
func TestSignalEndsTheEditor(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("See [[Home]]."))
	_, path := programs(t, map[string]string{"ed": "stty raw -echo\nprintf 'editing'\nexec sleep 60\n"})
	c := openChat(t, chatOptions{server: srv, notes: recipes(), env: []string{"VISUAL=ed", "PATH=" + path}})
	c.send("where?")
	c.idle(t, "See Home.")
	c.Press("shift+tab", "e")
	c.WaitFor("editing", patience)
	began := time.Now()
	c.Signal(syscall.SIGTERM)
	c.Wait(patience)
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("ended after %v", d)
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
}

// `ask --raw` prints references unchanged, without links, on a terminal too.
func TestAskPrintsPlainCitations(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("In [[Home#Top]] (Home.md:1) and [[Nowhere]]."))
	h := newAskHome(t, recipes())
	x := h.run(t, srv, []string{"CHATVAULT_HYPERLINKS=on"}, "ask", "--raw", "where?")
	x.WaitFor("In [[Home#Top]] (Home.md:1) and [[Nowhere]].", patience)
	if code := x.Wait(patience); code != 0 {
		t.Errorf("exit status %d", code)
	}
	if strings.Contains(string(x.Raw()), "\x1b]8;") {
		t.Errorf("a link was written: %q", x.Raw())
	}
}
