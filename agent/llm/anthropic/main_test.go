package anthropic

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testKey must not occur in any text that a test inspects.
const testKey = "sk-ant-canary-0123456789"

func newProvider(t *testing.T, srv *llmtest.Server, change ...func(*endpoint.Options)) *endpoint.EventProvider {
	t.Helper()
	opts := endpoint.Options{Name: "anthropic", BaseURL: srv.URL(), APIKey: testKey, Model: "claude-sonnet-4-5", FirstByte: 20 * time.Second, Idle: 20 * time.Second}
	for _, c := range change {
		c(&opts)
	}
	p, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// collect reads a whole stream.
func collect(ctx context.Context, t *testing.T, p llm.Provider, req llm.Request) (llm.Response, *llm.Error) {
	t.Helper()
	var resp llm.Response
	var failed *llm.Error
	for c, err := range p.Stream(ctx, req) {
		if err != nil {
			if !errors.As(err, &failed) {
				t.Fatalf("the error is a %T", err)
			}
			continue
		}
		if resp.Finish != "" || failed != nil {
			t.Fatalf("a chunk after the end: %+v", c)
		}
		llmtest.Add(&resp, c)
	}
	if failed == nil && resp.Finish == "" {
		t.Fatal("the stream ended with neither finish reason nor error")
	}
	return resp, failed
}

var readNote = llm.ToolSpec{Name: "read_note", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}

func question(more ...llm.Message) llm.Request {
	return llm.Request{
		Messages: append([]llm.Message{
			{Role: llm.RoleSystem, Content: "You keep notes."},
			{Role: llm.RoleUser, Content: "hello"},
		}, more...),
		Tools: []llm.ToolSpec{readNote, {Name: "today", Description: "the date", Parameters: []byte(`{"type":"object"}`)}},
	}
}

// asMessages returns a response and the results of its calls as messages.
func asMessages(r llm.Response) []llm.Message {
	out := []llm.Message{{Role: llm.RoleAssistant, Content: r.Text, ToolCalls: r.ToolCalls, Echo: r.Echo}}
	for _, c := range r.ToolCalls {
		out = append(out, llm.Message{Role: llm.RoleTool, Content: "result of " + c.ID, ToolCallID: c.ID, ToolName: c.Name})
	}
	return out
}
