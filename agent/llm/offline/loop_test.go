package offline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/llmtest"
	"chatvault/tools"
	"chatvault/vault"
)

// vaultCorpus gives the engine the notes of a vault.
type vaultCorpus struct{ v *vault.Vault }

func (c vaultCorpus) Notes(ctx context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		for e, err := range c.v.Notes(ctx) {
			if !yield(retrieval.Note{Path: e.Path, Size: e.Size, Modified: e.Modified}, err) {
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

func (c vaultCorpus) Head(ctx context.Context, p string, max int) ([]byte, error) {
	return c.v.Head(ctx, p, max)
}

func (vaultCorpus) Mark(context.Context) any { return nil }

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

	full     bool                              // ask_user, task_list and delegate are offered too
	purpose  llm.Purpose                       // of the calls
	context  string                            // beside the next message
	offers   func(round int, tool string) bool // nil: every tool
	fold     map[int]string                    // what the user says before a round
	deny     func(tools.Proposal) error        // nil: every change may happen
	take     []int                             // with deny: of a change in parts those that may happen; nil: all
	options  []string                          // of the question that ended the last turn
	lists    []string                          // shown in the last turn: "x" for each step that is done, "-" for others
	tasks    []tools.TaskItem
	requests int // model calls of the last turn
	nested   int // that sub-agents answered
}

// helper offers what a full program does.
type helper struct{ *chat }

// AskUser implements tools.Asker.
func (c helper) AskUser(_ context.Context, question string, options []string) error {
	c.question, c.options = question, options
	return nil
}

// SetTasks implements tools.TaskLister.
func (c helper) SetTasks(_ context.Context, items []tools.TaskItem) error {
	line := ""
	for _, i := range items {
		line += map[bool]string{true: "x", false: "-"}[i.Done]
	}
	c.lists, c.tasks = append(c.lists, line), items
	return nil
}

// Delegate implements tools.Delegator: the sub-agent is an engine of its own, with tools that read.
func (c helper) Delegate(_ context.Context, task string) (string, error) {
	sub := &chat{t: c.t, dir: c.dir, v: c.v, now: c.now, rounds: 8, engine: c.engine, purpose: llm.PurposeDelegate}
	sub.messages = []llm.Message{{Role: llm.RoleSystem, Content: "You are a sub-agent."}}
	sub.offers = func(_ int, tool string) bool {
		switch tool {
		case "read_file", "search_files", "list_files", "get_file_info", "list_tasks", "get_links", "get_outline":
			return true
		}
		return false
	}
	c.nested++
	return sub.say(task), nil
}

// guarded is a helper whose changes may be denied.
type guarded struct{ helper }

// Approve implements tools.Approver.
func (c guarded) Consents() bool { return true }

func (c guarded) Approve(_ context.Context, p tools.Proposal) (tools.Consent, error) {
	var consent tools.Consent
	if p.Pick {
		consent.Hunks = c.take
	}
	return consent, c.deny(p)
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
	c.engine = offline.NewAt(retrieval.NewIndex(vaultCorpus{v}), func() time.Time { return testNow })
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
	c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: text, Time: c.now, Context: c.context})
	c.calls, c.said, c.question, c.options, c.lists, c.requests, c.context = nil, nil, "", nil, nil, 0, ""
	var m tools.Messenger = c
	if c.full {
		m = helper{c}
	}
	if c.deny != nil {
		m = guarded{helper{c}}
	}
	c.box = tools.NewRegistry(c.v, tools.Options{}).Turn(m)
	for round := 0; round <= c.rounds; round++ {
		if say := c.fold[round]; say != "" && round < c.rounds {
			c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: say, Time: c.now})
		}
		req := llm.Request{Purpose: c.purpose, Messages: c.messages}
		if round < c.rounds {
			for _, tool := range c.box.Tools() {
				if c.offers == nil || c.offers(round, tool.Name()) {
					req.Tools = append(req.Tools, llm.ToolSpec{Name: tool.Name(), Parameters: tool.Schema()})
				}
			}
		} else {
			last := &c.messages[len(c.messages)-1]
			was := last.Content
			last.Content += "\n\n[The limit of rounds of tool calls is reached: no tool can be called any more in this turn. Tell the user in a few words what is done, what is left, and that “continue” goes on.]"
			defer func() { last.Content = was }() // the record does not hold it
		}
		c.requests++
		resp := c.stream(req)
		if resp.Text != "" || len(resp.ToolCalls) > 0 {
			c.messages = append(c.messages, llm.Message{Role: llm.RoleAssistant, Content: resp.Text, ToolCalls: resp.ToolCalls})
		}
		if len(resp.ToolCalls) == 0 {
			return resp.Text
		}
		for _, call := range resp.ToolCalls {
			if c.question != "" {
				c.t.Fatalf("%q: %s is called after a question", text, call.Name)
			}
			if !slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == call.Name }) {
				c.t.Errorf("%q: %s is called, and not offered", text, call.Name)
			}
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
		llmtest.Add(&resp, chunk)
	}
	if resp.Finish == "" {
		c.t.Fatal("the response has no finish reason")
	}
	if strings.TrimSpace(resp.Text) == "" && len(resp.ToolCalls) == 0 {
		c.t.Error("an empty answer")
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
