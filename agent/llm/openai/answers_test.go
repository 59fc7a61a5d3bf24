package openai

import (
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// TestAnswers: endpoints get the form of an answer where it does not keep the model from calling tools.
func TestAnswers(t *testing.T) {
	form := []byte(`{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":["integer","null"]}},"required":["a"]}`)
	for _, e := range llmtest.Endpoints {
		srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf(e.Name)}, llmtest.Reply("ok"), llmtest.Reply("ok"))
		p := newProvider(t, srv, func(o *endpoint.Options) { o.Name, o.Model = e.Name, e.Model })
		req := llm.Request{Messages: question().Messages, Tools: offered, Answer: form}
		for i, last := range []bool{false, true} {
			req.NoCalls = last
			if _, failed := collect(t.Context(), t, p, req); failed != nil {
				t.Errorf("%s: %v", e.Name, failed)
				continue
			}
			sent := strings.Contains(string(srv.Requests()[i].Body), `"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object"`)
			if want := last || dialect.For(e.Name, "http://127.0.0.1", e.Model).AnswerWithTools; sent != want {
				t.Errorf("%s, last call %v: sent is %v", e.Name, last, sent)
			}
		}
	}
}
