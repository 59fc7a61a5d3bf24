//go:build unix

package stress

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

// TestSignalsKeepEverything: whatever tells the chat to end, it is out within two seconds with the
// terminal restored; the message whose turn ran, the one that was queued and the draft are back at
// the next start.
func TestSignalsKeepEverything(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP, "SIGINT": syscall.SIGINT, "closed terminal": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Say(llmtest.Text("I have begun"), llmtest.Flush(), llmtest.Hang(), llmtest.Forever()))
			h := newHome(t, scratch(t), binary(t), srv, map[string]string{"Home.md": "# Home\n"})
			c := h.open(t)
			c.send("the first message")
			c.WaitFor("I have begun", patience)
			c.send("the second message")
			c.WaitFor("→ ", patience)
			c.Type("half a thought")
			h.saved(t, "half a thought")
			began := time.Now()
			if sig != nil {
				c.Signal(sig)
				c.ends(t, began)
			} else {
				c.Hangup()
				c.Wait(patience)
				outInTime(t, began)
			}
			c = h.start(t)
			c.WaitFor("the second message", patience) // waits; the first is resumed
			c.WaitFor("half a thought", patience)
		})
	}
}

// TestQuestionSurvives: a question that waits for its answer is there after the chat was killed,
// and the answer goes to it.
func TestQuestionSurvives(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("send_message", map[string]any{"message": "Which of the two folders?", "is_question": true}),
		llmtest.Reply("The second one it is.", llmtest.Expect(`all messages contains "Which of the two folders?"`), llmtest.Expect(`user contains "the second"`)),
	)
	h := newHome(t, scratch(t), binary(t), srv, map[string]string{"Home.md": "# Home\n"})
	c := h.open(t)
	c.send("tidy up")
	c.WaitFor("Which of the two folders?", patience)
	c.WaitIdle(200*time.Millisecond, patience)
	c.Kill()
	c = h.start(t)
	c.WaitFor("Which of the two folders?", patience)
	c.send("the second")
	c.WaitFor("The second one it is.", patience)
}

// TestStopped: a process that is stopped for a while, as a machine that sleeps is, goes on with the
// stream where it was, in raw mode and on a screen that takes keys, whatever mode a shell left meanwhile.
func TestStopped(t *testing.T) {
	t.Parallel()
	pause := 1500 * time.Millisecond
	if long() {
		pause = 90 * time.Second // longer than the endpoint's silence may last
	}
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Text("It begins"), llmtest.Flush(), llmtest.Delay(time.Second), llmtest.Text(" and goes on while nobody reads.")),
		llmtest.Reply("I am here."),
	)
	h := newHome(t, scratch(t), binary(t), srv, map[string]string{"Home.md": "# Home\n"})
	c := h.open(t)
	c.send("say something long")
	c.WaitFor("It begins", patience)
	c.Signal(syscall.SIGSTOP)
	time.Sleep(pause)
	c.Cook()
	began := time.Now()
	c.Signal(syscall.SIGCONT)
	for !c.IsRaw() {
		if time.Since(began) > patience {
			t.Fatal("the terminal is not in raw mode any more")
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.WaitFor("and goes on while nobody reads.", patience)
	c.send("are you there?")
	c.WaitFor("I am here.", patience)
	t.Logf("stopped for %v, at work again after %v", pause, time.Since(began))
	if n := len(srv.Requests()); n != 2 {
		t.Errorf("%d model calls: the pause was taken for a fault", n)
	}
}

// TestToTheShellAndBack: Ctrl+Z gives the terminal to the shell as it was, fg draws everything anew.
func TestToTheShellAndBack(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("no bash: ", err)
	}
	srv := llmtest.New(t, llmtest.Reply("A fine day."), llmtest.Reply("Here again."))
	h := newHome(t, scratch(t), binary(t), srv, map[string]string{"Home.md": "# Home\n"})
	x := ptytest.Start(t, ptytest.Options{
		Path: "/bin/bash", Args: []string{"--norc", "--noprofile", "-i"}, Dir: h.dir,
		Env: h.environment("PS1=shell> ", "BASH_SILENCE_DEPRECATION_WARNING=1"), Width: 100, Height: 30,
	})
	x.WaitFor("shell>", patience)
	x.Type(h.bin + " " + strings.Join(h.args(), " "))
	x.Press("enter")
	x.WaitFor("Ask about your notes", patience)
	x.Type("how is the day?")
	x.Press("enter")
	x.WaitFor("A fine day.", patience)
	x.Type("half a thought")
	x.WaitFor("half a thought", patience)
	for n := range rounds(1, 20) {
		x.Press("ctrl+z")
		screen := x.WaitGone("A fine day.", patience)
		if !strings.Contains(screen, "shell>") {
			screen = x.WaitFor("shell>", patience)
		}
		if strings.Contains(screen, "half a thought") {
			t.Errorf("the shell is drawn over the chat:\n%s", screen)
		}
		x.WaitIdle(100*time.Millisecond, patience)
		x.Type(fmt.Sprintf("echo here $((%d*7))", 100+n))
		x.Press("enter")
		x.WaitFor(fmt.Sprintf("here %d", (100+n)*7), patience)
		x.Type("fg")
		x.Press("enter")
		screen = x.WaitFor("half a thought", patience)
		if !strings.Contains(screen, "A fine day.") || strings.Contains(screen, "here ") {
			t.Errorf("after fg:\n%s", screen)
		}
	}
	x.Press("enter")
	x.WaitUntil("the turn over", patience, func(s string) bool { // while it runs, Ctrl+D asks first
		return strings.Contains(s, "Here again.") && strings.Contains(s, "Enter sends")
	})
	x.Press("ctrl+d")
	x.WaitGone("Here again.", patience)
	x.WaitIdle(100*time.Millisecond, patience)
	x.Type("stty -a | grep -o ' icanon'; echo ov''er")
	x.Press("enter")
	if screen := x.WaitFor("over", patience); !strings.Contains(screen, "\n icanon") {
		t.Errorf("the shell's terminal is not as it was:\n%s", screen)
	}
	if left, _ := filepath.Glob(h.state("crash-*")); len(left) > 0 {
		t.Errorf("it crashed: %s", read(t, left[0]))
	}
}
