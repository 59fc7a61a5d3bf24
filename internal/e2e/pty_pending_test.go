package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// The program is killed while a question is pending. The next start shows the question, and the answer continues the
// turn with everything it had read.
func TestQuestionSurvivesKill(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.ToolCall("read_file", map[string]any{"path": "Monday.md"}),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which meeting note is to go?", "options": []string{"Monday", "Friday"}}),
		llmtest.ToolCall("delete_file", map[string]any{"path": "Friday.md"}, llmtest.Expect(`user contains "The user chose option 2: “Friday”"`)),
		llmtest.Reply("Friday is gone."),
	)
	h := newAskHome(t, map[string]string{"Monday.md": "Meeting on Monday\n", "Friday.md": "Meeting on Friday\n"})
	x := h.run(t, srv, nil)
	x.WaitFor("Ask about your notes", patience)
	x.Type("delete the meeting note")
	x.Press("enter")
	x.WaitFor("Which meeting note is to go?", patience)
	x.Kill()

	x = h.run(t, srv, nil)
	x.WaitFor("delete the meeting note", patience)
	x.WaitFor("Which meeting note is to go?", patience)
	x.Kill()

	x = h.run(t, srv, nil, "ask", "-c", "2")
	if code := x.Wait(patience); code != 0 {
		t.Fatalf("exit %d:\n%s", code, x.Screen())
	}
	if h.note(t, "Monday.md") == "" || h.note(t, "Friday.md") != "" {
		t.Error("the wrong note is gone")
	}
	sent := string(srv.Requests()[2].Body)
	for _, want := range []string{"delete the meeting note", `"name":"read_file"`, "1: Meeting on Monday", `"name":"ask_user"`} {
		if !strings.Contains(sent, want) {
			t.Errorf("%q is not in what was sent:\n%s", want, sent)
		}
	}
}

// A conversation that got no title when it ended gets one when the chat starts again.
func TestMissingTitlesAreMadeAtTheNextStart(t *testing.T) {
	t.Parallel()
	notNow := llmtest.Fail(400, `{"error":{"message":"not today"}}`)
	llmtest.When(`system contains "TITLE:"`)(&notNow)
	srv := llmtest.New(t,
		notNow,
		llmtest.Reply("TITLE: A place for the long ladder\nSUMMARY: The person asked for it.", llmtest.When(`system contains "TITLE:"`)),
		llmtest.Reply("In the shed."),
		llmtest.Reply("Beside it."),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	for _, text := range []string{"Where is the ladder?", "And the bucket?"} {
		x := h.run(t, srv, nil, "ask", text)
		if code := x.Wait(patience); code != 0 {
			t.Fatalf("exit %d:\n%s", code, x.Screen())
		}
	}
	index := func() string {
		data, err := os.ReadFile(filepath.Join(h.state(), "conversations", "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if strings.Contains(index(), "long ladder") {
		t.Fatal("the title is there before the next start")
	}
	x := h.run(t, srv, nil)
	x.WaitFor("And the bucket?", patience)
	for end := time.Now().Add(patience); !strings.Contains(index(), "A place for the long ladder"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no title:\n%s", index())
		}
	}
	x.Kill()
}
