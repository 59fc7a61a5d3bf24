package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/llmtest/hubtest"
)

// ackTime is how long SmartHole waits for an acknowledgment.
const ackTime = 30 * time.Second

// A message that is routed here while a typed turn waits for consent is acknowledged at once, stays out of that turn,
// becomes its own turn marked as voice, cannot consent to a change, and is answered with a notification. The header
// shows the connection's state as SmartHole goes away, comes back, and is turned off and on.
func TestChatSmartHole(t *testing.T) {
	t.Parallel()
	hub, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hub.Close()
		for _, v := range hub.Violations() {
			t.Errorf("SmartHole got %s", v)
		}
	})
	srv := llmtest.New(t,
		edit("Home.md", "red", "blue", llmtest.Expect(`user contains "make it blue"`)),
		llmtest.Reply("Home is blue.", llmtest.Expect(`all messages not contains "put rye on the list"`)),
		llmtest.ToolCall("write_file", map[string]any{"path": "List.md", "content": "rye\n"},
			llmtest.Expect(`user contains "put rye on the list"`), llmtest.Expect(`user not contains "make it blue"`)),
		llmtest.Reply("The list is as it was.", llmtest.Expect(`tool result contains "cannot be given for a request from another program"`)),
		llmtest.Reply("An ash.", llmtest.Expect(`user contains "which tree"`)),
	)
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	for name, text := range map[string]string{
		"Notes/Home.md":           "# Home\nred\n",
		"c/chatvault/config.toml": "approval = \"writes\"\n[smarthole]\nenabled = true\nurl = \"" + hub.URL() + "\"\n",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := reopenChat(t, chatOptions{server: srv, width: 100, height: 40}, home, vault)
	header := func(want string) {
		t.Helper()
		c.WaitUntil("SmartHole "+want+" in the header", patience, func(s string) bool {
			first, _, _ := strings.Cut(s, "\n")
			return strings.Contains(first, "SmartHole "+want)
		})
	}
	answered := func(id, kind, text string) hubtest.Response {
		t.Helper()
		var found hubtest.Response
		if !hub.Await(ackTime, func(_ int, all []hubtest.Response) bool {
			for _, r := range all {
				if r.MessageID == id && r.Type == kind && strings.Contains(r.Payload.Body, text) {
					found = r
					return true
				}
			}
			return false
		}) {
			t.Fatalf("no %s of %s with %q within %v: %+v\n%s", kind, id, text, ackTime, hub.Responses(), c.Screen())
		}
		return found
	}
	idle := func() {
		t.Helper()
		c.WaitUntil("the turns to end", patience, func(s string) bool {
			return strings.Contains(s[strings.LastIndex(s, "\n")+1:], "Enter sends")
		})
	}
	header("connected")

	// The typed turn does not end before it is answered here, however long the rest takes.
	c.send("make it blue")
	c.WaitFor("› Allow once", patience)
	if err := hub.Send("m1", "put rye on the list", "voice"); err != nil {
		t.Fatal(err)
	}
	answered("m1", "ack", "")
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("%d model calls while the typed turn waits for consent, want its own only", n)
	}
	time.Sleep(settled)
	c.Press("enter")
	c.WaitFor("Home is blue.", patience)

	denied := answered("m1", "notification", "needs your consent in the chat")
	if denied.Payload.Priority != "high" || !strings.Contains(denied.Payload.Body, "List.md") {
		t.Errorf("the denial was told so: %+v", denied)
	}
	answered("m1", "notification", "The list is as it was.")
	idle()
	screen := c.Screen()
	typed, routed := strings.Index(screen, "Home is blue."), strings.Index(screen, "put rye on the list")
	if typed < 0 || routed < typed {
		t.Errorf("the routed message does not stand below the typed turn:\n%s", screen)
	}
	lines := strings.Split(screen[:max(routed, 0)], "\n")
	if len(lines) < 2 || !strings.HasPrefix(strings.TrimLeft(lines[len(lines)-2], " "), "▌ voice ") {
		t.Errorf("the routed message is not marked as voice:\n%s", screen)
	}
	if c.note(t, "Home.md") != "# Home\nblue\n" || c.note(t, "List.md") != "" {
		t.Errorf("Home.md is %q, List.md %q", c.note(t, "Home.md"), c.note(t, "List.md"))
	}

	hub.Mute(true)
	hub.Away()
	header("disconnected")
	if err := hub.Back(); err != nil {
		t.Fatal(err)
	}
	header("connecting") // until it is answered
	hub.Mute(false)
	header("connected")
	c.send("/smarthole off")
	header("disabled")
	if hub.Send("gone", "who listens?", "text") == nil {
		t.Error("still registered when turned off")
	}
	c.send("/smarthole on")
	header("connected")
	if err := hub.Send("m2", "which tree?", "text"); err != nil {
		t.Fatal(err)
	}
	answered("m2", "ack", "")
	if n := answered("m2", "notification", "An ash."); n.Payload.Priority != "normal" {
		t.Errorf("the answer was told so: %+v", n)
	}
	c.WaitFor("An ash.", patience)
	idle()
	if screen = c.Screen(); !strings.Contains(screen, "▌ routed ") {
		t.Errorf("the routed message is not marked:\n%s", screen)
	}
	for _, id := range []string{"m1", "m2"} {
		acks := 0
		for _, r := range hub.Responses() {
			if r.MessageID == id && r.Type == "ack" {
				acks++
			}
		}
		if acks != 1 {
			t.Errorf("%s was acknowledged %d times", id, acks)
		}
	}
	c.quit(t)
}
