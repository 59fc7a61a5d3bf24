package offline_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
	"chatvault/tools"
)

// sayings are what a conversation at random is made of.
var sayings = []string{
	"delete Lena", "delete Knee", "delete Knee and Gran", "delete Nectarne tart", "delete the Recipes folder", "delete Zeppelin",
	"move Knee to Archive", "move Knee, Gran and Garden to Archive", "move Home to .obsidian", "rename it to Other", "move it to Archive",
	"create a note called Tea with leaves", "create a note called Home with “more”", "add milk to Garden", "add 'x' to it", "add 'y' to Shopping",
	`add "oil chain" under Next steps in Bike rebuild`, `replace "price" with "cost" in Heron`, `remove "price" from Heron`, "mark fit the spindle as done",
	"make a folder New", "show Lena", "show it", "summarise Heron", "open tasks", "what do I know about the nectarine tart?", "who is Gran? what is Heron? when did I run without pain?",
	"what did I change today?", "list all recipes", "the second one", "2", "1", "yes", "no", "cancel", "both", "continue", "weiter", "thanks", "help", "hm",
	"make a folder A, make a folder B, delete Lena and then add 'z' to Home",
}

// TestAnyConversationIsFollowed holds, for conversations at random, whatever is denied, whatever
// arrives meanwhile and wherever a limit ends a turn: each answer says something, only tools
// that are offered are called, no call that failed is repeated while nothing else is done, and
// the engine never loses the thread of what it did itself.
func TestAnyConversationIsFollowed(t *testing.T) {
	checksOf(t, 30) // each writes a vault
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		if err := os.RemoveAll(dir); err != nil {
			r.Fatal(err)
		}
		for p, text := range rigged() {
			full := filepath.Join(dir, filepath.FromSlash(p))
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				r.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
				r.Fatal(err)
			}
		}
		c := openChat(t, dir)
		defer func() { _ = c.v.Close() }()
		c.full = rapid.Bool().Draw(r, "full")
		saying := rapid.OneOf(rapid.SampledFrom(sayings), rapid.Map(rapid.SliceOfN(rapid.SampledFrom(sayings), 2, 3), func(s []string) string { return strings.Join(s, ", then ") }))
		denied := map[tools.ChangeKind]bool{}
		for range rapid.IntRange(1, 7).Draw(r, "turns") {
			text := saying.Draw(r, "say")
			c.rounds = rapid.SampledFrom([]int{1, 2, 3, 10, 10}).Draw(r, "rounds")
			c.fold = map[int]string{rapid.IntRange(1, 12).Draw(r, "fold at"): saying.Draw(r, "fold")}
			for _, k := range []tools.ChangeKind{tools.ChangeDelete, tools.ChangeMove, tools.ChangeEdit, tools.ChangeCreate} {
				denied[k] = rapid.IntRange(0, 5).Draw(r, string(k)) == 0
			}
			if c.full {
				c.deny = func(p tools.Proposal) error {
					if denied[p.Kind] {
						return &tools.Denied{Note: "not that"}
					}
					return nil
				}
			}
			if rapid.IntRange(0, 3).Draw(r, "pile") == 0 {
				c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: saying.Draw(r, "before"), Time: c.now})
			}
			c.offers = nil
			if rapid.IntRange(0, 3).Draw(r, "withdraw") == 0 {
				from := rapid.IntRange(0, 4).Draw(r, "from round")
				tool := rapid.SampledFrom([]string{"edit_file", "delete_file", "move_file", "read_file", "send_message", "ask_user", "task_list", "delegate"}).Draw(r, "tool")
				later := rapid.Bool().Draw(r, "only later")
				c.offers = func(round int, name string) bool { return name != tool || (round >= from) == later }
			}
			if rapid.IntRange(0, 4).Draw(r, "plan") == 0 {
				c.fold = nil
				c.plan(text, planning)
				if c.question != "" {
					r.Fatalf("a plan asked %q", c.question)
				}
				if rapid.Bool().Draw(r, "approve") {
					c.context = approved
					c.followed(r, "Carry it out")
				} else {
					c.context = "The user does not want you to carry out the plan you made before."
				}
				continue
			}
			c.followed(r, text)
		}
	})
}

// checksOf sets how many checks a property gets where the command line does not say; under the
// race detector a third of them.
func checksOf(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks == nil || checks.Value.String() != checks.DefValue {
		return
	}
	if raced {
		n /= 3
	}
	if err := flag.Set("rapid.checks", strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set("rapid.checks", checks.DefValue) })
}

// followed says something, and holds what holds of every turn.
func (c *chat) followed(r *rapid.T, text string) {
	from := len(c.messages)
	got := c.say(text)
	if strings.TrimSpace(got) == "" {
		r.Fatalf("%q: nothing was said", text)
	}
	for _, lost := range []string{"I could not finish this request", "This much was done:", "I lost track"} {
		if strings.Contains(got, lost) {
			r.Fatalf("%q: the thread was lost after %v: %s", text, c.calls, got)
		}
	}
	failed := map[string]bool{}
	args := map[string]string{}
	for _, m := range c.messages[from:] {
		for _, call := range m.ToolCalls {
			key := call.Name + call.Arguments
			if failed[key] {
				r.Fatalf("%q: %s was called again after it failed", text, key)
			}
			args[call.ID] = key
		}
		switch {
		case m.Role != llm.RoleTool:
		case m.IsError:
			failed[args[m.ToolCallID]] = true
		case m.ToolName != "task_list" && m.ToolName != "send_message":
			clear(failed) // something is otherwise now, or was seen to be
		}
	}
}
