package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// settled is longer than a new dialog ignores keys.
const settled = 700 * time.Millisecond

// note returns a note of the chat's vault, or "".
func (c chat) note(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.vault, filepath.FromSlash(name)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

func edit(path, old, text string, opts ...llmtest.Option) llmtest.Step {
	return llmtest.ToolCall("edit_file", map[string]any{"path": path, "old_text": old, "new_text": text}, opts...)
}

// A change waits for consent, with the exact diff. A key pressed before the question could be read does not count. A
// denial and its reason reach the model.
func TestChatApproval(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		edit("Home.md", "red", "blue"),
		edit("Home.md", "red", "green", llmtest.Expect(`tool result contains "rather green"`)),
		edit("Home.md", "green", "teal"),
		edit("Home.md", "teal", "cyan"),
		llmtest.Reply("It is cyan.", llmtest.Expect(`tool result contains "Replaced"`)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "# Home\nred\n"}, env: []string{"CHATVAULT_APPROVAL=writes"}})
	c.send("make it blue")
	screen := c.WaitFor("Deny (n)", patience)
	for _, want := range []string{"Home.md", "red", "blue", "Deny"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the question does not show %q:\n%s", want, screen)
		}
	}
	c.Press("enter") // meant for the composer
	time.Sleep(settled)
	if got := c.note(t, "Home.md"); !strings.Contains(got, "red") {
		t.Fatalf("a key pressed too early gave consent: %q", got)
	}
	c.WaitFor("Allow once", patience)
	c.Type("r")
	c.WaitFor("Why not?", patience)
	c.Type("rather green")
	c.Press("enter")

	c.WaitUntil("the second question", patience, func(s string) bool {
		return strings.Contains(s, "Allow once") && strings.Contains(s, "+ green") && !strings.Contains(s, "+ blue")
	})
	if got := c.note(t, "Home.md"); !strings.Contains(got, "red") {
		t.Errorf("a denied change was made: %q", got)
	}
	time.Sleep(settled)
	c.Press("enter") // once

	c.WaitUntil("the third question", patience, func(s string) bool { return strings.Contains(s, "Allow once") && strings.Contains(s, "teal") })
	time.Sleep(settled)
	c.Press("down", "enter") // edits, for this conversation: the fourth is not asked about
	c.WaitFor("It is cyan.", patience)
	if got, want := c.note(t, "Home.md"), "# Home\ncyan\n"; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	c.quit(t)
}

// After a denial the agent continues; /stop stops the turn. Nothing is written.
func TestChatApprovalStop(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		edit("Home.md", "red", "blue"),
		edit("Home.md", "red", "green", llmtest.Expect(`tool result contains "denied"`)),
		llmtest.Reply("Going on."),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "red\n"}, env: []string{"CHATVAULT_APPROVAL=writes"}})
	c.send("make it blue")
	c.WaitFor("blue", patience)
	c.WaitFor("Allow once", patience)
	time.Sleep(settled)
	c.Type("n")
	c.WaitUntil("the second question", patience, func(s string) bool { return strings.Contains(s, "Allow once") && strings.Contains(s, "green") })
	c.Press("ctrl+c") // in its first half second: meant for what was there before
	time.Sleep(settled)
	c.send("/stop") // what is typed is text, and Enter sends it
	c.WaitFor("Stopped", patience)
	c.WaitGone("Allow once", patience)
	if got := c.note(t, "Home.md"); got != "red\n" {
		t.Errorf("the note is %q", got)
	}
	c.send("next")
	c.WaitFor("Going on.", patience)
	c.quit(t)
}

// If the provider refuses a key, the chat asks for another, masked, and the turn continues with it. Without a keyring
// it is written nowhere, and the chat explains how to keep it.
func TestChatKeyPrompt(t *testing.T) {
	t.Parallel()
	const key = "sk-typed-9876543210zyxwvu"
	srv := llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}, llmtest.Expect(`header Authorization contains "sk-test"`)),
		llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`),
		llmtest.Reply("Your home note.", llmtest.Expect(`header Authorization contains "`+key+`"`), llmtest.Expect(`tool result contains "Home"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("what is in my home note?")
	c.WaitFor("A key is needed", patience)
	time.Sleep(settled)
	c.Type(key)
	c.WaitFor(strings.Repeat("•", len(key)), patience)
	c.Press("enter")
	c.WaitFor("Your home note.", patience)
	c.WaitFor("To keep it", patience)
	if strings.Contains(string(c.Raw()), key) {
		t.Error("the key was drawn")
	}
	c.quit(t)
	if where := holders(t, filepath.Dir(c.vault), key); len(where) > 0 {
		t.Errorf("the key stands in %v", where)
	}
}

