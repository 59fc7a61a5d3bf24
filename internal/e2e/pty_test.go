package e2e

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// patience is the timeout for what should happen at once, on a busy machine.
const patience = 30 * time.Second

// chat is the real binary in a terminal, on its own vault.
type chat struct {
	*ptytest.Terminal
	vault string
}

type chatOptions struct {
	server        *llmtest.Server // nil: offline
	notes         map[string]string
	width, height int
	mute, light   bool
	bare          bool // with neither a server nor --offline
	env           []string
	shows         string // what is on the screen when it is open; empty: the empty composer
}

func openChat(t *testing.T, o chatOptions) chat {
	t.Helper()
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	if o.notes == nil {
		o.notes = map[string]string{"Home.md": "# Home\n"}
	}
	for name, text := range o.notes {
		path := filepath.Join(vault, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return reopenChat(t, o, home, vault)
}

func reopenChat(t *testing.T, o chatOptions, home, vault string) chat {
	t.Helper()
	args := []string{"--vault", vault}
	env := append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d"}, o.env...)
	if o.server != nil {
		env = append(env, "OPENAI_BASE_URL="+o.server.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model")
	} else if !o.bare {
		args = append(args, "--offline")
	}
	term := ptytest.Start(t, ptytest.Options{
		Path: chatvault(t), Args: args, Dir: home, Env: ptytest.Env(env...),
		Width: o.width, Height: o.height, Mute: o.mute, Light: o.light,
	})
	term.WaitFor(cmp.Or(o.shows, "Ask about your notes"), patience)
	return chat{term, vault}
}

// state returns the vault's state folder.
func (c chat) state() string { return stateDir(filepath.Dir(c.vault)+"/s", c.vault) }

// agreeToAll views the files that need consent, and agrees.
func (c chat) agreeToAll() {
	c.send("/trust ")
	c.WaitFor("Let this steer the agent?", patience)
	time.Sleep(600 * time.Millisecond) // what comes unasked takes no key in its first half second
	c.Press("enter")
	c.WaitFor("Agreed: it takes effect ", patience)
}

// restart leaves the chat and opens it again.
func (c chat) restart(t *testing.T, o chatOptions) chat {
	t.Helper()
	c.quit(t)
	return reopenChat(t, o, filepath.Dir(c.vault), c.vault)
}

// send types a message and sends it. It pauses first, since lines that arrive in one read are a paste.
func (c chat) send(text string) {
	c.Type(text)
	c.Press("enter")
	time.Sleep(100 * time.Millisecond)
}

// quit leaves with Ctrl+C twice and checks that the terminal is restored.
func (c chat) quit(t *testing.T) {
	t.Helper()
	c.Press("ctrl+c")
	c.WaitFor("again", patience)
	c.Press("ctrl+c")
	if code := c.Wait(patience); code != 0 {
		t.Errorf("exit status %d\n%s", code, c.Screen())
	}
	if left := c.LeftBehind(); len(left) > 0 {
		t.Errorf("left behind in the terminal: %v", left)
	}
}

// TestChatStop shows the main promise of the screen: a message of the agent appears before the answer ends; Esc visibly
// stops the turn within 250 ms; streamed text stays; the server sees the connection closed; the chat continues with a
// model that knows what was stopped.
func TestChatStop(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.ToolCall("send_message", map[string]any{"message": "Looking through your notes first."}),
		llmtest.Say(llmtest.Text("There are three things to "), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Fresh start.",
			llmtest.Expect(`user contains "“what matters this week?”"`),
			llmtest.Expect(`user contains "> Looking through your notes first."`),
			llmtest.Expect(`user contains "> There are three things to"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("what matters this week?")
	c.WaitFor("Looking through your notes first.", patience)
	c.WaitFor("There are three things to", patience)

	began := time.Now()
	c.Press("esc")
	c.WaitUntil("Stopping… or Stopped", patience, func(s string) bool { return strings.Contains(s, "Stopp") })
	if d := time.Since(began); d > 250*time.Millisecond {
		t.Errorf("the stop showed after %v", d)
	}
	screen := c.WaitFor("Stopped", patience)
	if !strings.Contains(screen, "There are three things to") {
		t.Errorf("what was streamed is gone:\n%s", screen)
	}
	if !srv.AwaitGone(1, patience) {
		t.Error("the server did not see the connection closed")
	}

	c.Press("up") // the stopped message is in the history
	c.WaitFor("what matters this week?", patience)
	c.Press("ctrl+c")
	c.send("go on, but shorter")
	c.WaitFor("Fresh start.", patience)
	c.quit(t)
}

// TestChatStopsInEveryState presses Esc in each state of a turn.
func TestChatStopsInEveryState(t *testing.T) {
	for name, first := range map[string]llmtest.Step{
		"before the first byte": llmtest.Say(llmtest.Hang()),
		"in reasoning":          llmtest.Say(llmtest.Reasoning("Hmm, let me see"), llmtest.Flush(), llmtest.Hang()),
		"in a tool call":        llmtest.Say(llmtest.Call("write_file", map[string]any{"path": "x.md", "content": strings.Repeat("long ", 500)}), llmtest.Flush(), llmtest.NoFinish(), llmtest.Hang()),
		"in a retry wait":       llmtest.Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", "30"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, first, llmtest.Reply("Going on."))
			c := openChat(t, chatOptions{server: srv})
			c.send("hello")
			if !srv.AwaitRequests(1, patience) {
				t.Fatal("no request")
			}
			if name == "in a retry wait" {
				c.WaitFor("Too many requests", patience)
			}
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			c.Press("esc")
			c.WaitUntil("Stopping… or Stopped", patience, func(s string) bool { return strings.Contains(s, "Stopp") })
			if d := time.Since(began); d > 250*time.Millisecond {
				t.Errorf("the stop showed after %v", d)
			}
			c.WaitFor("Stopped", patience)
			c.send("next")
			c.WaitFor("Going on.", patience)
			if _, err := os.Stat(filepath.Join(c.vault, "x.md")); err == nil {
				t.Error("a call that was not whole was run")
			}
		})
	}
}

// A message sent during a turn is shown as queued and taken next.
func TestChatQueue(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("Working"), llmtest.Flush(), llmtest.Delay(1500*time.Millisecond), llmtest.Text(" done.")),
		llmtest.Reply("Both noted.", llmtest.Expect(`all messages contains "second thing"`), llmtest.Expect(`user contains "third thing"`)),
	)
	c := openChat(t, chatOptions{server: srv})
	c.send("first thing")
	c.WaitFor("Working", patience)
	c.send("second thing")
	c.send("third thing")
	c.WaitFor("→ ", patience)
	c.WaitFor("Both noted.", patience)
	if n := len(srv.Requests()); n != 2 {
		t.Errorf("%d model calls", n)
	}
}

// A paste of many lines never sends, and is sent whole.
func TestChatPaste(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("Got it."))
	c := openChat(t, chatOptions{server: srv})
	lines := make([]string, 500)
	for i := range lines {
		lines[i] = strings.Repeat("word ", 5) + "line " + strings.Repeat("i", i%7)
	}
	c.Paste(strings.Join(lines, "\n"))
	c.WaitIdle(300*time.Millisecond, patience)
	if n := len(srv.Requests()); n != 0 {
		t.Fatalf("the paste was sent: %d calls", n)
	}
	c.Press("enter")
	c.WaitFor("Got it.", patience)
	chat := srv.Requests()[0].Chat
	last, ok := chat.Last("user")
	if !ok || !strings.Contains(string(last.Content), strings.Join(lines, "\n")) {
		t.Error("the paste did not arrive whole")
	}
}

// The conversation, and a message interrupted by kill -9, are restored at the next start.
func TestChatRestoresTheConversation(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("Noted: **blue**."), llmtest.Say(llmtest.Text("I am"), llmtest.Flush(), llmtest.Hang()), llmtest.Reply("Answered at last."))
	o := chatOptions{server: srv}
	c := openChat(t, o)
	home := filepath.Dir(c.vault)
	c.send("my colour is blue")
	c.WaitFor("Noted: blue.", patience)
	c.send("and now a long job")
	c.WaitFor("I am", patience)
	c.Kill()

	c = reopenChat(t, o, home, c.vault)
	c.WaitFor("and now a long job", patience) // it is less than a minute old and had begun no tool: it goes on
	c.WaitFor("Answered at last.", patience)
	c.WaitFor("Noted: blue.", patience)
	c.quit(t)
}

// The screen is correct at any size, and a resize wraps text again.
func TestChatResize(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("A rather long sentence that wraps at forty columns and fits on one line at two hundred of them, with a tail."))
	c := openChat(t, chatOptions{server: srv, width: 100, height: 30})
	c.send("say something long")
	c.WaitFor("with a tail.", patience)
	for _, size := range [][2]int{{40, 15}, {200, 50}, {10, 3}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.WaitIdle(200*time.Millisecond, patience)
		for i, line := range strings.Split(c.Screen(), "\n") {
			if n := len([]rune(strings.TrimRight(line, " "))); n > size[0] {
				t.Errorf("%v: line %d is %d wide", size, i, n)
			}
		}
	}
	c.WaitFor("with a tail.", patience)
}

// The chat does not wait for a terminal that answers no query.
func TestTerminalWithoutAnswers(t *testing.T) {
	began := time.Now()
	c := openChat(t, chatOptions{mute: true})
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("ready after %v", d)
	}
	c.quit(t)
}

// A signal ends the chat within 2 s and restores the terminal.
func TestChatSignals(t *testing.T) {
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Say(llmtest.Text("Begun"), llmtest.Flush(), llmtest.Hang()))
			c := openChat(t, chatOptions{server: srv})
			c.send("long job")
			c.WaitFor("Begun", patience)
			began := time.Now()
			c.Signal(sig)
			c.Wait(patience)
			if d := time.Since(began); d > 2*time.Second {
				t.Errorf("ended after %v", d)
			}
			if left := c.LeftBehind(); len(left) > 0 {
				t.Errorf("left behind in the terminal: %v", left)
			}
		})
	}
}

// Text that arrives at once is typed, even if a word of it is the name of a key.
func TestChatTypesNamesOfKeys(t *testing.T) {
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("Begun"), llmtest.Flush(), llmtest.Hang()))
	c := openChat(t, chatOptions{server: srv})
	c.Type("press enter to go")
	c.WaitFor("press enter to go", patience)
	c.WaitIdle(200*time.Millisecond, patience)
	if n := len(srv.Requests()); n != 0 {
		t.Fatalf("typing was sent: %d calls", n)
	}
	c.Press("enter")
	c.WaitFor("Begun", patience)
	c.Type("or esc or ctrl+c")
	screen := c.WaitFor("or esc or ctrl+c", patience)
	if strings.Contains(screen, "Stopp") {
		t.Errorf("the typed word stopped the turn:\n%s", screen)
	}
}

// Only Esc gives up a message. However the chat ends during a turn, the message stays in the inbox, and the next start
// continues it.
func TestChatLeaveKeepsTheTurn(t *testing.T) {
	for name, leave := range map[string]func(chat){
		"Ctrl+D": func(c chat) {
			c.Press("ctrl+d")
			c.WaitFor("again to quit. A turn is running", patience)
			c.Press("ctrl+d")
		},
		"Ctrl+C": func(c chat) { c.Press("ctrl+c"); c.WaitFor("again to quit", patience); c.Press("ctrl+c") },
		"/quit":  func(c chat) { c.send("/quit") },
		"SIGHUP": func(c chat) { c.Signal(syscall.SIGHUP) },
		"closed": func(c chat) { c.Hangup() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Say(llmtest.Text("Begun"), llmtest.Flush(), llmtest.Hang()), llmtest.Reply("Done after all."))
			o := chatOptions{server: srv}
			c := openChat(t, o)
			c.send("a long job")
			c.WaitFor("Begun", patience)
			leave(c)
			c.Wait(patience)
			kept, err := filepath.Glob(filepath.Join(c.state(), "inbox", "*.json"))
			if err != nil || len(kept) != 1 {
				t.Errorf("%d messages in the inbox, want the one of the turn (%v)", len(kept), err)
			}
			c = reopenChat(t, o, filepath.Dir(c.vault), c.vault)
			c.WaitFor("a long job", patience)
			c.WaitFor("Done after all.", patience)
		})
	}
}

// age makes the messages in the inbox appear older.
func (c chat) age(t *testing.T) {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(c.state(), "inbox", "*.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("%d messages in the inbox, %v", len(kept), err)
	}
	for _, name := range kept {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		aged := regexp.MustCompile(`"time": ?"[^"]*"`).ReplaceAll(data, []byte(`"time":"2026-01-01T10:00:00Z"`))
		if bytes.Equal(aged, data) {
			t.Fatalf("no time in %s", data)
		}
		if err := os.WriteFile(name, aged, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Text typed while an unfinished message is offered goes to the composer and decides nothing.
func TestChatTypingOverAnOffer(t *testing.T) {
	srv := llmtest.New(t, llmtest.Say(llmtest.Text("Begun"), llmtest.Flush(), llmtest.Hang()), llmtest.Reply("No bees."), llmtest.Reply("Done after all."))
	o := chatOptions{server: srv}
	c := openChat(t, o)
	c.send("a long job")
	c.WaitFor("Begun", patience)
	c.Kill()
	c.age(t)
	c = reopenChat(t, o, filepath.Dir(c.vault), c.vault)
	c.WaitFor("1 message not finished", patience)
	time.Sleep(700 * time.Millisecond)
	for _, r := range "do I have notes on bees?" {
		c.Type(string(r))
		time.Sleep(5 * time.Millisecond)
	}
	c.WaitFor("› do I have notes on bees?", patience)
	c.Press("enter")
	c.WaitUntil("the turn over", patience, func(s string) bool { return strings.Contains(s, "No bees.") && strings.Contains(s, "Enter sends") })
	c.send("/inbox")
	c.WaitFor("Unfinished messages", patience)
	c.Press("enter")
	c.WaitFor("› Try it now", patience)
	c.Press("enter")
	c.WaitFor("Done after all.", patience)
	c.quit(t)
}
