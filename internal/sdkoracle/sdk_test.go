package sdkoracle

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkoption "github.com/anthropics/anthropic-sdk-go/option"
	oai "github.com/openai/openai-go/v3"
	oaioption "github.com/openai/openai-go/v3/option"
	oairesponses "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"chatvault/agent/llm"
	"chatvault/agent/llm/anthropic"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/openai"
	"chatvault/agent/llm/responses"
	"chatvault/internal/base/picture"
	"chatvault/internal/llmtest"
)

// steps returns the script of a turn with all features of an API: reasoning, text, parallel calls, and various
// arguments.
func steps() []llmtest.Step {
	return []llmtest.Step{
		llmtest.Say(
			llmtest.Reasoning("First <look> & \"quote\".\nThen ünï \u2028."), llmtest.Text("Looking."),
			llmtest.Call("read_note", map[string]any{"path": "a<b>.md", "lines": []int{1, 2}}), llmtest.Call("today", map[string]any{}),
			llmtest.Reasoning("And more."), llmtest.Call("read_note", map[string]any{"path": "ü.md"})),
		llmtest.Reply("Done."),
	}
}

// media returns a picture that is prepared for a request. w and h are in pixels.
func media(name string, w, h int) llm.Media {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))) // encoding to a buffer cannot fail
	i, data, _ := picture.Prepare(context.Background(), b.Bytes())
	return llm.Media{Info: i, Name: name, Data: data}
}

// shown are the media in each of the requests that converse makes.
var shown = [][]string{
	{"[image/png 40×30]", "[application/pdf]"},
	{"[image/png 40×30]", "[application/pdf]", "[image/png 4×3]", "[image/png 4×3]"},
	{"[image/png 40×30]", "[application/pdf]", "[image/png 4×3]", "[image/png 4×3]"},
}

