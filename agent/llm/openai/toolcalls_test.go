package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

func part(t interface{ Fatal(...any) }, doc string) toolPart {
	var p toolPart
	if err := json.Unmarshal([]byte(doc), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// assemble joins the parts as the stream's reader does.
func assemble(t interface{ Fatal(...any) }, a *assembler, docs ...string) ([]llm.ToolCall, error) {
	var r llm.Response
	for _, d := range docs {
		deltas, err := a.add(part(t, d))
		if err != nil {
			return nil, err
		}
		for i := range deltas {
			llmtest.Add(&r, llm.Chunk{ToolCall: &deltas[i]})
		}
	}
	for _, d := range a.rest() {
		llmtest.Add(&r, llm.Chunk{ToolCall: &d})
	}
	return r.ToolCalls, nil
}

func TestAssembler(t *testing.T) {
	for name, c := range map[string]struct {
		parts []string
		want  string // NAME ARGS; …
	}{
		"streamed":             {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"x\""}}`, `{"index":0,"function":{"arguments":":1}"}}`}, `f {"x":1}`},
		"name in each":         {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":""}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}`}, `f {"x":1}`},
		"interleaved":          {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`, `{"index":0,"function":{"arguments":"}"}}`, `{"index":1,"function":{"arguments":"}"}}`}, `f {}; g {}`},
		"index from 1":         {[]string{`{"index":1,"id":"a","function":{"name":"f","arguments":"{}"}}`}, `f {}`},
		"no index, by id":      {[]string{`{"id":"a","function":{"name":"f","arguments":"{"}}`, `{"id":"b","function":{"name":"g","arguments":"{"}}`, `{"id":"a","function":{"arguments":"}"}}`, `{"id":"b","function":{"arguments":"}"}}`}, `f {}; g {}`},
		"no index, no id":      {[]string{`{"function":{"name":"f","arguments":"{"}}`, `{"function":{"arguments":"}"}}`, `{"function":{"name":"g","arguments":"{}"}}`}, `f {}; g {}`},
		"whole, index 0":       {[]string{`{"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}}`, `{"index":0,"function":{"name":"f","arguments":"{\"x\":2}"}}`}, `f {"x":1}; f {"x":2}`},
		"same id, two indexes": {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":1,"id":"a","function":{"name":"g","arguments":"{}"}}`}, `f {}; g {}`},
		"index drifts":         {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":1,"id":"a","function":{"arguments":"}"}}`}, `f {}`},
		"summary":              {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"1}"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}`}, `f {"x":1}`},
		"late id":              {[]string{`{"index":0,"function":{"name":"f","arguments":""}}`, `{"index":0,"id":"a","function":{"arguments":"{}"}}`}, `f {}`},
		"no arguments":         {[]string{`{"index":0,"id":"a","function":{"name":"f"}}`, `{"index":1,"id":"b","function":{"name":"g","arguments":null}}`}, `f {}; g {}`},
		"arguments first":      {[]string{`{"index":0,"id":"a","function":{"arguments":"{}"}}`}, ` {}`},
		"object":               {[]string{`{"index":"0","id":7,"function":{"name":"f","arguments":{"x":[1]}}}`}, `f {"x":[1]}`},
	} {
		got, err := assemble(t, newAssembler(llm.Request{}, 1<<10), c.parts...)
		var all []string
		for _, g := range got {
			all = append(all, g.Name+" "+g.Arguments)
		}
		if s := strings.Join(all, "; "); s != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", name, s, err, c.want)
		}
	}
}

func TestAssemblerBounds(t *testing.T) {
	a := newAssembler(llm.Request{}, 10)
	_, err := assemble(t, a, `{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}`, `{"index":0,"function":{"arguments":"12345678}"}}`)
	if e := llm.AsError(err); e == nil || e.Reason != llm.ReasonTooLarge {
		t.Errorf("large arguments: %v", err)
	}
	var many []string
	for i := range 256 + 1 {
		many = append(many, fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}`, i, i))
	}
	if got, err := assemble(t, newAssembler(llm.Request{}, 1<<10), many[:256]...); err != nil || len(got) != 256 {
		t.Errorf("%d calls, %v", len(got), err)
	}
	_, err = assemble(t, newAssembler(llm.Request{}, 1<<10), many...)
	if e := llm.AsError(err); e == nil || e.Reason != llm.ReasonTooLarge {
		t.Errorf("many calls: %v", err)
	}
}

// TestAssemblerProperty: valid streamed calls arrive complete, however their arguments are split and the calls
// interleaved.
func TestAssemblerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "calls")
		want := make([]string, n)
		left := make([]string, n)
		var docs []string
		for i := range n {
			value, err := json.Marshal(rapid.String().Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			want[i] = fmt.Sprintf(`{"n":%d,"v":%s}`, i, value)
			left[i] = want[i]
			docs = append(docs, fmt.Sprintf(`{"index":%d,"id":"id%d","function":{"name":"tool%d","arguments":""}}`, i, i, i))
		}
		for strings.Join(left, "") != "" {
			i := rapid.IntRange(0, n-1).Draw(t, "which")
			if left[i] == "" {
				continue
			}
			k := rapid.IntRange(1, len([]rune(left[i]))).Draw(t, "runes")
			piece := string([]rune(left[i])[:k])
			left[i] = left[i][len(piece):]
			text, err := json.Marshal(piece)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, fmt.Sprintf(`{"index":%d,"function":{"arguments":%s}}`, i, text))
		}
		got, err := assemble(t, newAssembler(llm.Request{}, 1<<20), docs...)
		if err != nil || len(got) != n {
			t.Fatalf("%d calls, %v", len(got), err)
		}
		for i, c := range got {
			if c.Arguments != want[i] || c.Name != fmt.Sprintf("tool%d", i) || c.ID != fmt.Sprintf("id%d", i) {
				t.Fatalf("call %d: %+v, want %s", i, c, want[i])
			}
		}
	})
}
