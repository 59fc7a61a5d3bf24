package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"chatvault/internal/llmtest"
)

// The requests of a process begin, byte for byte, with those of the previous process in the conversation, even if
// results were shortened to fit, so that the provider's cache is used. After an interrupted turn, the same holds for
// the turn before it.
func TestRequestPrefixAcrossProcesses(t *testing.T) {
	notes := map[string]string{}
	for _, name := range []string{"one", "two", "three", "four"} {
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, "Line %d of %s is here.\n", i+1, name)
		}
		notes[name+".md"] = b.String()
	}
	read := func(name string) llmtest.Step {
		return llmtest.ToolCall("read_file", map[string]any{"path": name + ".md"})
	}
	srv := llmtest.New(t,
		read("one"), read("two"), llmtest.Reply("Alike."),
		llmtest.Reply("Still alike."),
		read("three"), llmtest.Say(llmtest.Text("They are"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Reply("As before."),
		read("four"), llmtest.Reply("All alike."),
		llmtest.Reply("Yes."),
	)
	h := newAskHome(t, notes)
	if err := os.MkdirAll(h.dir+"/c/chatvault", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.dir+"/c/chatvault/config.toml", []byte("context_window = 13000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) {
		t.Helper()
		x := h.run(t, srv, nil, append([]string{"ask"}, args...)...)
		if len(srv.Requests()) == 4 { // the turn that is cut off
			x.WaitFor("They are", patience)
			x.Kill()
			return
		}
		if code := x.Wait(patience); code != 0 {
			t.Fatalf("exit status %d\n%s", code, x.Screen())
		}
	}
	ask("compare one and two")
	ask("-c", "are you sure?")
	ask("-c", "and three?")
	ask("-c", "go on")
	ask("-c", "and four?")
	ask("-c", "sure?")
	calls := srv.Requests()
	if !strings.Contains(string(calls[3].Body), "left out to save room") {
		t.Fatal("nothing was shortened")
	}
	for _, pair := range [][2]int{{2, 3}, {3, 4}, {4, 6}, {6, 7}, {8, 9}} {
		before, after := messagesOf(t, calls[pair[0]].Body), messagesOf(t, calls[pair[1]].Body)
		if pair == [2]int{4, 6} {
			before = before[:len(before)-1] // what the turn that was cut off added is gone
		}
		for i, m := range before {
			if i >= len(after) || m != after[i] {
				t.Errorf("message %d of request %d is not that of request %d:\n%.300s\n%.300s", i+1, pair[1]+1, pair[0]+1, m, after[min(i, len(after)-1)])
				break
			}
		}
	}
}

// messagesOf returns the messages of a request as they were sent.
func messagesOf(t *testing.T, body []byte) []string {
	t.Helper()
	var r struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range r.Messages {
		out = append(out, string(m))
	}
	return out
}
