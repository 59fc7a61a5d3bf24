package e2e

import (
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// partsNote has three paragraphs, with CR LF, that a model changes together.
const partsNote = "# House\r\n\r\nThe fence is red.\r\n\r\nThe gate is red.\r\n\r\nThe door is red.\r\n"

// repaint returns an edit in three places.
func repaint(opts ...llmtest.Option) llmtest.Step {
	return llmtest.ToolCall("edit_file", map[string]any{"path": "House.md", "old_text": "red", "new_text": "blue", "replace_all": true}, opts...)
}

// p steps through the parts of a change. Accepted parts are written, and the model is told which were not.
func TestAskParts(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		repaint(),
		llmtest.Reply("The gate stays red.",
			llmtest.Expect(`tool result contains "The user accepted 2 of the 3 parts of this change."`),
			llmtest.Expect(`tool result contains "-The gate is red."`)),
	)
	h := newAskHome(t, map[string]string{"House.md": partsNote})
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=writes"}, "ask", "paint it blue")
	x.WaitFor("p for part by part (3)", patience)
	x.Type("p\n")
	screen := x.WaitFor("Accept part 1 of 3?", patience)
	for _, want := range []string{"— part 1 of 3 · line 3 · below “House”", "- The fence is [-red-].", "+ The fence is {+blue+}."} {
		if !strings.Contains(screen, want) {
			t.Errorf("the part does not show %q:\n%s", want, screen)
		}
	}
	x.Type("?\n")
	x.WaitFor("y accepts this part, n rejects it", patience)
	x.Type("y\n")
	x.WaitFor("Accept part 2 of 3?", patience)
	x.Type("n\n")
	x.WaitFor("Accept part 3 of 3?", patience)
	if got := h.note(t, "House.md"); got != partsNote {
		t.Fatalf("written before the last part was decided: %q", got)
	}
	x.Type("y\n")
	x.WaitFor("The gate stays red.", patience)
	want := strings.NewReplacer("fence is red", "fence is blue", "door is red", "door is blue").Replace(partsNote)
	if code := x.Wait(patience); code != 0 || h.note(t, "House.md") != want {
		t.Errorf("exit %d, %q", code, h.note(t, "House.md"))
	}
}

// In the chat, the parts are shown in the dialog. Enter changes the note, and only in the accepted parts.
func TestChatParts(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		repaint(),
		repaint(llmtest.Expect(`tool result contains "The user accepted 1 of the 3 parts"`), llmtest.Expect(`tool result contains "-The fence is red."`)),
		llmtest.Reply("As you say.", llmtest.Expect(`tool result contains "The user denied this change"`)),
	)
	c := openChat(t, chatOptions{server: srv, notes: map[string]string{"House.md": partsNote}, env: []string{"CHATVAULT_APPROVAL=writes"}, width: 100})
	c.send("paint it blue")
	c.WaitFor("3 words added, 3 removed", patience)
	c.WaitFor("Choose parts", patience)
	time.Sleep(settled)
	c.Press("down", "down", "enter")
	c.WaitFor("Part 1 of 3 · 0 accepted", patience)
	c.Press("enter") // takes nothing
	c.WaitFor("no part accepted yet", patience)
	c.Type("n")
	c.WaitFor("Part 2 of 3 · 0 accepted", patience)
	c.Type("y")
	c.WaitFor("Part 3 of 3 · 1 accepted", patience)
	if got := c.note(t, "House.md"); got != partsNote {
		t.Fatalf("written before it was decided: %q", got)
	}
	c.Press("enter")
	c.WaitFor("2 words added, 2 removed", patience) // the others, asked for again
	if got, want := c.note(t, "House.md"), strings.Replace(partsNote, "gate is red", "gate is blue", 1); got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
	time.Sleep(settled)
	c.Press("down", "down", "enter")
	c.WaitFor("Part 1 of 2", patience)
	c.Press("backspace")
	c.WaitFor("› Choose parts", patience)
	c.Type("n")
	c.WaitFor("As you say.", patience)
	c.WaitFor("Accepted 1 of 3 parts of the change to House.md.", patience) // below the dialog until now
	c.quit(t)
}