// Enter adds a message to the running turn at its next model call, Tab queues it for the next turn. Each is shown with
// its destination and can be taken back until it is sent.
func TestChatAddsMessagesToATurn(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("Looking."), llmtest.Flush(), llmtest.Delay(4*time.Second), llmtest.Call("read_file", map[string]any{"path": "Home.md"})),
		llmtest.Reply("Both looked at.", llmtest.Expect(`all messages contains "and the garden"`),
			llmtest.Expect(`all messages not contains "then the shed"`), llmtest.Expect(`all messages not contains "never mind"`)),
		llmtest.Reply("The shed, too.", llmtest.Expect(`user contains "then the shed"`), llmtest.Expect(`all messages not contains "never mind"`)),
	)
	c := openChat(t, chatOptions{server: srv, width: 100})
	c.send("look at the house")
	c.WaitFor("Looking.", patience)
	c.send("and the garden")
	c.Type("then the shed")
	c.Press("tab")
	c.WaitUntil("where each goes", patience, func(s string) bool {
		return regexp.MustCompile(`this turn.*and the garden|and the garden.*this turn`).MatchString(s) &&
			regexp.MustCompile(`next turn.*then the shed|then the shed.*next turn`).MatchString(s)
	})
	c.send("never mind")
	c.WaitFor("↳ never mind", patience)
	c.Press("up")
	c.WaitFor("› never mind", patience)
	c.Press("ctrl+c")
	c.WaitFor("Both looked at.", patience)
	c.WaitFor("The shed, too.", patience)
	if n := len(srv.Requests()); n != 3 {
		t.Errorf("%d model calls", n)
	}
	c.quit(t)
}

// A question with options is answered by arrow keys, by number, or in other words. A restart shows it again.
func TestChatOptions(t *testing.T) {
	t.Parallel()
	ask := func(question string, opts ...llmtest.Option) llmtest.Step {
		return llmtest.ToolCall("ask_user", map[string]any{"question": question, "options": []string{"The oak", "The beech", "The ash"}}, opts...)
	}
	srv := llmtest.New(t, ask("Which one do you mean?"), ask("Which one after it?", llmtest.Expect(`user contains "The beech"`)),
		ask("Which one last?", llmtest.Expect(`user contains "The ash"`)), llmtest.Reply("None, then.", llmtest.Expect(`user contains "none of them"`)))
	o := chatOptions{server: srv}
	c := openChat(t, o)
	c.send("cut the tree")
	c.WaitFor("The ash", patience)
	c.WaitFor("or a number, or type", patience)
	c.Press("enter") // meant for something else: it picks nothing
	time.Sleep(settled)
	c.Press("down", "enter")
	if !srv.AwaitRequests(2, patience) {
		t.Fatal("the arrow picked nothing:\n" + c.Screen())
	}
	c.WaitFor("Which one after it?", patience)
	c.WaitFor("or a number, or type", patience)
	c.Kill()

	c = reopenChat(t, o, filepath.Dir(c.vault), c.vault)
	c.WaitFor("or a number, or type", patience)
	time.Sleep(settled)
	c.Type("3")
	c.Press("enter")
	if !srv.AwaitRequests(3, patience) {
		t.Fatal("the number picked nothing:\n" + c.Screen())
	}
	c.WaitFor("Which one last?", patience)
	c.WaitFor("or a number, or type", patience)
	c.send("none of them")
	c.WaitFor("None, then.", patience)
	c.quit(t)
}

