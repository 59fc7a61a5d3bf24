package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
	"chatvault/internal/ptytest"
)

// cutInDraft leaves two conversations: one about Draft, whose message “delete it” was interrupted by a kill, and an
// earlier one about Thesis in a window that was closed.
func cutInDraft(t *testing.T, more ...llmtest.Step) (askHome, *llmtest.Server) {
	t.Helper()
	h := newAskHome(t, map[string]string{"Draft.md": "A draft.\n", "Thesis.md": "A thesis.\n"})
	srv := llmtest.New(t, append([]llmtest.Step{
		llmtest.Reply("Draft is short."), llmtest.Reply("Thesis is long."),
		llmtest.Say(llmtest.Text("Let me"), llmtest.Flush(), llmtest.Hang()),
	}, more...)...)
	one := h.run(t, srv, nil)
	one.WaitFor("Enter sends", patience)
	says(one, "let us talk about Draft", "Draft is short.")
	two := h.run(t, srv, nil)
	two.WaitFor("Another window is open", patience)
	says(two, "let us talk about Thesis", "Thesis is long.")
	two.Press("ctrl+c", "ctrl+c")
	two.Wait(patience)
	one.Type("delete it")
	one.Press("enter")
	one.WaitFor("Let me", patience)
	one.Kill()
	return h, srv
}

// deletesDraft returns the steps of a model that gets the conversation about Draft.
func deletesDraft() []llmtest.Step {
	return []llmtest.Step{
		llmtest.ToolCall("delete_file", map[string]any{"path": "Draft.md"},
			llmtest.Expect(`user contains "delete it"`), llmtest.Expect(`all messages contains "Draft is short."`), llmtest.Expect(`all messages not contains "Thesis"`)),
		llmtest.Reply("Draft is gone."),
	}
}

func (h askHome) deletedDraft(t *testing.T) {
	t.Helper()
	if h.note(t, "Draft.md") != "" || h.note(t, "Thesis.md") == "" {
		t.Errorf("Draft is %q, Thesis %q", h.note(t, "Draft.md"), h.note(t, "Thesis.md"))
	}
}

// The next start continues the conversation of the unfinished message, even if another one was left open too.
func TestUnfinishedMessageOpensItsConversation(t *testing.T) {
	t.Parallel()
	h, srv := cutInDraft(t, deletesDraft()...)
	x := h.run(t, srv, nil)
	if screen := x.WaitFor("Draft is gone.", patience); strings.Contains(screen, "Thesis") {
		t.Errorf("it shows\n%s", screen)
	}
	h.deletedDraft(t)
	x.Kill()
}

// If another conversation was used since, the start shows that one and lists the unfinished message with its own. It
// runs in its own, also after /new.
func TestUnfinishedMessageOfAnotherConversation(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"", "/new"} {
		h, _ := cutInDraft(t)
		ask := llmtest.New(t, llmtest.Reply("A third thing."))
		x := h.run(t, ask, nil, "ask", "something else") // in a conversation of its own
		if code := x.Wait(patience); code != 0 {
			t.Fatalf("exit %d:\n%s", code, x.Screen())
		}
		srv := llmtest.New(t, append(deletesDraft(), llmtest.Reply("Still about Draft.", llmtest.Expect(`all messages contains "Draft is short."`)))...)
		x = h.run(t, srv, nil)
		screen := x.WaitFor("delete it · cut short as chatvault ended, in “A conversation from a test”", patience)
		if !strings.Contains(screen, "A third thing.") {
			t.Errorf("it shows\n%s", screen)
		}
		if first != "" {
			says(x, first, "New conversation")
		}
		time.Sleep(settled)
		if n := len(srv.Requests()); n != 0 {
			t.Fatalf("%d model calls before anybody asked for one", n)
		}
		runsUnfinished(x)
		x.WaitFor("Draft is gone.", patience)
		h.deletedDraft(t)
		says(x, "and now?", "Still about Draft.")
		x.Kill()
	}
}

// Unfinished messages of two conversations run in their own.
func TestTwoUnfinishedMessages(t *testing.T) {
	t.Parallel()
	h, _ := cutInDraft(t)
	asks := llmtest.New(t, llmtest.Reply("Apples are red."), llmtest.Say(llmtest.Text("Hm"), llmtest.Flush(), llmtest.Hang()))
	x := h.run(t, asks, nil, "ask", "what of apples?")
	if code := x.Wait(patience); code != 0 {
		t.Fatalf("exit %d:\n%s", code, x.Screen())
	}
	x = h.run(t, asks, nil, "ask", "-c", "and pears?")
	x.WaitFor("Hm", patience)
	x.Kill()
	srv := llmtest.New(t, append([]llmtest.Step{
		llmtest.Reply("Pears are green.", llmtest.Expect(`all messages contains "Apples are red."`), llmtest.Expect(`all messages not contains "Draft is short."`)),
	}, deletesDraft()...)...)
	x = h.run(t, srv, nil)
	screen := x.WaitFor("Pears are green.", patience)
	if !strings.Contains(screen, "delete it · cut short as chatvault ended, in “") {
		t.Errorf("it shows\n%s", screen)
	}
	x.WaitFor("Enter sends", patience)
	time.Sleep(settled)
	runsUnfinished(x)
	x.WaitFor("Draft is gone.", patience)
	h.deletedDraft(t)
	x.Kill()
}

