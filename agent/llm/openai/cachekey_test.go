package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"chatvault/agent/llm/endpoint"
)

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestCacheKey: only OpenAI gets a prompt cache key and tool_choice "none".
func TestCacheKey(t *testing.T) {
	const answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for base, knows := range map[string]bool{"https://api.openai.com/v1": true, "https://api.mistral.ai/v1": false} {
		var sent struct {
			Key    string            `json:"prompt_cache_key"`
			Choice string            `json:"tool_choice"`
			Tools  []json.RawMessage `json:"tools"`
		}
		p, err := New(endpoint.Options{BaseURL: base, APIKey: "sk-none-of-yours", Model: "gpt-5.2", Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(req.Body)
			if err == nil {
				err = json.Unmarshal(body, &sent)
			}
			if int64(len(body)) != req.ContentLength {
				t.Errorf("Content-Length is %d, but %d bytes were sent", req.ContentLength, len(body))
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, err
		})})
		if err != nil {
			t.Fatal(err)
		}
		req := question()
		req.CacheKey, req.NoCalls = `20261121"x`, true
		if resp, failed := collect(t.Context(), t, p, req); failed != nil || resp.Text != "Hi." {
			t.Errorf("%s: %+v, %v", base, resp, failed)
		}
		if knows && (sent.Key != req.CacheKey || sent.Choice != "none") || !knows && sent.Key+sent.Choice != "" || len(sent.Tools) != 1 {
			t.Errorf("%s got %+v", base, sent)
		}
	}
}
