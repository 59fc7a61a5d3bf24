package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/tools"
	"chatvault/vault"
)

// vaultCorpus gives the engine the notes of a vault.
type vaultCorpus struct{ v *vault.Vault }

func (c vaultCorpus) Notes(ctx context.Context) iter.Seq2[offline.Note, error] {
	return func(yield func(offline.Note, error) bool) {
		for e, err := range c.v.Notes(ctx) {
			if !yield(offline.Note{Path: e.Path, Size: e.Size, Modified: e.Modified}, err) {
				return
			}
		}
	}
}

func (c vaultCorpus) Read(ctx context.Context, p string) ([]byte, error) {
	f, err := c.v.Read(ctx, p)
	if err != nil {
		return nil, err
	}
	return f.Data, nil
}

// chat drives an engine as the agent loop does: rounds of tool calls with the real tools, a
// question ends the turn, the wrap-up call has no tools.
type chat struct {
	t        *testing.T
	dir      string
	v        *vault.Vault
	engine   *offline.Engine
	messages []llm.Message
	now      time.Time
	rounds   int      // limit
	calls    []string // of the last turn: name and target
	said     []string // messages sent mid-task in the last turn
	question string   // that ended the last turn
	box      *tools.Turn
}

var testNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)

// newChat opens a chat on a vault with these notes.
func newChat(t *testing.T, notes map[string]string) *chat {
	t.Helper()
	dir := t.TempDir()
	notes[".obsidian/app.json"] = `{"trashOption":"local"}`
	for p, text := range notes {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return openChat(t, dir)
}

func openChat(t *testing.T, dir string) *chat {
	t.Helper()
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	c := &chat{t: t, dir: dir, v: v, now: testNow, rounds: 10}
	c.engine = offline.New(offline.Options{Corpus: vaultCorpus{v}, Pace: -1})
	c.messages = []llm.Message{{Role: llm.RoleSystem, Content: "You are the agent."}}
	return c
}

// SendMessage implements tools.Messenger.
func (c *chat) SendMessage(_ context.Context, text string, isQuestion bool) error {
	if isQuestion {
		c.question = text
	} else {
		c.said = append(c.said, text)
	}
	return nil
}

// say sends a message and returns the answer, or the question the turn ended with.
func (c *chat) say(text string) string {
	c.t.Helper()
	c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: text, Time: c.now})
	c.calls, c.said, c.question = nil, nil, ""
	c.box = tools.NewRegistry(c.v, tools.Options{}).Turn(c)
	for round := 0; round <= c.rounds; round++ {
		req := llm.Request{Messages: c.messages}
		if round < c.rounds {
			for _, tool := range c.box.Tools() {
				req.Tools = append(req.Tools, llm.ToolSpec{Name: tool.Name(), Parameters: tool.Schema()})
			}
		}
		resp := c.stream(req)
		if resp.Text != "" || len(resp.ToolCalls) > 0 {
			c.messages = append(c.messages, llm.Message{Role: llm.RoleAssistant, Content: resp.Text, ToolCalls: resp.ToolCalls})
		}
		if len(resp.ToolCalls) == 0 {
			return resp.Text
		}
		for _, call := range resp.ToolCalls {
			r := c.box.Call(context.Background(), call.Name, json.RawMessage(call.Arguments))
			c.calls = append(c.calls, strings.TrimSpace(call.Name+" "+tools.Target(call.Name, json.RawMessage(call.Arguments))))
			c.messages = append(c.messages, llm.Message{Role: llm.RoleTool, Content: r.Text, ToolCallID: call.ID, ToolName: call.Name, IsError: r.IsError})
		}
		if c.question != "" {
			c.messages = append(c.messages, llm.Message{Role: llm.RoleAssistant, Content: c.question})
			return c.question
		}
	}
	c.t.Fatalf("no end to %q: %v", text, c.calls)
	return ""
}

func (c *chat) stream(req llm.Request) llm.Response {
	c.t.Helper()
	var resp llm.Response
	for chunk, err := range c.engine.Stream(context.Background(), req) {
		if err != nil {
			c.t.Fatal(err)
		}
		resp.Add(chunk)
	}
	if resp.Finish == "" {
		c.t.Fatal("the response has no finish reason")
	}
	ids := map[string]bool{}
	for _, m := range req.Messages {
		for _, call := range m.ToolCalls {
			ids[call.ID] = true
		}
	}
	for i := range resp.ToolCalls {
		for n := 2; ids[resp.ToolCalls[i].ID]; n++ { // as the agent does
			resp.ToolCalls[i].ID = fmt.Sprintf("%s-%d", resp.ToolCalls[i].ID, n)
		}
		ids[resp.ToolCalls[i].ID] = true
	}
	return resp
}

// file is the text of a note, "" where there is none.
func (c *chat) file(p string) string {
	b, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(p)))
	if err != nil {
		return ""
	}
	return string(b)
}
