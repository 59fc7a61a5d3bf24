package openai

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
const testKey = "sk-canary-0123456789abcdef"

// newProvider returns a provider at srv with short timeouts; change may alter its options.
func newProvider(t *testing.T, srv *llmtest.Server, change ...func(*endpoint.Options)) *Provider {
	t.Helper()
	opts := endpoint.Options{
		Name: "test", BaseURL: srv.URL(), APIKey: testKey, Model: "m",
		FirstByte: 5 * time.Second, Idle: 5 * time.Second,
	}
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

func question() llm.Request {
	return llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You keep notes."},
			{Role: llm.RoleUser, Content: "hello"},
		},
		Tools: []llm.ToolSpec{{Name: "read_note", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}
}

// collect reads a whole stream. It fails the test if the stream violates the contract of llm.Provider.
func collect(ctx context.Context, t *testing.T, p *Provider, req llm.Request) (llm.Response, *llm.Error) {
	t.Helper()
	var resp llm.Response
	var failed *llm.Error
	seen := 0
	for c, err := range p.Stream(ctx, req) {
		if failed != nil {
			t.Fatalf("a chunk after the error: %+v", c)
		}
		if err != nil {
			if !errors.As(err, &failed) {
				t.Fatalf("the error is a %T", err)
			}
			if c.Text != "" || c.ToolCall != nil || c.Finish != "" {
				t.Fatalf("the error comes with %+v", c)
			}
			continue
		}
		if resp.Finish != "" {
			t.Fatalf("a chunk after the finish reason: %+v", c)
		}
		if d := c.ToolCall; d != nil {
			switch {
			case d.Index > seen:
				t.Fatalf("call %d came before call %d", d.Index, seen)
			case d.Index == seen:
				seen++
			case d.ID != "" || d.Name != "":
				t.Fatalf("call %d changes its id or name: %+v", d.Index, d)
			}
		}
		llmtest.Add(&resp, c)
	}
	if failed == nil && resp.Finish == "" {
		t.Fatal("the stream ended with neither finish reason nor error")
	}
	return resp, failed
}