func request() llm.Request {
	return llm.Request{
		MaxTokens: 2000,
		CacheKey:  "c1",
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You keep notes."},
			{Role: llm.RoleUser, Content: "hello", Media: []llm.Media{media("Scans/a.png", 40, 30), {Info: picture.Info{Kind: "PDF", Type: picture.PDF}, Name: "b/report.pdf", Data: []byte("%PDF-1.7")}}},
		},
		Tools: []llm.ToolSpec{
			{Name: "read_note", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}},"required":["path"]}`)},
			{Name: "today", Description: "the date", Parameters: []byte(`{"type":"object"}`)},
		},
	}
}

// converse makes the two model calls of a turn and a third one with NoCalls set. It returns the responses.
func converse(t *testing.T, p llm.Provider) []llm.Response {
	t.Helper()
	req := request()
	var out []llm.Response
	for call := range 3 {
		var resp llm.Response
		for c, err := range p.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
			llmtest.Add(&resp, c)
		}
		out = append(out, resp)
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleAssistant, Content: resp.Text, ToolCalls: resp.ToolCalls, Echo: resp.Echo})
		for _, c := range resp.ToolCalls {
			m := llm.Message{Role: llm.RoleTool, Content: "result", ToolCallID: c.ID, ToolName: c.Name, IsError: c.Name == "today"}
			if !m.IsError {
				m.Media = []llm.Media{media("c.png", 4, 3)}
			}
			req.Messages = append(req.Messages, m)
		}
		if len(resp.ToolCalls) == 0 {
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: "and?"})
		}
		req.NoCalls = call > 0
	}
	return out
}

// without returns a JSON object without some of its fields.
func without(t *testing.T, body []byte, fields ...string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		delete(v, f)
	}
	return v
}

func same(t *testing.T, what string, sent, known map[string]any) {
	t.Helper()
	if !reflect.DeepEqual(sent, known) {
		a, _ := json.Marshal(sent)
		b, _ := json.Marshal(known)
		t.Errorf("%s is sent as\n%s\nthe SDK knows\n%s", what, a, b)
	}
}

// TestMessagesRequests checks that a request to the Messages API is unchanged after decoding and encoding it
// with the SDK.
func TestMessagesRequests(t *testing.T) {
	for _, o := range []struct{ model, effort string }{{"claude-sonnet-4-5", "medium"}, {"claude-opus-4-8", "xhigh"}, {"claude-opus-4-8", "none"}, {"claude-sonnet-4-5", ""}} {
		srv := llmtest.New(t, append(steps(), llmtest.Reply("Yes."))...)
		p, err := anthropic.New(endpoint.Options{Name: "anthropic", BaseURL: srv.URL(), APIKey: "k", Model: o.model, Effort: o.effort})
		if err != nil {
			t.Fatal(err)
		}
		converse(t, p)
		p.Close()
		for i, r := range srv.Requests() {
			if got := r.Media(); !slices.Equal(got, shown[i]) {
				t.Errorf("%s shows %v", o.model, got)
			}
			var params sdk.MessageNewParams
			if err := json.Unmarshal(r.Body, &params); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			same(t, o.model+" "+o.effort, without(t, r.Body, "stream"), without(t, again))
		}
	}
}

// TestMessagesAnswers checks that the SDK and chatvault read the same from the scripted server's answers in the
// Messages API.
func TestMessagesAnswers(t *testing.T) {
	srv := llmtest.New(t, steps()[:1]...)
	client := sdk.NewClient(sdkoption.WithBaseURL(strings.TrimSuffix(srv.URL(), "/v1")), sdkoption.WithAPIKey("k"), sdkoption.WithMaxRetries(0))
	stream := client.Messages.NewStreaming(context.Background(), sdk.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 1000, Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock("hello"))},
		Tools: []sdk.ToolUnionParam{{OfTool: &sdk.ToolParam{Name: "read_note", InputSchema: sdk.ToolInputSchemaParam{Properties: map[string]any{}}}}},
	})
	var whole sdk.Message
	for stream.Next() {
		if err := whole.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	var text, thought string
	var calls []llm.ToolCall
	for _, b := range whole.Content {
		switch b := b.AsAny().(type) {
		case sdk.TextBlock:
			text += b.Text
		case sdk.ThinkingBlock:
			thought += b.Thinking
			if b.Signature == "" {
				t.Error("thoughts are not signed")
			}
		case sdk.ToolUseBlock:
			calls = append(calls, llm.ToolCall{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		}
	}
	other := llmtest.New(t, append(steps(), llmtest.Reply("Yes."))...)
	p, err := anthropic.New(endpoint.Options{Name: "anthropic", BaseURL: other.URL(), APIKey: "k", Model: "claude-sonnet-4-5"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ours := converse(t, p)[0]
	compare(t, ours, text, thought, calls)
	if whole.StopReason != sdk.StopReasonToolUse || int(whole.Usage.OutputTokens) != ours.Usage.CompletionTokens || whole.Usage.CacheCreationInputTokens != 0 {
		t.Errorf("%v %+v", whole.StopReason, whole.Usage)
	}
}

func compare(t *testing.T, ours llm.Response, text, thought string, calls []llm.ToolCall) {
	t.Helper()
	if ours.Text != text || strings.ReplaceAll(ours.Reasoning, "\n\n", "") != strings.ReplaceAll(thought, "\n\n", "") {
		t.Errorf("%q, %q; the SDK reads %q, %q", ours.Text, ours.Reasoning, text, thought)
	}
	if len(ours.ToolCalls) != len(calls) || len(calls) != 3 {
		t.Fatalf("%v; the SDK reads %v", ours.ToolCalls, calls)
	}
	for i, c := range calls {
		var a, b any
		if json.Unmarshal([]byte(c.Arguments), &a) != nil || json.Unmarshal([]byte(ours.ToolCalls[i].Arguments), &b) != nil || !reflect.DeepEqual(a, b) || c.Name != ours.ToolCalls[i].Name {
			t.Errorf("call %d: %v; the SDK reads %v", i, ours.ToolCalls[i], c)
		}
	}
}

// TestResponsesRequests checks that a request to the Responses API is unchanged after decoding and encoding it
// with the SDK.
func TestResponsesRequests(t *testing.T) {
	for _, o := range []struct{ model, effort string }{{"gpt-6-sol", "xhigh"}, {"gpt-5.6", "none"}, {"gpt-5.4", ""}, {"gpt-4o", ""}} {
		srv := llmtest.New(t, append(steps(), llmtest.Reply("Yes."))...)
		p, err := responses.New(endpoint.Options{Name: "openai", BaseURL: srv.URL(), APIKey: "k", Model: o.model, Effort: o.effort})
		if err != nil {
			t.Fatal(err)
		}
		converse(t, p)
		p.Close()
		for i, r := range srv.Requests() {
			if got := r.Media(); !slices.Equal(got, shown[i]) {
				t.Errorf("%s shows %v", o.model, got)
			}
			var params oairesponses.ResponseNewParams
			if err := json.Unmarshal(r.Body, &params); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			same(t, o.model+" "+o.effort, without(t, r.Body, "stream"), without(t, again))
		}
	}
}

// TestChatRequests checks that a chat completions request is unchanged after decoding and encoding it with the
// SDK. Tool messages contain only text there, so the media that tools return follow in another message.
func TestChatRequests(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf("openai")}, append(steps(), llmtest.Reply("Yes."))...)
	p, err := openai.New(endpoint.Options{Name: "openai", BaseURL: srv.URL(), APIKey: "k", Model: "gpt-5.6"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	converse(t, p)
	for i, r := range srv.Requests() {
		var params oai.ChatCompletionNewParams
		if err := json.Unmarshal(r.Body, &params); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "a chat completion", without(t, r.Body, "stream"), without(t, again))
		if got := r.Media(); !slices.Equal(got, shown[i]) {
			t.Errorf("call %d shows %v", i, got)
		}
	}
}

// TestResponsesAnswers checks that the SDK and chatvault read the same from the scripted server's answers in
// the Responses API.
func TestResponsesAnswers(t *testing.T) {
	srv := llmtest.New(t, steps()[:1]...)
	client := oai.NewClient(oaioption.WithBaseURL(srv.URL()), oaioption.WithAPIKey("k"), oaioption.WithMaxRetries(0))
	stream := client.Responses.NewStreaming(context.Background(), oairesponses.ResponseNewParams{
		Model: "gpt-6-sol", Store: oai.Bool(false), Reasoning: shared.ReasoningParam{Effort: "low"},
		Include: []oairesponses.ResponseIncludable{oairesponses.ResponseIncludableReasoningEncryptedContent},
		Input: oairesponses.ResponseNewParamsInputUnion{OfInputItemList: oairesponses.ResponseInputParam{
			{OfMessage: &oairesponses.EasyInputMessageParam{Type: "message", Role: "user", Content: oairesponses.EasyInputMessageContentUnionParam{OfString: oai.String("hello")}}},
		}},
	})
	var whole oairesponses.Response
	text, thought := "", ""
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case oairesponses.ResponseTextDeltaEvent:
			text += e.Delta
		case oairesponses.ResponseReasoningSummaryTextDeltaEvent:
			thought += e.Delta
		case oairesponses.ResponseCompletedEvent:
			whole = e.Response
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	var calls []llm.ToolCall
	for _, it := range whole.Output {
		switch it := it.AsAny().(type) {
		case oairesponses.ResponseFunctionToolCall:
			calls = append(calls, llm.ToolCall{ID: it.CallID, Name: it.Name, Arguments: it.Arguments})
		case oairesponses.ResponseReasoningItem:
			if it.EncryptedContent == "" {
				t.Error("reasoning is not encrypted")
			}
		}
	}
	other := llmtest.New(t, append(steps(), llmtest.Reply("Yes."))...)
	p, err := responses.New(endpoint.Options{Name: "openai", BaseURL: other.URL(), APIKey: "k", Model: "gpt-6-sol"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ours := converse(t, p)[0]
	compare(t, ours, text, thought, calls)
	if whole.Status != "completed" || int(whole.Usage.OutputTokens) != ours.Usage.CompletionTokens {
		t.Errorf("%v %+v", whole.Status, whole.Usage)
	}
}
