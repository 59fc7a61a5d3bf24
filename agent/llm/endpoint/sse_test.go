package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
)

var testBounds = bounds{line: 4 << 10, response: 64 << 10}

// normalise feeds body in pieces of n bytes.
func normalise(body string, n int) (string, error) {
	e := events{bounds: testBounds}
	for b := []byte(body); len(b) > 0; {
		k := min(n, len(b))
		if err := e.feed(b[:k]); err != nil {
			return string(e.out), err
		}
		b = b[k:]
	}
	err := e.finish()
	out := string(e.out)
	if e.done {
		out += "[DONE]\n"
	}
	return out, err
}

func TestEvents(t *testing.T) {
	const (
		a, b = `{"choices":[1]}`, `{"choices":[2]}`
		outA = "{\"choices\":[1]}\n"
		outB = "{\"choices\":[2]}\n"
		done = "[DONE]\n"
	)
	for name, c := range map[string]struct {
		body, out string
		err       string // part of the message; empty if no error
	}{
		"plain":                  {"data: " + a + "\n\ndata: " + b + "\n\ndata: [DONE]\n\n", outA + outB + done, ""},
		"no space, CRLF":         {"data:" + a + "\r\n\r\ndata:[DONE]\r\n\r\n", outA + done, ""},
		"CR":                     {"data: " + a + "\r\rdata: " + b + "\r", outA + outB, ""},
		"last line open":         {"data: " + a, outA, ""},
		"last line open, joined": {"data: {\ndata: \"choices\":[1]}", outA, ""},
		"comments and fields":    {": hi\nid: 1\nretry: 5\nevent: message\ndata: " + a + "\n\n:\n", outA, ""},
		"byte order mark":        {"\uFEFFdata: " + a + "\n\n", outA, ""},
		"joined":                 {"data: {\ndata: \"choices\":\ndata: [1]}\n\n", outA, ""},
		"no empty line between":  {"data: " + a + "\ndata: " + b + "\n", outA + outB, ""},
		"after done":             {"data: [DONE]\n\ndata: " + a + "\n\ndata: garbage\n\n", done, ""},
		"empty data":             {"data:\n\ndata: \n\ndata: " + a + "\n\n", outA, ""},
		"null":                   {"data: null\n\n", "", ""},
		"error null first":       {`data: {"error":null,"choices":[1]}` + "\n\n", `{"error":null,"choices":[1]}` + "\n", ""},
		"document":               {`{"choices":[1]}`, outA, ""},
		"document of lines":      {"{\n\"choices\":\n[1]}\n", outA, ""},
		"nothing":                {"", "", ""},
		"only comments":          {": a\n\n: b\n\n", "", ""},

		"error":              {"data: " + a + "\n\n" + `data: {"error":{"message":"boom"}}` + "\n", outA, "boom"},
		"error, Anthropic":   {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"boom\"}}\n\n", "", "boom"},
		"error, vLLM":        {`data: {"object":"error","message":"boom","code":400}` + "\n\n", "", "boom"},
		"error, FastAPI":     {`data: {"detail":[{"msg":"boom"}]}` + "\n\n", "", "boom"},
		"error by event":     {"event: error\ndata: {\"reason\":1,\"message\":\"boom\"}\n\n", "", "boom"},
		"error by event raw": {"event: error\ndata: boom went it\n\n", "", "boom went it"},
		"error, no data:":    {`{"error":{"message":"boom"}}` + "\n", "", "boom"},
		"error, lines":       {"data: " + a + "\n\n{\n\"error\": {\n\"message\": \"boom\"}}\n", outA, "boom"},
		"error, array":       {`[{"error":{"message":"boom"}}]`, "", "boom"},
		"garbage":            {"data: {\"x\n\n", "", "not JSON"},
		"garbage, open":      {"data: {\"x", "", "not JSON"},
		"string":             {"data: \"text\"\n\n", "", "not a JSON object"},
		"html":               {"<html><title>Log &amp; in</title></html>", "", "Log & in"},
		"long line":          {"data: " + strings.Repeat("a", 5<<10) + "\n", "", "longer than"},
		"long event":         {strings.Repeat("data: ["+strings.Repeat("1,", 500)+"\n", 5) + "\n", "", "longer than"},
		"long response":      {strings.Repeat(": "+strings.Repeat("a", 1<<10)+"\n", 70), "", "larger than"},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			out, err := normalise(c.body, n)
			if out != c.out || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s by %d: %q, %v; want %q, %q", name, n, out, err, c.out, c.err)
			}
		}
	}
}

