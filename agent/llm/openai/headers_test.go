package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"chatvault/agent/llm/endpoint"
)

// TestHeaders: configured headers are sent with calls to the endpoint's host.
func TestHeaders(t *testing.T) {
	const answer = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	got := map[string]string{}
	p, err := New(endpoint.Options{BaseURL: "https://gate.example/v1", Model: "m", Headers: map[string]string{"X-Team": "garden", "User-Agent": "mine"}, Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		got[req.Method] = req.Header.Get("X-Team") + " " + req.Header.Get("User-Agent")
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, failed := collect(t.Context(), t, p, question()); failed != nil {
		t.Fatal(failed)
	}
	if got["POST"] != "garden mine" {
		t.Errorf("%v", got)
	}
}
