package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// says sends a message in a chat and waits for a text on the screen.
func says(x *ptytest.Terminal, message, want string) string {
	x.Type(message)
	x.Press("enter")
	return x.WaitUntil(want, patience, func(s string) bool { return strings.Contains(s, want) && !strings.Contains(s, "Esc stops") })
}

// Two windows on one vault have a conversation each. A question or a model call in one does not block the other. Each
// lists the other's conversation as open, and undoes its own turns.
func TestTwoWindows(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\nred\n"})
	left := llmtest.New(t,
		llmtest.Reply("A fence of larch."),
		edit("Home.md", "red", "blue"), llmtest.Reply("It is blue."),
		llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("Still of larch.", llmtest.Expect(`all messages contains "the fence"`), llmtest.Expect(`all messages not contains "plums"`)),
	)
	right := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "New.md", "content": "new\n"}), llmtest.Reply("New is written.", llmtest.Expect(`all messages not contains "fence"`)),
		llmtest.Reply("They are ripe.", llmtest.Expect(`all messages contains "plums"`)),
		llmtest.Reply("A fresh one.", llmtest.Expect(`all messages not contains "They are ripe."`)),
	)
	one := h.run(t, left, []string{"CHATVAULT_APPROVAL=writes"})
	one.WaitFor("Enter sends", patience)
	says(one, "what is the fence made of?", "A fence of larch.")
	two := h.run(t, right, nil)
	if screen := two.WaitFor("Enter sends", patience); strings.Contains(screen, "larch") {
		t.Errorf("the second window shows what the first is in:\n%s", screen)
	}
	one.Type("make it blue")
	one.Press("enter")
	one.WaitFor("› Allow once", patience)
	says(two, "note the plums", "New is written.")
	one.Press("enter")
	one.WaitFor("It is blue.", patience)

	one.Type("think")
	one.Press("enter")
	one.WaitFor("Hm", patience)
	says(two, "are they ripe?", "They are ripe.")
	says(two, "/undo", "Removed New.md") // not the newest change, which is the other window's
	if got := h.note(t, "Home.md"); got != "# Home\nblue\n" {
		t.Errorf("the other window's change was undone: %q", got)
	}

	two.Type("/conversations")
	two.Press("enter")
	two.WaitFor("in another window", patience)
	two.Press("down", "enter")
	two.WaitFor("A fence of larch.", patience)
	two.Press("end")
	two.WaitFor("Continue it", patience)
	two.Press("down", "enter")
	two.WaitFor("it is open in another window: close it there first", patience)
	two.WaitFor("Enter sends", patience)
	says(two, "/new", "New conversation")
	says(two, "something else", "A fresh one.")
	one.Press("esc")
	one.WaitFor("topped", patience)
	says(one, "and now?", "Still of larch.")
	for _, x := range []*ptytest.Terminal{one, two} {
		x.Press("ctrl+c", "ctrl+c")
		x.Wait(patience)
	}
}

// The next window continues the conversation of a killed one and offers its unfinished message. A living window keeps
// its conversation.
func TestKilledWindow(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	srv := llmtest.New(t,
		llmtest.Reply("A fence of larch."), llmtest.Reply("Blue plums."),
		llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("In August.", llmtest.Expect(`all messages contains "Blue plums."`), llmtest.Expect(`all messages not contains "larch"`)),
		llmtest.Reply("No gate.", llmtest.Expect(`all messages contains "larch"`), llmtest.Expect(`all messages not contains "plums"`)),
		llmtest.Reply("From here on.", llmtest.Expect(`all messages contains "In August."`)),
	)
	one := h.run(t, srv, nil)
	one.WaitFor("Enter sends", patience)
	says(one, "what is the fence made of?", "A fence of larch.")
	two := h.run(t, srv, nil)
	two.WaitFor("Another window is open", patience)
	says(two, "what colour are they?", "Blue plums.")
	two.Type("when are they ripe?")
	two.Press("enter")
	two.WaitFor("Hm", patience)
	two.Kill()
	one.Type("/conversations") // who looks takes nothing away
	one.Press("enter")
	one.WaitFor("what colour are they?", patience)
	one.Press("esc")
	one.WaitGone("what colour are they?", patience)

	three := h.run(t, srv, nil) // it resumes what was cut a moment ago
	screen := three.WaitFor("In August.", patience)
	if !strings.Contains(screen, "Blue plums.") || strings.Contains(screen, "larch") {
		t.Errorf("it shows\n%s", screen)
	}
	says(one, "and the gate?", "No gate.")
	for _, x := range []*ptytest.Terminal{one, three} {
		x.Press("ctrl+c", "ctrl+c")
		x.Wait(patience)
	}
	again := h.run(t, srv, nil) // alone: the one last spoken in
	if screen := again.WaitFor("No gate.", patience); strings.Contains(screen, "plums") {
		t.Errorf("it shows\n%s", screen)
	}
	beside := h.run(t, srv, nil) // and the other one beside it
	beside.WaitFor("In August.", patience)
	says(beside, "go on", "From here on.")
	again.Kill()
	beside.Kill()
}

// A chat with a pending approval blocks no other process. Its change is made when the user agrees.
func TestAskDuringAnApproval(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\nred\n"})
	srv := llmtest.New(t, edit("Home.md", "red", "blue"), llmtest.Reply("It is blue."))
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"})
	x.WaitFor("Enter sends", patience)
	x.Type("make it blue")
	x.Press("enter")
	x.WaitFor("› Allow once", patience)

	beside := llmtest.New(t, llmtest.ToolCall("write_file", map[string]any{"path": "New.md", "content": "new\n"}), llmtest.Reply("New is written."))
	cmd := command(t, h.vault, append(provider(beside), "XDG_STATE_HOME="+h.dir+"/s"), "ask", "write New")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "New is written.") {
		t.Errorf("%v: %s", err, out)
	}
	if got := h.note(t, "New.md"); got != "new\n" {
		t.Errorf("the note is %q", got)
	}
	x.Press("enter") // the first choice: allow it
	x.WaitFor("It is blue.", patience)
	if got := h.note(t, "Home.md"); got != "# Home\nblue\n" {
		t.Errorf("the note is %q", got)
	}
	x.Press("ctrl+c", "ctrl+c")
	x.Wait(patience)
}

// A window that opens during the first turn of another, which is not on disk yet, gets its own conversation.
func TestWindowOpenedDuringAFirstTurn(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	gate := make(chan struct{})
	one := h.run(t, llmtest.New(t, llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Gate(gate), llmtest.Text(", larch."))), nil)
	one.WaitFor("Enter sends", patience)
	one.Type("what is the fence made of?")
	one.Press("enter")
	one.WaitFor("Hm", patience)
	two := h.run(t, llmtest.New(t, llmtest.Reply("Blue plums.")), nil)
	two.WaitFor("Enter sends", patience)
	says(two, "what colour are they?", "Blue plums.")
	close(gate)
	one.WaitFor("Hm, larch.", patience)
	for _, x := range []*ptytest.Terminal{one, two} {
		x.Press("ctrl+c", "ctrl+c")
		x.Wait(patience)
	}
	if n := entries(t, filepath.Join(h.state(), "conversations")); n != 3 { // the index, too
		t.Errorf("%d files of conversations", n)
	}
}
