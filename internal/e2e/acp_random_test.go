package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/llmtest"
)

// Whatever an editor does, each prompt ends, the agent exits with it, notes are whole, and unfinished prompts are kept.
// The long form plays a hundred scripts.
func TestACPRandomEditor(t *testing.T) {
	t.Parallel()
	n := 100 / everyNth(4)
	whole := [][]byte{[]byte("# Note\n" + strings.Repeat("old\n", 5000)), []byte("# Note\n" + strings.Repeat("new\n", 5000))}
	srv := llmtest.New(t,
		llmtest.ToolCall("write_file", map[string]any{"path": "Note.md", "content": string(whole[1])}, llmtest.When(`user matches "^write"`), llmtest.Forever()),
		llmtest.ToolCall("write_file", map[string]any{"path": "Note.md", "content": string(whole[0])}, llmtest.When(`user matches "^restore"`), llmtest.Forever()),
		llmtest.Say(llmtest.Text("It begins"), llmtest.Flush(), llmtest.Hang(), llmtest.When(`user matches "^hang"`), llmtest.Forever()),
		llmtest.ToolCall("ask_user", map[string]any{"question": "Which?"}, llmtest.When(`user matches "^ask"`), llmtest.Forever()),
		llmtest.Reply("Done.", llmtest.Forever()),
	)
	slots := make(chan struct{}, 3)
	var all sync.WaitGroup
	for seed := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			t.Run(fmt.Sprint(seed), func(t *testing.T) { randomScript(t, srv, uint64(seed), whole) })
		})
	}
	all.Wait()
}

func randomScript(t *testing.T, srv *llmtest.Server, seed uint64, whole [][]byte) {
	random := rand.New(rand.NewPCG(seed, 18))
	h := newAskHome(t, map[string]string{"Note.md": string(whole[0])})
	note := filepath.Join(h.vault, "Note.md")
	var decisions sync.Mutex // the editor's requests come beside each other
	options := []string{"allow-once", "allow-conversation", "reject", "reject-and-stop", "", "nonsense"}
	decide := func(string, map[string]any) string {
		decisions.Lock()
		defer decisions.Unlock()
		return options[random.IntN(len(options))]
	}
	choose := func(n int) int {
		decisions.Lock()
		defer decisions.Unlock()
		return random.IntN(n)
	}
	var sessions []string // that an editor knows, of all runs
	for run := range 1 + choose(3) {
		e := h.editor(t, editorWith{srv: srv, decide: decide, fs: choose(2) == 0, buffer: func(path string) (string, bool) {
			text, err := os.ReadFile(path)
			return string(text), err == nil
		}})
		open := map[string]int{} // the prompt under way, by session; 0: none
		if run > 0 && len(sessions) > 0 {
			id := sessions[choose(len(sessions))]
			e.answer(e.begin("session/load", map[string]any{"sessionId": id, "cwd": h.vault, "mcpServers": []any{}})) // it may have nothing to load
			if choose(2) == 0 {
				open[id] = e.begin("session/prompt", said(id, "/retry"))
			}
		}
		for range 1 + choose(6) {
			switch ids := len(sessions); {
			case ids == 0 || choose(5) == 0:
				sessions = append(sessions, e.open(h.vault))
			default:
				id := sessions[choose(ids)]
				if choose(3) == 0 {
					e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": id}})
					break
				}
				texts := []string{"write", "restore", "hang", "ask", "hello", "/undo", "/changes"}
				next := e.begin("session/prompt", said(id, texts[choose(len(texts))]))
				if choose(2) == 0 {
					e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": id}})
				}
				open[id] = next
			}
		}
		switch choose(3) {
		case 0: // all end before the editor leaves
			for id, prompt := range open {
				e.write(map[string]any{"method": "session/cancel", "params": map[string]any{"sessionId": id}})
				e.answer(prompt)
			}
			e.leave()
		case 1:
			e.leave()
		default:
			e.kill()
		}
		got, err := os.ReadFile(note)
		if err != nil || !bytes.Equal(got, whole[0]) && !bytes.Equal(got, whole[1]) {
			t.Fatalf("the note is torn: %d bytes, %v", len(got), err)
		}
	}
	// The next start recovers what was cut off, and everything works.
	e := h.editor(t, editorWith{srv: srv, decide: allow})
	if got := e.prompt(e.open(h.vault), "hello"); got != "end_turn" {
		t.Errorf("afterwards it stops for %q", got)
	}
	e.leave()
	if state := e.cmd.ProcessState; state == nil || state.ExitCode() != 0 {
		t.Errorf("it ended with %v", state)
	}
	left, err := filepath.Glob(filepath.Join(h.vault, "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v", left, err)
	}
}
