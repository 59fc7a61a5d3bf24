package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/llmtest"
)

// TestChatContinuesAConversation picks an ended conversation and continues it. The model gets all of it, and after a
// kill both the next start and `ask -c` continue it.
func TestChatContinuesAConversation(t *testing.T) {
	t.Parallel()
	title := llmtest.Reply("TITLE: The garden fence\nSUMMARY: It is to be a metre high.", llmtest.When(`system contains "TITLE:"`), llmtest.When(`user contains "fence"`))
	srv := llmtest.New(t, title,
		llmtest.Reply("A metre, as you said."),
		llmtest.Reply("They are blue."),
		llmtest.Reply("Green."),
		llmtest.Reply("Two coats."),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	x := h.run(t, srv, nil)
	x.WaitFor("Ask about your notes", patience)
	send := func(text, answer string) {
		x.Type(text)
		x.Press("enter")
		x.WaitUntil("the end of the turn after "+answer, patience, func(s string) bool {
			return strings.Contains(s, answer) && strings.Contains(s, "Enter sends ·")
		})
	}
	send("how high is the fence to be?", "A metre, as you said.")
	x.Type("/new")
	x.Press("enter")
	x.WaitFor("New conversation", patience)

	// Another process and the next start see the end at once, and soon its title.
	s := ""
	for end := time.Now().Add(patience); time.Now().Before(end) && !strings.Contains(s, "The garden fence"); {
		list := h.run(t, srv, nil, "conversations", "list")
		list.Wait(patience)
		if s = list.Screen(); strings.Contains(s, "* ") {
			t.Fatalf("after /new the list is\n%s", s)
		}
	}
	send("what of the plums?", "They are blue.")

	x.Type("/conversations")
	x.Press("enter")
	x.WaitFor("to search all messages", patience)
	x.Type("fence")
	x.WaitFor("› fence", patience)
	x.Press("enter")
	x.WaitFor("Export", patience)
	x.Press("down")
	x.Press("enter")
	x.WaitUntil("the conversation", patience, func(s string) bool {
		return !strings.Contains(s, "Continue it") && !strings.Contains(s, "what of the plums?") && strings.Contains(s, "how high is the fence to be?")
	})
	x.Kill()

	x = h.run(t, srv, nil)
	screen := x.WaitFor("how high is the fence to be?", patience)
	if !strings.Contains(screen, "A metre, as you said.") || strings.Contains(screen, "They are blue.") {
		t.Errorf("after the kill:\n%s", screen)
	}
	send("and the colour?", "Green.")
	requests := srv.Requests()
	sent := string(requests[len(requests)-1].Body)
	for _, want := range []string{"how high is the fence to be?", "A metre, as you said."} {
		if !strings.Contains(sent, want) {
			t.Errorf("%q was not sent", want)
		}
	}
	x.Kill()

	ask := h.run(t, srv, nil, "ask", "-c", "how many coats?")
	if code := ask.Wait(patience); code != 0 {
		t.Fatalf("exit %d:\n%s", code, ask.Screen())
	}
	requests = srv.Requests()
	if sent := string(requests[len(requests)-1].Body); !strings.Contains(sent, "and the colour?") || !strings.Contains(sent, "how high is the fence to be?") {
		t.Error("ask -c went on in another conversation")
	}
}

// `ask` does not continue the conversation of an open chat, and says so. It begins its own, which `ask -c` continues,
// and continues the chat's when the chat is closed.
func TestAskLeavesAnOpenChatAlone(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Reply("A metre."), llmtest.Reply("They are blue."), llmtest.Reply("In August."),
		llmtest.Reply("Ten years.", llmtest.Expect(`all messages contains "how high"`), llmtest.Expect(`all messages not contains "plums"`)),
		llmtest.Reply("Of larch.", llmtest.Expect(`all messages contains "how high"`), llmtest.Expect(`all messages not contains "plums"`)))
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	x := h.run(t, srv, nil)
	x.WaitFor("Ask about your notes", patience)
	says(x, "how high is the fence?", "A metre.")
	asks := func(status int, want string, args ...string) {
		t.Helper()
		ask := h.run(t, srv, nil, append([]string{"ask"}, args...)...)
		if code := ask.Wait(patience); code != status || !strings.Contains(strings.Join(strings.Fields(ask.Screen()), " "), want) {
			t.Errorf("exit %d:\n%s", code, ask.Screen())
		}
	}
	asks(1, "the last conversation is open in another chatvault: type your message there", "-c", "and how long?")
	asks(0, "They are blue.", "what colour are the plums?")
	asks(0, "In August.", "-c", "and when are they ripe?")
	says(x, "and how old is it?", "Ten years.")
	x.Press("ctrl+c", "ctrl+c")
	x.Wait(patience)
	asks(0, "Of larch.", "-c", "and what of?")
}

