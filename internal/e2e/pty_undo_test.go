package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// visible returns the visible files of a vault by path.
func (c chat) visible(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(c.vault, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.vault, p)
		switch {
		case err != nil || rel == ".":
			return err
		case strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir():
			files[filepath.ToSlash(rel)+"/"] = ""
		default:
			data, err := os.ReadFile(p)
			files[filepath.ToSlash(rel)] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for p, text := range want {
		if g, ok := got[p]; !ok || g != text {
			t.Errorf("%s: %s is %q (there: %v), want %q", what, p, g, ok, text)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s: there is %s", what, p)
		}
	}
}

// undoNotes returns a vault with notes that link to one another.
func undoNotes() map[string]string {
	return map[string]string{
		"Home.md":     "# Home\r\n\r\nThe best is [[Tart]].\r\n",
		"Tart.md":     "# Tart\n\nSix nectarines, see [[Home]].",
		"Old list.md": "eggs\n",
		"Jam.md":      "two kilos\n",
	}
}

// manyChanges returns a turn that creates, edits, moves with links, and deletes.
func manyChanges() llmtest.Step {
	return llmtest.Say(
		llmtest.Call("write_file", map[string]any{"path": "Recipes/Index.md", "content": "- [[Tart]]\n"}),
		llmtest.Call("read_file", map[string]any{"path": "Jam.md"}),
		llmtest.Call("edit_file", map[string]any{"path": "Jam.md", "old_text": "two", "new_text": "three"}),
		llmtest.Call("move_file", map[string]any{"source": "Tart.md", "destination": "Recipes/Nectarine tart.md"}),
		llmtest.Call("delete_file", map[string]any{"path": "Old list.md"}),
	)
}

// /undo reverts a turn's new notes, edits, moves with their links, and deletions together, byte for byte. /redo
// restores them. The model is told in the next turn.
func TestChatUndo(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, manyChanges(), llmtest.Reply("All is sorted."),
		llmtest.Reply("Understood.", llmtest.Expect(`user contains "The user undid"`), llmtest.Expect(`user contains "Old list.md"`)),
		llmtest.Reply("Nothing new."))
	c := openChat(t, chatOptions{server: srv, notes: undoNotes(), width: 100, height: 40})
	before := c.visible(t)
	c.send("sort my recipes")
	c.idle(t, "All is sorted.")
	after := c.visible(t)
	if after["Recipes/Nectarine tart.md"] == "" || after["Jam.md"] != "three kilos\n" || !strings.Contains(after["Home.md"], "Nectarine tart") {
		t.Fatalf("the turn did not change what it should: %q", after)
	}

	c.send("/undo")
	screen := c.WaitFor("Undone: “sort my recipes” · /redo restores it", patience)
	sameFiles(t, "after /undo", c.visible(t), before)
	for _, want := range []string{"Removed Recipes/Index.md", "Restored Jam.md", "back to Tart.md", "Restored Old list.md"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing:\n%s", want, screen)
		}
	}
	c.send("/undo")
	c.WaitFor("There is nothing to undo", patience)
	c.send("/redo")
	c.WaitFor("Restored: “sort my recipes” · /undo reverts it", patience)
	sameFiles(t, "after /redo", c.visible(t), after)
	c.send("/redo")
	c.WaitFor("There is nothing to redo", patience)
	c.send("/undo")
	c.WaitUntil("the second undo", patience, func(s string) bool { return strings.Count(s, "Undone: “sort my recipes”") == 2 })
	sameFiles(t, "after the second /undo", c.visible(t), before)

	c.send("what now?")
	c.idle(t, "Understood.")
	c.send("and now?")
	c.idle(t, "Nothing new.")
	if last := string(srv.Requests()[len(srv.Requests())-1].Body); strings.Count(last, "The user undid") > strings.Count(string(srv.Requests()[2].Body), "The user undid") {
		t.Errorf("it is told again:\n%s", last)
	}
	c.quit(t)
}

// /undo names and keeps a note that was changed since, and reverts the rest of the turn.
func TestChatUndoLeavesWhatChangedSince(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, manyChanges(), llmtest.Reply("All is sorted."))
	c := openChat(t, chatOptions{server: srv, notes: undoNotes(), width: 100, height: 40})
	c.send("sort my recipes")
	c.idle(t, "All is sorted.")
	if err := os.WriteFile(filepath.Join(c.vault, "Jam.md"), []byte("mine now\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.send("/undo")
	c.WaitFor("Undone: “sort my recipes”", patience)
	screen := c.WaitFor("Unchanged:", patience)
	if !strings.Contains(screen, `• "Jam.md" was changed since`) || !strings.Contains(screen, "chatvault changes") {
		t.Errorf("Jam.md is not named, or not what to do:\n%s", screen)
	}
	want := undoNotes()
	want["Jam.md"] = "mine now\n"
	sameFiles(t, "after /undo", c.visible(t), want)
	c.quit(t)
}

// /changes shows each turn and how its notes changed, and undoes one after asking.
func TestChatChanges(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "Plan.md", "content": "Bake on Sunday.\n"}),
		llmtest.Reply("It is planned."),
		llmtest.ToolCall("edit_file", map[string]any{"path": "Jam.md", "old_text": "two", "new_text": "three"}),
		llmtest.Reply("Three kilos it is."),
	)
	c := openChat(t, chatOptions{server: srv, notes: undoNotes(), width: 100, height: 30})
	c.send("/changes")
	c.WaitFor("No changes yet", patience)
	c.Press("esc")
	c.send("plan the baking")
	c.idle(t, "It is planned.")
	c.send("more jam")
	c.idle(t, "Three kilos it is.")

	c.send("/changes")
	c.WaitFor("edited Jam.md", patience)
	c.Press("down", "enter")
	c.WaitFor("Created Plan.md", patience)
	screen := c.WaitFor("+ Bake on Sunday.", patience)
	if !strings.Contains(screen, "plan the baking") || !strings.Contains(screen, "Undo it… (u)") {
		t.Errorf("the change is shown as\n%s", screen)
	}
	c.Press("u")
	c.WaitFor("▎ Plan.md goes away", patience)
	c.Press("up", "enter")
	c.WaitFor("Undone: “plan the baking”", patience)
	want := undoNotes()
	want["Jam.md"] = "three kilos\n"
	sameFiles(t, "after taking the first turn back", c.visible(t), want)
	c.send("/changes")
	c.WaitFor("Undone: plan the baking", patience)
	c.WaitFor("undone · ", patience)
	c.Press("esc")
	c.WaitGone("Changes in this vault", patience)
	c.quit(t)
}

// Nothing is undone while a turn runs. When it is stopped, a notice lists its changes and how to undo them.
func TestChatUndoOfAStoppedTurn(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "Plan.md", "content": "Bake on Sunday.\n"}),
		llmtest.Say(llmtest.Text("Now the "), llmtest.Flush(), llmtest.Hang()),
	)
	c := openChat(t, chatOptions{server: srv, notes: undoNotes(), width: 100, height: 30})
	c.send("plan the baking")
	c.WaitFor("Now the", patience)
	c.send("/undo")
	c.WaitFor("A turn is running: stop it with Esc", patience)
	c.Press("esc")
	c.WaitFor("Already done before the stop:", patience)
	c.WaitFor("/undo reverts it", patience)
	c.send("/undo")
	c.WaitFor("Undone: “plan the baking”", patience)
	sameFiles(t, "after the undo", c.visible(t), undoNotes())
	c.quit(t)
}
