package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// TestVaultSwitch switches to another vault and back, in one process and one terminal. Each vault has its own
// conversation and draft, and no key press is lost.
func TestVaultSwitch(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("The fence is a metre high."), llmtest.Reply("The budget is done."), llmtest.Reply("Painted green."))
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{
		"Home.md": "# Home\n", "../Work/Budget.md": "# Budget\n", "../Work/.obsidian/app.json": "{}",
		"../Bad/a.md": "# a\n", "../Bad/.smarthole/config.toml": "theme = 3\n",
		"../c/obsidian/obsidian.json": `{"vaults":{"1":{"path":"` + "WORK" + `","ts":1,"open":true},"2":{"path":"/nowhere/Attic","ts":2}}}`,
	}})
	home := filepath.Dir(c.vault)
	registry := filepath.Join(home, "c", "obsidian", "obsidian.json")
	data, err := os.ReadFile(registry)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(registry, []byte(strings.ReplaceAll(string(data), "WORK", filepath.Join(home, "Work"))), 0o600); err != nil {
		t.Fatal(err)
	}

	c.send("how high is the fence?")
	c.WaitFor("The fence is a metre high.", patience)
	c.WaitFor("Enter sends", patience)
	c.send("/vault")
	screen := c.WaitFor("~/Work", patience)
	for _, want := range []string{"● Notes", "Work", "open in Obsidian", "Attic", "missing"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in the list:\n%s", want, screen)
		}
	}
	c.Type("wrk")
	c.WaitUntil("the list narrowed", patience, func(s string) bool { return !strings.Contains(s, "Attic") && strings.Contains(s, "~/Work") })
	c.Press("enter")
	c.WaitUntil("the other vault's chat", patience, func(s string) bool {
		return strings.Contains(s, "Enter sends") && !strings.Contains(s, "fence") && strings.Contains(s, "◆ Work")
	})
	c.send("is the budget done?")
	c.WaitFor("The budget is done.", patience)
	c.WaitFor("Enter sends", patience)
	if got := entries(t, filepath.Join(stateDir(home+"/s", filepath.Join(home, "Work")), "conversations")); got == 0 {
		t.Error("nothing was kept in the other vault")
	}

	// Back, by folder.
	c.send("/vault " + c.vault)
	screen = c.WaitFor("The fence is a metre high.", patience)
	if strings.Contains(screen, "budget done") {
		t.Errorf("the other vault's conversation is shown:\n%s", screen)
	}
	c.send("what colour?")
	c.WaitFor("Painted green.", patience)
	if body := string(srv.Requests()[2].Body); strings.Contains(body, "is the budget done") || !strings.Contains(body, "fence") {
		t.Errorf("the model was sent the other vault's conversation: %s", body)
	}

	c.WaitFor("Enter sends", patience) // the turn has ended
	c.send("/vault /nowhere/at/all")
	c.WaitFor(`the vault "/nowhere/at/all" (named) cannot be opened`, patience)
	c.send("/vault ~/Notes")
	c.WaitFor("that vault is already open", patience)
	c.send("/vault ~/Bad")
	c.WaitFor("the configuration is invalid", patience)
	c.WaitFor("Painted green.", patience)
	c.quit(t)

	// Both vaults are known now.
	recent, err := os.ReadFile(filepath.Join(home, "s", "chatvault", "vaults.json"))
	if err != nil || strings.Count(string(recent), `"path"`) != 2 {
		t.Errorf("%s, %v", recent, err)
	}
}

// entries returns the number of files in a folder.
func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Switching vaults waits for a running turn.
func TestVaultSwitchWaitsForTheTurn(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("Let me "), llmtest.Flush(), llmtest.Hang()))
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\n", "../Work/a.md": "# a\n"}})
	c.send("hello")
	c.WaitFor("Let me", patience)
	c.send("/vault ~/Work")
	c.WaitFor("A turn is running: stop it with Esc, or wait", patience)
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	c.send("/vault ~/Work")
	c.WaitUntil("the other vault", patience, func(s string) bool {
		return !strings.Contains(s, "Let me") && strings.Contains(s, "Ask about your notes")
	})
	c.quit(t)
}
