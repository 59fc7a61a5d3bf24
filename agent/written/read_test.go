package written

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"chatvault/agent/llm"
)

// recorded is a message of a real model, with the intended calls if they were clear.
type recorded struct {
	Text  string
	Calls [][2]any
}

func readCorpus(t *testing.T) (all []recorded) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/written_calls.json")
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cutAt is the length at which recordings were truncated.
const cutAt = 400

// loose returns tools of the given names that accept any arguments.
func loose(names ...string) (out []llm.ToolSpec) {
	for _, n := range names {
		out = append(out, llm.ToolSpec{Name: n, Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"},"text":{"type":"string"},"heading":{"type":"string"},"new_path":{"type":"string"},"key":{"type":"string"},"value":{"type":"string"},"old_text":{"type":"string"},"new_text":{"type":"string"},"query":{"type":"string"},"tag":{"type":"string"},"property":{"type":"string"},"max_results":{"type":"integer"},"items":{"type":"array"}}}`)})
	}
	return out
}

func TestRecordedCalls(t *testing.T) {
	tools := loose("create_note", "append_text", "move_note", "set_property", "replace_text", "delete_note", "read_note", "search", "notes_with")
	n := 0
	for _, r := range readCorpus(t) {
		if r.Calls == nil {
			continue
		}
		n++
		if len(r.Text) >= cutAt && len(r.Calls) == 1 {
			continue // cut within its only call
		}
		_, calls := Read(r.Text, tools)
		var want [][2]any
		for _, c := range r.Calls {
			if len(want) == 0 || !reflect.DeepEqual(want[len(want)-1], c) {
				want = append(want, c)
			}
		}
		if len(r.Text) >= cutAt && len(calls) > 0 && len(want) > len(calls) {
			want = want[:len(calls)] // the recording is truncated
		}
		if len(calls) != len(want) {
			t.Errorf("%s\n%d calls, want %d", r.Text, len(calls), len(want))
			continue
		}
		for i, c := range calls {
			var args any
			if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil || c.Name != want[i][0] || !reflect.DeepEqual(args, want[i][1]) {
				t.Errorf("%s\n%s %s, want %v", r.Text, c.Name, c.Arguments, want[i])
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d recordings have calls", n)
	}
}

func spec(name, schema string) llm.ToolSpec {
	return llm.ToolSpec{Name: name, Parameters: json.RawMessage(schema)}
}

var offered = []llm.ToolSpec{
	spec("read_file", `{"type":"object","properties":{"path":{"type":"string"},"start_line":{"type":"integer"}},"required":["path"]}`),
	spec("edit_file", `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array"}},"required":["path"]}`),
	spec("get_tags", `{"type":"object","properties":{}}`),
}

const dash = "```"

func TestForms(t *testing.T) {
	const want = `read_file {"path":"A b.md"}`
	for _, answer := range []string{
		`{"name": "read_file", "arguments": {"path": "A b.md"}}`,
		`{"function": "read_file", "parameters": {"path": "A b.md"}}`,
		`{"tool": "read_file", "args": {"path": "A b.md"}}`,
		`{"name": "read_file", "arguments": "{\"path\": \"A b.md\"}"}`,
		`{"type": "function", "function": {"name": "read_file", "arguments": {"path": "A b.md"}}}`,
		`{"tool_calls": [{"function": {"name": "read_file", "arguments": "{\"path\":\"A b.md\"}"}}]}`,
		`{{"name": "read_file", "arguments": {"path": "A b.md"}}}`,
		`{{"name": "read_file", "arguments": {"path": "A b.md"}}}}`,
		`[{"name": "read_file", "arguments": {"path": "A b.md"}}]`,
		dash + "json\n" + `{"name": "read_file", "arguments": {"path": "A b.md"}}` + "\n" + dash,
		dash + "\n" + `{"name": "read_file", "arguments": {"path": "A b.md"}}` + "\n" + dash,
		`<tool_call>{"name": "read_file", "arguments": {"path": "A b.md"}}</tool_call>`,
		"<tool_call>\n" + `{"name": "read_file", "arguments": {"path": "A b.md"}}`,
		`<tools>{"name": "read_file", "arguments": {"path": "A b.md"}}</tools>`,
		`<function=read_file>{"path": "A b.md"}</function>`,
		"<tool_call>\n<function=read_file>\n<parameter=path>\nA b.md\n</parameter>\n</function>\n</tool_call>",
		"<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">A b.md</parameter>\n</invoke>\n</function_calls>",
		`[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "A b.md"}}]`,
		`[TOOL_CALLS]read_file[ARGS]{"path": "A b.md"}`,
		`[TOOL_CALLS]read_file{"path": "A b.md"}`,
		`<|python_tag|>{"name": "read_file", "parameters": {"path": "A b.md"}}`,
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n" + dash + "json\n" + `{"path": "A b.md"}` + "\n" + dash + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		`<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "A b.md"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "A b.md"}<|tool_call_end|><|tool_calls_section_end|>`,
		`functions.read_file({"path": "A b.md"})`,
		"Let me look into that note.\n\n" + `{"name": "read_file", "arguments": {"path": "A b.md"}}`,
		"I will read it: <tool_call>" + `{"name": "read_file", "arguments": {"path": "A b.md"}}</tool_call>`,
		`{"name": "read_file", "arguments": {"path": "A b.md"}`, // a bracket short
		`{"name": "read_file", "arguments": {"path": "A b.md"}}` + "\n" + `{"name": "read_file", "arguments": {"path": "A b.md"}}`,
		`{"name": "read_file", "arguments": {"path": "A b.md"}}` + "\n" + `{"name": "read_file", "argu`, // cut off within the next
	} {
		_, calls := Read(answer, offered)
		if len(calls) != 1 || calls[0].Name+" "+calls[0].Arguments != want {
			t.Errorf("%s\n%v", answer, calls)
		}
	}
}

func TestSeveralCalls(t *testing.T) {
	before, calls := Read("I read both.\n<tool_call>"+`{"name":"read_file","arguments":{"path":"A.md","start_line":"3"}}`+"</tool_call>\n<tool_call>"+`{"name":"get_tags"}`+"</tool_call>", offered)
	if before != "I read both." || len(calls) != 2 || calls[0].Arguments != `{"path":"A.md","start_line":"3"}` || calls[1].Name != "get_tags" || calls[1].Arguments != "{}" {
		t.Errorf("%q, %v", before, calls)
	}
}

// TestNoCalls covers text that resembles a call but is none.
func TestNoCalls(t *testing.T) {
	const call = `{"name": "read_file", "arguments": {"path": "A.md"}}`
	for what, answer := range map[string]string{
		"prose":                   "The tart takes 35 minutes.",
		"a tool not offered":      `{"name": "run_shell", "arguments": {"path": "A.md"}}`,
		"a missing argument":      `{"name": "read_file", "arguments": {"start_line": 3}}`,
		"an unknown argument":     `{"name": "read_file", "arguments": {"path": "A.md", "mode": "x"}}`,
		"an object for a text":    `{"name": "read_file", "arguments": {"path": {"a": 1}}}`,
		"JSON without a call":     `{"title": "A", "pages": 3}`,
		"an example":              "Here is an example of a call:\n\n" + dash + "json\n" + call + "\n" + dash,
		"an answer with one":      "First paragraph of an answer.\n\nSecond one.\n\n" + call,
		"an answer around one":    "It works so:\n" + call + "\n\nThe first key is the name.\n\nThe second the arguments.",
		"a list of what could be": "You can do two things.\n\n1. read\n2. write\n\n" + call,
		"cut off in a text":       `{"name": "read_file", "arguments": {"path": "A.m`,
		"a code block":            dash + "go\nfunc main() {}\n" + dash,
		"a template":              "{{date}} {{title}}",
	} {
		if before, calls := Read(answer, offered); calls != nil {
			t.Errorf("%s: %q, %v", what, before, calls)
		}
	}
	if _, calls := Read("The note says:\n"+call, offered, "1: # Calls\n2: "+call); calls != nil {
		t.Errorf("a quotation: %v", calls)
	}
}

func TestHolder(t *testing.T) {
	for _, c := range []struct{ answer, shown string }{
		{"The tart takes 35 minutes < an hour, see [[Tart]].", "The tart takes 35 minutes < an hour, see [[Tart]]."},
		{"Let me look.\n\n{\"name\": \"read_file\"}", "Let me look.\n\n"},
		{"<tool_call>{\"name\"", ""},
		{"Look: <tool_call>{\"name\"", "Look: "},
		{"Text\n" + dash + "json\n{\"name\"", "Text\n"},
		{"Text\n" + dash + "go\nfunc main() {}\n" + dash + "\nmore.", "Text\n" + dash + "go\nfunc main() {}\n" + dash + "\nmore."},
		{"functions.read_file(", ""},
	} {
		for step := 1; step <= len(c.answer); step++ {
			var h Holder
			got := ""
			for at := 0; at < len(c.answer); at += step {
				got += h.Add(c.answer[at:min(at+step, len(c.answer))])
			}
			if rest := h.Rest(); got != c.shown || got+rest != c.answer {
				t.Errorf("%q in steps of %d: shown %q, then %q", c.answer, step, got, rest)
			}
		}
	}
}

// TestChannelCalls covers calls of gpt-oss whose channel markers the server leaves in the text, and what is withheld until
// they are complete.
func TestChannelCalls(t *testing.T) {
	tools := loose("read_note")
	want := []llm.ToolCall{{Name: "read_note", Arguments: `{"path":"A.md"}`}}
	for text, before := range map[string]string{
		`<|start|>assistant<|channel|>commentary to=functions.read_note <|constrain|>json<|message|>{"path":"A.md"}<|call|>`:               "",
		`<|channel|>commentary to=functions.read_note<|message|>{"path":"A.md"}`:                                                           "",
		`<|start|>assistant to=functions.read_note<|channel|>commentary json<|message|>{"path": "A.md"}<|call|>`:                           "",
		` to=functions.read_note<|channel|>commentary <|constrain|>json<|message|>{"path":"A.md"}<|call|>`:                                 "",
		`I look.<|end|><|start|>assistant<|channel|>commentary to=functions.read_note <|constrain|>json<|message|>{"path":"A.md"}<|call|>`: "I look.",
	} {
		got, calls := Read(text, tools)
		if got != before || !reflect.DeepEqual(calls, want) {
			t.Errorf("%s: %q, %+v", text, got, calls)
		}
		for _, n := range []int{1, 3, 7} {
			var h Holder
			shown := ""
			for rest := text; rest != ""; rest = rest[min(n, len(rest)):] {
				shown += h.Add(rest[:min(n, len(rest))])
			}
			if len(shown) > len(before)+len("<|end|>") {
				t.Errorf("%s by %d: %q is shown", text, n, shown)
			}
		}
	}
	if _, calls := Read(`<|channel|>commentary to=functions.other <|constrain|>json<|message|>{"path":"A.md"}<|call|>`, tools); calls != nil {
		t.Errorf("a tool that was not offered: %+v", calls)
	}
}