// TestEventsRoundTrip: written events are read back unchanged, however they are framed and split.
func TestEventsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r", "\r\n"}).Draw(t, "line end")
		var body, want strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "events") {
			text, err := json.Marshal(rapid.String().Draw(t, "text"))
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "comment") {
				body.WriteString(": keep-alive" + end)
			}
			if rapid.Bool().Draw(t, "two lines") {
				body.WriteString(`data: {"choices":[],` + end + `data: "t":` + string(text) + `}` + end + end)
			} else {
				body.WriteString(`data:{"choices":[],"t":` + string(text) + `}` + end + end)
			}
			want.WriteString(`{"choices":[],"t":` + string(text) + "}\n")
		}
		got, err := normalise(body.String(), rapid.IntRange(1, 50).Draw(t, "piece"))
		if err != nil || got != want.String() {
			t.Fatalf("%q, %v; want %q", got, err, want.String())
		}
	})
}

func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "data:{\"a\":1}\r\rdata: x\r\n\r\n", ": c\nevent: error\ndata: boom\n\n",
		"{\"error\":\"x\"}", "data: {\ndata: }\n\n", "<html>", "\uFEFFdata: null\n", "data: {\"error\":null}\n\n", "[{\"error\":{}}]",
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, body string, piece int) {
		whole, wholeErr := normalise(body, len(body)+1)
		for line := range strings.Lines(whole) {
			if v := strings.TrimSuffix(line, "\n"); v != "[DONE]" && (!json.Valid([]byte(v)) || v[0] != '{') {
				t.Fatalf("line %q of %q", line, body)
			}
		}
		var e *llm.Error
		if wholeErr != nil && (!errors.As(wholeErr, &e) || e.Kind == "") {
			t.Fatalf("error %T %v", wholeErr, wholeErr)
		}
		pieces, piecesErr := normalise(body, 1+max(0, piece%64))
		if pieces != whole || (piecesErr == nil) != (wholeErr == nil) {
			t.Fatalf("%q whole: %q, %v; in pieces: %q, %v", body, whole, wholeErr, pieces, piecesErr)
		}
	})
}

func TestTidy(t *testing.T) {
	for in, want := range map[string]string{
		"  a\r\n\tb  ":            "a b",
		"x\x1b[2Jy":               "x[2Jy",
		"a\u202Eb\u200Bc":         "abc",
		"bad \xff byte":           "bad byte",
		"\x00":                    "",
		"Ünï 😀 日本":                "Ünï 😀 日本",
		strings.Repeat("ab", 300): strings.Repeat("ab", 250) + "…",
	} {
		if got := Tidy(in); got != want {
			t.Errorf("Tidy(%q) = %q, want %q", in, got, want)
		}
	}
	if got := snippet([]byte("<html><script>x</script><TITLE lang=en>Please\n log &amp; in</TITLE><p>Y</html>")); got != "Please log & in" {
		t.Errorf("snippet: %q", got)
	}
}

func TestDocument(t *testing.T) {
	for in, want := range map[string]string{
		`{"choices":[]}`:   "",
		`{"choices":[`:     "incomplete",
		`[1]`:              "not a JSON object",
		`{"error":"boom"}`: "boom",
	} {
		e := events{bounds: testBounds, doc: true}
		err := cmp.Or(e.feed([]byte(in)), e.finish())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
		if want == "" && !bytes.Equal(e.out, []byte("{\"choices\":[]}\n")) {
			t.Errorf("%s: %q", in, e.out)
		}
	}
}

func TestFinishReasons(t *testing.T) {
	for want, all := range map[llm.FinishReason][]string{
		llm.FinishStop:          {"stop", "end_turn", "stop_sequence", "eos", "STOP"},
		llm.FinishToolCalls:     {"tool_calls", "tool_use"},
		llm.FinishLength:        {"length", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"},
		llm.FinishRefusal:       {"refusal"},
		llm.FinishContentFilter: {"content_filter", "content-filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "content_filter: PROHIBITED_CONTENT", "sensitive", "guardrail_intervened", "ERROR_TOXIC"},
		llm.FinishCut:           {"insufficient_system_resource", "network_error", "engine_overloaded", "abort"},
		"":                      {""},
	} {
		for _, s := range all {
			if got := FinishReason(s); got != want {
				t.Errorf("%s: %q, not %q", s, got, want)
			}
		}
	}
}