// The chat shows the end of a conversation of 1,000 turns within a second. Scrolling up loads more without a jump, and
// Home shows the beginning.
func TestChatReadsALongConversation(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	longConversation(t, h.vault, 1000)
	x := h.run(t, srv, nil)
	began := time.Now()
	screen := x.WaitFor("answer 999", patience)
	t.Logf("the end of 1,000 turns is on the screen %v after the program began", time.Since(began))
	if strings.Contains(screen, "Earlier messages") {
		t.Errorf("the marker is in sight:\n%s", screen)
	}
	last := 999
	for range 400 { // page by page: each screen overlaps the one before
		x.Press("pgup")
		screen = x.WaitIdle(30*time.Millisecond, patience)
		top, bottom := numbers(screen)
		if top < 0 {
			t.Fatalf("nothing is in sight:\n%s", screen)
		}
		if bottom < last-30 || top > last {
			t.Fatalf("it jumped from %d to %d..%d", last, top, bottom)
		}
		if last = top; last < 900 {
			break
		}
	}
	if last >= 900 {
		t.Fatalf("scrolling up ends at %d:\n%s", last, screen)
	}
	x.Press("home")
	x.WaitFor("answer 0\n", patience)
	x.Press("end")
	x.WaitFor("answer 999", patience)
	x.Kill()
}

// numbers returns the smallest and largest number of a visible question, or -1.
func numbers(screen string) (least, greatest int) {
	least, greatest = -1, -1
	for _, line := range strings.Split(screen, "\n") {
		i := strings.Index(line, "question ")
		var n int
		if i < 0 {
			continue
		}
		if _, err := fmt.Sscanf(line[i:], "question %d", &n); err != nil {
			continue
		}
		if least < 0 || n < least {
			least = n
		}
		greatest = max(greatest, n)
	}
	return least, greatest
}

// longConversation creates an active conversation of n turns.
func longConversation(t testing.TB, vault string, n int) {
	t.Helper()
	state := stateDir(filepath.Dir(vault)+"/s", vault)
	dir := filepath.Join(state, "conversations")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now().Add(-time.Duration(n) * time.Second).UTC()
	id := began.Format("20060102-150405") + "-0a1b2c3d"
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"conversation","schema":1,"id":%q,"time":%q}`+"\n", id, began.Format(time.RFC3339))
	result := strings.Repeat("a line of a note that was read\\n", 60)
	for i := range n {
		at := began.Add(time.Duration(i) * time.Second).Format(time.RFC3339)
		fmt.Fprintf(&b, `{"type":"turn","time":%[1]q,"turn":{"id":"t%[2]d","started":%[1]q,"ended":%[1]q,"messages":[`+
			`{"id":"t%[2]d","role":"user","time":%[1]q,"content":"question %[2]d","source":"direct"},`+
			`{"role":"assistant","time":%[1]q,"tool_calls":[{"id":"c%[2]d","name":"read_file","arguments":"{}","target":"Home.md"}]},`+
			`{"role":"tool","time":%[1]q,"content":"%[3]s","tool_call_id":"c%[2]d","tool_name":"read_file","summary":"60 lines"},`+
			`{"role":"assistant","time":%[1]q,"content":"answer %[2]d"}]}}`+"\n", at, i, result)
	}
	if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if c, err := conversation.NewManager(root, conversation.Options{}).Active(); err != nil || len(c.Turns) != n {
		t.Fatal(err)
	}
}