// The agent works toward a goal over several turns until it is met, and the chat shows it. A restart pauses it.
func TestChatGoal(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("One note written."),
		llmtest.Reply("NOT MET: two more notes are missing", llmtest.Expect("no tools")),
		llmtest.Reply("The second one written."),
		llmtest.Say(llmtest.Text("NOT"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("The third one, too."),
		llmtest.Reply("MET: all three are there"),
	)
	o := chatOptions{server: srv, width: 110}
	c := openChat(t, o)
	c.send("/goal three notes on trees")
	c.WaitFor("two more notes are missing", patience)
	c.WaitFor("The second one written.", patience)
	if !srv.AwaitRequests(4, patience) {
		t.Fatal("no second check")
	}
	c.Press("esc")
	c.WaitFor("paused", patience)
	c.Kill()

	c = reopenChat(t, o, filepath.Dir(c.vault), c.vault)
	c.WaitFor("paused", patience)
	c.send("/goal")
	c.WaitFor("three notes on trees", patience)
	c.Press("esc")
	c.send("go on with it")
	c.WaitFor("The third one, too.", patience)
	c.WaitUntil("the goal is met", patience, func(s string) bool {
		return strings.Contains(strings.ToLower(s), "goal met") || strings.Contains(s, "goal is met")
	})
	c.quit(t)
}

// /plan rejects changes, shows the plan, and carries it out after approval.
func TestChatPlan(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("1. Write Trees.md.", llmtest.Expect(`user contains "calls that change a note are refused"`), llmtest.Expect(`tools contains "read_file"`)),
		llmtest.Reply("1. Write Woods.md.", llmtest.Expect(`user contains "call it Woods"`), llmtest.Expect(`user contains "calls that change a note are refused"`)),
		llmtest.ToolCall("write_file", map[string]any{"path": "Woods.md", "content": "# Woods\n"}, llmtest.Expect(`tools contains "write_file"`)),
		llmtest.Reply("Written."),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("/plan a note about trees")
	c.WaitFor("Write Trees.md", patience)
	c.WaitFor("Carry it out", patience)
	c.send("call it Woods")
	c.WaitFor("Write Woods.md", patience)
	c.WaitFor("or a number, or type", patience)
	time.Sleep(settled)
	c.Press("enter")
	c.WaitFor("Written.", patience)
	if got := c.note(t, "Woods.md"); got != "# Woods\n" {
		t.Errorf("the note is %q", got)
	}
	c.quit(t)
}

// /compact replaces earlier messages by a summary, which can be read.
func TestChatCompact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The oak stands by the gate. ", 60)
	srv := llmtest.New(t,
		llmtest.Reply(long+"\n\nThat is the oak."),
		llmtest.Reply(long+"\n\nThat is the ash.", llmtest.Usage(100_000, 10)),
		llmtest.Reply("SUMMARY: they asked about an oak and an ash.", llmtest.Expect("no tools")),
		llmtest.Reply("The oak, as I said.", llmtest.Expect(`all messages contains "they asked about an oak and an ash"`), llmtest.Expect(`all messages not contains "stands by the gate"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("tell me of the oak")
	c.WaitFor("↓ more below", patience) // a long answer is shown from its beginning
	c.WaitFor("Enter sends", patience)
	c.Press("end")
	c.WaitFor("That is the oak.", patience)
	c.send("and the ash")
	c.WaitUntil("the turn over", patience, func(s string) bool { // while it runs, /compact has to wait
		return strings.Contains(s, "↓ more below") && strings.Contains(s, "Enter sends")
	})
	c.Press("end")
	c.WaitFor("That is the ash.", patience)
	c.WaitFor("context 78%", patience)
	c.send("/compact")
	c.WaitFor("Summarised: ", patience)
	c.WaitUntil("the meter follows", patience, func(s string) bool { return !strings.Contains(s, "context 78%") })
	c.Press("ctrl+t")
	c.WaitFor("they asked about an oak and an ash", patience)
	c.send("which one was first?")
	c.WaitFor("The oak, as I said.", patience)
	c.quit(t)
}

// Each sub-agent is one line, with its steps on request. Stop reaches them.
func TestChatDelegates(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Call("delegate", map[string]any{"task": "look for oaks"}), llmtest.Call("delegate", map[string]any{"task": "look for ashes"}), llmtest.When(`user contains "trees"`)),
		llmtest.ToolCall("read_file", map[string]any{"path": "Home.md"}, llmtest.When(`user contains "oaks"`), llmtest.Expect(`tools not contains "write_file"`), llmtest.Expect(`tools not contains "delegate"`)),
		llmtest.Say(llmtest.Hang(), llmtest.When(`user contains "ashes"`)),
		llmtest.Say(llmtest.Hang(), llmtest.When(`user contains "oaks"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("what of the trees?")
	if !srv.AwaitRequests(4, patience) {
		t.Fatalf("%d model calls:\n%s", len(srv.AllRequests()), c.Screen())
	}
	c.WaitFor("look for oaks", patience)
	c.WaitFor("look for ashes", patience)
	c.WaitFor("step", patience)
	c.Press("ctrl+t")
	c.WaitFor("read Home", patience)
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	cut := func(requests []llmtest.Request) (n int) {
		for _, r := range requests {
			if !r.Gone.IsZero() {
				n++
			}
		}
		return n
	}
	if !srv.Await(patience, func(r []llmtest.Request) bool { return cut(r) == 2 }) {
		t.Errorf("%d of the sub-agents' model calls were cut, want both", cut(srv.Requests()))
	}
	c.quit(t)
}

// The agent's tasks are shown above the composer while it works.
func TestChatTaskList(t *testing.T) {
	t.Parallel()
	items := func(done bool) map[string]any {
		return map[string]any{"items": []map[string]any{{"text": "count the oaks", "done": done}, {"text": "count the ashes", "done": false}}}
	}
	srv := llmtest.New(t,
		llmtest.ToolCall("task_list", items(false)),
		llmtest.Say(llmtest.Call("task_list", items(true)), llmtest.Delay(time.Second)),
		llmtest.Say(llmtest.Text("Counting"), llmtest.Flush(), llmtest.Delay(2*time.Second), llmtest.Text(" done.")),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("count the trees")
	c.WaitFor("count the ashes", patience)
	c.WaitFor("Counting", patience)
	screen := c.Screen()
	if i, j := strings.Index(screen, "Counting"), strings.LastIndex(screen, "count the ashes"); i > j {
		t.Errorf("the steps are not below the transcript:\n%s", screen)
	}
	c.WaitFor("Counting done.", patience)
	c.WaitGone("count the ashes", patience)
	c.quit(t)
}

// Reasoning is one line until it is opened, and is not sent back.
func TestChatReasoning(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning("The user wants a tree. "), llmtest.Reasoning("An oak it is."), llmtest.Flush(), llmtest.Delay(1200*time.Millisecond), llmtest.Text("An oak.")),
		llmtest.Reply("Yes.", llmtest.Expect(`all messages not contains "The user wants"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("name a tree")
	c.WaitFor("An oak.", patience)
	screen := c.WaitForMatch(regexp.MustCompile(`Thought for \d`), patience)
	if strings.Contains(screen, "The user wants a tree") {
		t.Errorf("the reasoning is not collapsed:\n%s", screen)
	}
	c.Press("ctrl+t")
	c.WaitFor("The user wants a tree", patience)
	c.Press("ctrl+t")
	c.WaitGone("The user wants a tree", patience)
	c.send("sure?")
	c.WaitFor("Yes.", patience)
	c.quit(t)
}

// The wait for a retry counts down, Esc ends it at once, and the text of the failed attempt is withdrawn.
func TestChatRetry(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("A false start"), llmtest.Flush(), llmtest.Cut()),
		llmtest.Reply("The true answer."),
		llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", "20"),
		llmtest.Reply("Next."),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("hello")
	screen := c.WaitFor("The true answer.", patience)
	if strings.Contains(screen, "false start") {
		t.Errorf("the failed attempt's text stands:\n%s", screen)
	}
	c.send("again")
	c.WaitForMatch(regexp.MustCompile(`\b19 ?s`), patience)
	c.WaitForMatch(regexp.MustCompile(`\b18 ?s`), patience)
	began := time.Now()
	c.Press("esc")
	c.WaitFor("Stopped", patience)
	if d := time.Since(began); d > time.Second {
		t.Errorf("the wait ended after %v", d)
	}
	c.send("and now")
	c.WaitFor("Next.", patience)
	c.quit(t)
}

// The chat shows the growing size of a long note that is being written.
func TestChatGrowingCall(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Call("write_file", map[string]any{"path": "Long.md", "content": strings.Repeat("a line of the note\n", 400)}), llmtest.Split(200), llmtest.Pace(40*time.Millisecond)),
		llmtest.Reply("Written."),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("write a long note")
	c.WaitForMatch(regexp.MustCompile(`· [1-3]\.\d KB`), patience)
	c.WaitForMatch(regexp.MustCompile(`· [5-7]\.\d KB`), patience)
	c.WaitFor("Written.", patience)
	c.quit(t)
}

// Enter held down while a plan appears approves nothing; pressed after a pause it does. Text sent below an approval,
// and the arrow and Enter after it, approve nothing.
func TestChatHeldEnter(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Reply("1. Throw the note away", llmtest.Delay(time.Second)),
		llmtest.ToolCall("delete_file", map[string]any{"path": "Home.md"}),
		llmtest.Reply("It stays.", llmtest.Expect(`tool result contains "denied"`)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"Home.md": "kept\n"}, env: []string{"CHATVAULT_APPROVAL=writes"}})
	c.send("/plan tidy up")
	for range 25 { // well past the plan
		c.Press("enter")
		time.Sleep(80 * time.Millisecond)
	}
	c.WaitFor("› 1. Carry it out", patience)
	if n := len(srv.Requests()); n != 1 {
		t.Fatalf("%d model calls: the plan was carried out\n%s", n, c.Screen())
	}
	time.Sleep(settled)
	c.Press("enter")

	c.WaitFor("› Allow once", patience)
	c.send("not that one")
	c.WaitFor("→ this turn", patience)
	c.WaitFor("› Deny", patience) // the text is gone: the keys are the dialog's again
	c.Press("enter")              // one too many
	time.Sleep(settled)
	c.Press("enter")
	c.WaitFor("It stays.", patience)
	if got := c.note(t, "Home.md"); got != "kept\n" {
		t.Errorf("the note is %q", got)
	}
	c.quit(t)
}