// Lines, `inbox retry` and an editor also run a message in its own conversation.
func TestUnfinishedWithoutAScreen(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(h askHome, srv *llmtest.Server) *ptytest.Terminal{
		"inbox retry": func(h askHome, srv *llmtest.Server) *ptytest.Terminal { return h.run(t, srv, nil, "inbox", "retry") },
		"lines": func(h askHome, srv *llmtest.Server) *ptytest.Terminal {
			x := h.run(t, srv, []string{"ACCESSIBLE=1"})
			screen := x.WaitFor("/retry sends the last one tried again", patience)
			if !strings.Contains(screen, "in “A conversation from a test”") || !strings.Contains(screen, "A third thing.") {
				t.Errorf("it shows\n%s", screen)
			}
			x.Type("/retry")
			x.Press("enter")
			return x
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, _ := cutInDraft(t)
			ask := llmtest.New(t, llmtest.Reply("A third thing."))
			x := h.run(t, ask, nil, "ask", "something else")
			if code := x.Wait(patience); code != 0 {
				t.Fatalf("exit %d:\n%s", code, x.Screen())
			}
			x = run(h, llmtest.New(t, deletesDraft()...))
			x.WaitFor("Draft is gone.", patience)
			h.deletedDraft(t)
			x.Kill()
		})
	}
}

// An entry without a conversation is offered, and runs in a new one.
func TestUnfinishedOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	h, _ := cutInDraft(t)
	h.changeInbox(t, func(e map[string]any) { delete(e, "conversation"); delete(e, "after") })
	srv := llmtest.New(t, llmtest.Reply("Delete what?", llmtest.Expect(`user contains "delete it"`), llmtest.Expect(`all messages not contains "Draft"`), llmtest.Expect(`all messages not contains "Thesis"`)))
	x := h.run(t, srv, nil)
	x.WaitFor("delete it · cut short as chatvault ended, in a conversation of its own", patience)
	time.Sleep(settled)
	if n := len(srv.Requests()); n != 0 {
		t.Fatalf("%d model calls before anybody asked for one", n)
	}
	runsUnfinished(x)
	x.WaitFor("Delete what?", patience)
	x.Kill()
}

// A message whose conversation was deleted is kept and runs nowhere.
func TestUnfinishedOfADeletedConversation(t *testing.T) {
	t.Parallel()
	h, _ := cutInDraft(t)
	h.changeInbox(t, func(e map[string]any) {
		if err := os.Remove(filepath.Join(h.state(), "conversations", e["conversation"].(string)+".jsonl")); err != nil {
			t.Error(err)
		}
	})
	srv := llmtest.New(t)
	x := h.run(t, srv, nil)
	x.WaitFor("delete it · cut short as chatvault ended, its conversation has been deleted", patience)
	time.Sleep(settled)
	runsUnfinished(x)
	x.WaitFor("its conversation has been deleted", patience)
	x.Kill()
	x = h.run(t, srv, nil, "inbox", "retry")
	if code := x.Wait(patience); code != 1 || !strings.Contains(x.Screen(), "its conversation has been deleted") {
		t.Errorf("exit %d:\n%s", code, x.Screen())
	}
	h.changeInbox(t, func(map[string]any) {}) // it is still there
}

// changeInbox changes the only entry in the inbox.
func (h askHome) changeInbox(t *testing.T, change func(map[string]any)) {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(h.state(), "inbox", "*.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%d messages in the inbox, %v", len(kept), err)
	}
	data, err := os.ReadFile(kept[0])
	entry := map[string]any{}
	for i, line := range slices.Collect(bytes.Lines(data)) {
		now := map[string]any{}
		if err := json.Unmarshal(line, &now); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			now["text"], now["time"] = entry["text"], entry["time"]
		}
		entry = now
	}
	if err != nil {
		t.Fatal(err)
	}
	change(entry)
	if data, err = json.Marshal(entry); err == nil {
		err = os.WriteFile(kept[0], data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// `ask` reported its failure by its exit status. The next chat shows the error and does not offer the
// message; the inbox keeps it.
func TestFailedAskIsNotOffered(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	refused := llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided"}}`)
	srv := llmtest.New(t, refused, refused, llmtest.Reply("Hello."))
	for range 2 {
		if x := h.run(t, srv, nil, "ask", "--json", "what is new?"); x.Wait(patience) != 1 {
			t.Fatal(x.Screen())
		}
	}
	x := h.run(t, srv, nil)
	x.WaitFor("Incorrect API key provided", patience)
	time.Sleep(settled)
	if screen := x.Screen(); strings.Contains(screen, "not finished") {
		t.Errorf("it shows\n%s", screen)
	}
	says(x, "do you hear me?", "Hello.")
	x.Kill()
	x = h.run(t, srv, nil, "inbox", "list")
	if x.Wait(patience); strings.Count(x.Screen(), "what is new?") != 2 {
		t.Errorf("the inbox:\n%s", x.Screen())
	}
}

// runsUnfinished runs the first unfinished message from the inbox.
func runsUnfinished(x *ptytest.Terminal) {
	says(x, "/inbox", "Unfinished messages")
	x.Press("enter")
	x.WaitFor("› Try it now", patience)
	x.Press("enter")
}
