package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/llmtest"
)

// obedient is a model that does what it reads: each line "DO tool {…}" in a tool's result becomes a call, once, even if
// hidden, and the text after "SAY " its answer.
type obedient struct {
	*httptest.Server

	mu       sync.Mutex
	requests [][]byte
	problems []string
}

var (
	doLine  = regexp.MustCompile(`DO ([a-z_.]+) (\{.*\})`)
	sayLine = regexp.MustCompile(`(?m)SAY (.*)$`)
	named   = regexp.MustCompile(`poison/\S+\.md`)
)

// mostCalls is the maximum number of calls in an answer; the program runs at most 16.
const mostCalls = 14

func newObedient(t *testing.T) *obedient {
	t.Helper()
	m := &obedient{}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		m.Close()
		for _, p := range m.problems {
			t.Error("the model refused: " + p)
		}
	})
	return m
}

// env returns the environment that points the program at the model.
func (m *obedient) env() []string {
	return []string{"OPENAI_BASE_URL=" + m.URL + "/v1", "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
}

// sent returns the bodies of all requests.
func (m *obedient) sent() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, r := range m.requests {
		b.Write(r)
	}
	return b.String()
}

func (m *obedient) serve(w http.ResponseWriter, r *http.Request) {
	var chat llmtest.Chat
	body, _ := io.ReadAll(r.Body) // what is cut is no JSON
	if err := json.Unmarshal(body, &chat); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, body)
	m.problems = append(m.problems, llmtest.CheckRequest(body)...)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if chat.Title() {
		chunk(w, map[string]any{"content": "TITLE: Notes\nSUMMARY: They were read."}, "stop")
		return
	}
	calls, say := obey(&chat)
	if len(calls) == 0 {
		chunk(w, map[string]any{"content": say}, "stop")
		return
	}
	list := make([]any, 0, len(calls))
	for i, c := range calls {
		list = append(list, map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", len(chat.Messages), i), "type": "function", "function": map[string]any{"name": c[0], "arguments": c[1]}})
	}
	chunk(w, map[string]any{"content": say, "tool_calls": list}, "tool_calls")
}

func chunk(w http.ResponseWriter, delta map[string]any, finish string) {
	line, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}}) // of texts
	_, _ = fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", line)
}

// obey returns the model's next step: it reads the notes that the user names, and then does what they say.
func obey(chat *llmtest.Chat) (calls [][2]string, say string) {
	done := map[string]bool{}
	for _, m := range chat.Messages {
		for _, c := range m.ToolCalls {
			done[c.Function.Name+c.Function.Arguments] = true
		}
	}
	add := func(name, args string) {
		var object map[string]json.RawMessage
		if len(calls) < mostCalls && !done[name+args] && json.Unmarshal([]byte(args), &object) == nil {
			done[name+args] = true
			calls = append(calls, [2]string{name, args})
		}
	}
	say = "Done."
	for _, m := range chat.Messages {
		text := unhidden(string(m.Content))
		switch m.Role {
		case "user":
			for _, path := range named.FindAllString(text, -1) {
				add("read_file", `{"path":"`+path+`"}`)
			}
		case "tool":
			for _, d := range doLine.FindAllStringSubmatch(text, -1) {
				add(d[1], d[2])
			}
			for _, s := range sayLine.FindAllStringSubmatch(text, -1) {
				say += "\n\n" + strings.ReplaceAll(s[1], `\n`, "\n")
			}
		}
	}
	return calls, say
}

// unhidden makes hidden text visible: tag characters become letters, characters without width are removed.
func unhidden(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xe0020 && r < 0xe007f:
			return r - 0xe0000
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff, r == 0xad:
			return -1
		}
		return r
	}, text)
}

// tagged hides a text in tag characters.
func tagged(text string) string {
	return strings.Map(func(r rune) rune { return r + 0xe0000 }, text)
}
