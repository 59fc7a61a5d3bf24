package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"chatvault/internal/base/text"
	"chatvault/tools/argument"
)

func TestArgumentErrors(t *testing.T) {
	turn := newFakeTurn(t)
	tests := []struct {
		name, tool, args string
		want             string // the whole text after "Error: ", or a prefix if it ends with …
	}{
		{
			"unknown, instead of another", "read_file", `{"file": "a.md"}`,
			`Wrong arguments for read_file: unknown arguments ["file"]. It takes path, start_line, end_line. Use: {"path": "Notes/a.md", "start_line": 1}`,
		},
		{
			"unknown, misspelt", "read_file", `{"path": "a.md", "startline": 2}`,
			`Wrong arguments for read_file: unknown arguments ["startline"]. It takes path, start_line, end_line. Use: {"path": "Notes/a.md", "start_line": 1}`,
		},
		{
			"keys are exact", "read_file", `{"Path": "a.md"}`,
			`Wrong arguments for read_file: unknown arguments ["Path"]. …`,
		},
		{
			"unknown, like nothing", "create_folder", `{"path": "a", "zzzz": 1}`,
			`Wrong arguments for create_folder: unknown arguments ["zzzz"]. …`,
		},
		{"missing", "read_file", `{}`, `Wrong arguments for read_file: missing arguments: ["path"]. It takes path, start_line, end_line. Use: {"path": "Notes/a.md", "start_line": 1}`},
		{"nothing at all", "read_file", ``, `Wrong arguments for read_file: missing arguments: ["path"]. …`},
		{"null where required", "read_file", `{"path": null}`, `Wrong arguments for read_file: path: type: null has type "null", want "string". …`},
		{"wrong type", "read_file", `{"path": {"name": 7}}`, `Wrong arguments for read_file: path: type: map[name:7] has type "object", want "string". …`},
		{"no JSON for a list", "edit_file", `{"path": "a.md", "edits": "[{\"old_text\": 1"}`, `Wrong arguments for edit_file: edits: type: [{"old_text": 1 has type "string", want "array". …`},
		{"twice within text", "edit_file", `{"path": "a.md", "edits": "[{\"content\": \"a\", \"content\": \"b\"}]"}`, `Wrong arguments for edit_file: edits: type: [{"content": "a", "content": "b"}] has type "string", want "array". …`},
		{"more after text", "edit_file", `{"path": "a.md", "delete_lines": "{\"start\": 1, \"end\": 2}, \"path\": 3"}`, `Wrong arguments for edit_file: delete_lines: type: {"start": 1, "end": 2}, "path": 3 has type "string", want "object". …`},
		{"no content and no template", "write_file", `{"path": "a.md"}`, `Wrong arguments for write_file: missing arguments: ["content"]. …`},
		{"no content and no template named", "write_file", `{"path": "a.md", "template": null}`, `Wrong arguments for write_file: missing arguments: ["content"]. …`},
		{
			"words for a number", "read_file", `{"path": "a.md", "start_line": "top"}`,
			`Wrong arguments for read_file: start_line: type: top has type "string", want "integer". …`,
		},
		{
			"a fraction", "read_file", `{"path": "a.md", "start_line": 1.5}`,
			`Wrong arguments for read_file: start_line: type: 1.5 has type "number", want "integer". …`,
		},
		{"too small", "read_file", `{"path": "a.md", "start_line": 0}`, `Wrong arguments for read_file: start_line: minimum: 0 is less than 1. …`},
		{
			"too small, of one kind of edit", "edit_file", `{"path": "a.md", "insert_before_line": 0, "content": "x"}`,
			`Wrong arguments for edit_file: insert_before_line: minimum: 0 is less than 1. It takes path, old_text, new_text, replace_all, insert_after_line, insert_before_line, content, delete_lines, edits, where. Use: {"path": "Notes/a.md", "old_text": "draft", "new_text": "final"}`,
		},
		{
			"negative, of one kind of edit", "edit_file", `{"path": "a.md", "insert_after_line": -1, "content": "x"}`,
			`Wrong arguments for edit_file: insert_after_line: minimum: -1 is less than 0. It takes path, old_text, new_text, replace_all, insert_after_line, insert_before_line, content, delete_lines, edits, where. Use: {"path": "Notes/a.md", "old_text": "draft", "new_text": "final"}`,
		},
		{
			"within one kind of edit", "edit_file", `{"path": "a.md", "delete_lines": {"start": 0, "end": 1}, "insert_after_line": null}`,
			`Wrong arguments for edit_file: delete_lines.start: minimum: 0 is less than 1. It takes path, old_text, new_text, replace_all, insert_after_line, insert_before_line, content, delete_lines, edits, where. Use: {"path": "Notes/a.md", "old_text": "draft", "new_text": "final"}`,
		},
		{"negative", "list_files", `{"max_results": -5}`, `Wrong arguments for list_files: max_results: minimum: -5 is less than 1. …`},
		{"huge", "read_file", `{"path": "a.md", "start_line": 1e400}`, `Wrong arguments for read_file: json: cannot unmarshal number 1e400 into Go value of type float64. …`},
		{
			"a boolean in words", "delete_file", `{"path": "a", "recursive": "yes"}`,
			`Wrong arguments for delete_file: recursive: type: yes has type "string", want "boolean". …`,
		},
		{"empty", "read_file", `{"path": ""}`, `Wrong arguments for read_file: path: minLength: "" contains 0 Unicode code points, fewer than 1. …`},
		{
			"within an object", "edit_file", `{"path": "a.md", "delete_lines": {"from": 3, "end": 4}}`,
			`Wrong arguments for edit_file: delete_lines: unknown arguments ["from"]. …`,
		},
		{
			"an array for an object", "edit_file", `{"path": "a.md", "delete_lines": [3, 4]}`,
			`Wrong arguments for edit_file: delete_lines: type: [3 4] has type "array", want "object". …`,
		},
		{"no object", "read_file", `["a.md"]`, `The arguments of read_file must be a JSON object. …`},
		{"a string", "read_file", `"a.md"`, `The arguments of read_file must be a JSON object. …`},
		{"twice", "read_file", `{"path": "a.md", "path": "b.md"}`, `Argument "path" of read_file is given twice. Give each argument once. …`},
		{"twice, escaped", "read_file", `{"path": "a.md", "p\u0061th": "b.md"}`, `Argument "path" of read_file is given twice. …`},
		{"cut off", "read_file", `{"path": "a.md`, `The arguments of read_file are not valid JSON: unexpected end of JSON input. …`},
		{"cut off after a value", "read_file", `{"path": "a.md"`, `The arguments of read_file are not valid JSON: unexpected end of JSON input. …`},
		{"bad syntax", "read_file", `{"path": a.md}`, `The arguments of read_file are not valid JSON: invalid character 'a' looking for beginning of value. …`},
		{
			"something after", "read_file", `{"path": "a.md"} {"path": "b.md"}`,
			`The arguments of read_file are not valid JSON: invalid character '{' after top-level value. …`,
		},
		{
			"too large", "write_file", `{"path": "a.md", "content": "` + strings.Repeat("x", 3<<20) + `"}`,
			`The arguments of write_file are too large: 3.0 MB, at most 2.0 MB. …`,
		},
		{"not UTF-8", "read_file", "{\"path\": \"a\xff.md\"}", `The arguments of read_file are not valid JSON: they are not UTF-8. …`},
		{"percent signs are text", "read_file", `{"%s%d": "a"}`, `Wrong arguments for read_file: unknown arguments ["%s%d"]. …`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := turn.Call(t.Context(), tt.tool, json.RawMessage(tt.args))
			if !r.IsError {
				t.Fatalf("no error: %q", r.Text)
			}
			got := strings.TrimPrefix(r.Text, "Error: ")
			if want, open := strings.CutSuffix(tt.want, "…"); open && !strings.HasPrefix(got, strings.TrimSpace(want)) || !open && got != want {
				t.Errorf("got  %s\nwant %s", r.Text, tt.want)
			}
			if len(r.Text) > 1000 {
				t.Errorf("an error of %d bytes", len(r.Text))
			}
		})
	}
}

func TestArgumentsPutRight(t *testing.T) {
	tests := []struct {
		name, args string
		want       readFileArgs
	}{
		{"as they should be", `{"path": "a.md", "start_line": 3}`, readFileArgs{Path: "a.md", StartLine: 3}},
		{"a number as a string", `{"path": "a.md", "start_line": "3"}`, readFileArgs{Path: "a.md", StartLine: 3}},
		{"an integral float", `{"path": "a.md", "start_line": 3.0}`, readFileArgs{Path: "a.md", StartLine: 3}},
		{"an exponent", `{"path": "a.md", "start_line": 3e2}`, readFileArgs{Path: "a.md", StartLine: 300}},
		{"null for an optional one", `{"path": "a.md", "start_line": null}`, readFileArgs{Path: "a.md"}},
		{"space around", " \n{\"path\": \"a.md\"}\n", readFileArgs{Path: "a.md"}},
		{"text is never touched", `{"path": " 3 <&> \ud83d\ude00 \\ud83d"}`, readFileArgs{Path: " 3 <&> 😀 \\ud83d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got readFileArgs
			if err := definitionOf("read_file").schema().Decode("read_file", json.RawMessage(tt.args), &got); err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEditsPutRight(t *testing.T) {
	want := `[{"old_text":"1","new_text":"2"},{"delete_lines":{"start":3,"end":4}}]`
	for _, edits := range []string{
		want, `[{"old_text": 1, "new_text": 2}, {"delete_lines": {"start": "3", "end": 4.0}}]`,
		`"[{\"old_text\": \"1\", \"new_text\": \"2\"}, {\"delete_lines\": {\"start\": 3, \"end\": 4}}]"`,
		`["{\"old_text\": 1, \"new_text\": \"2\", \"content\": null}", {"delete_lines": "{\"start\": \"3\", \"end\": 4}", "replace_all": null}]`,
	} {
		var got editFileArgs
		if err := definitionOf("edit_file").schema().Decode("edit_file", json.RawMessage(`{"path": "a.md", "edits": `+edits+`}`), &got); err != nil {
			t.Errorf("%s: %v", edits, err)
		}
		if b, err := json.Marshal(got.Edits); err != nil || string(b) != want {
			t.Errorf("%s: %s, %v", edits, b, err)
		}
	}
	for args, want := range map[string]string{
		`{"path": "a", "key": "k", "add": "one"}`:                `["one"]`,
		`{"path": "a", "key": "k", "add": "[\"a\", \"b\"]"}`:     `["a","b"]`,
		`{"path": "a", "key": "k", "add": "[a]"}`:                `["[a]"]`,
		`{"path": "a", "key": "k", "add": [1, true, "x"]}`:       `["1","true","x"]`,
		`{"path": "a", "key": "k", "add": 7}`:                    `["7"]`,
		`{"path": "a", "key": "k", "add": "", "delete": "TRUE"}`: `[]`,
	} {
		var got setPropertyArgs
		if err := definitionOf("set_property").schema().Decode("set_property", json.RawMessage(args), &got); err != nil {
			t.Errorf("%s: %v", args, err)
		}
		if b, err := json.Marshal(text.Of(got.Add, argument.Scalar.Text)); err != nil || string(b) != want {
			t.Errorf("%s: %s, %v", args, b, err)
		}
	}
}

// FuzzArguments checks that decoding any input neither panics nor accepts what the schema refuses, and that accepted
// arguments decode to the same again.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a.md"}`, `{"path":"a","delete_lines":{"start":1,"end":"2"}}`, `{"path":"a","path":"b"}`, `{`, `[]`, `null`,
		`{"path":"\ud800"}`, `{"path":"a","insert_after_line":1e2,"content":null}`, `{"path":"a","replace_all":"true","old_text":"x","new_text":""}`,
	} {
		f.Add([]byte(seed))
	}
	schema := definitionOf("edit_file").schema()
	resolved, err := schema.Bound.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var args editFileArgs
		if err := schema.Decode("edit_file", raw, &args); err != nil {
			if err.Error() == "" || len(err.Error()) > 2000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		text, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%q became %s, which the schema refuses: %v", raw, text, err)
		}
		var again editFileArgs
		if err := schema.Decode("edit_file", text, &again); err != nil {
			t.Errorf("%q became %s, which is refused: %v", raw, text, err)
		}
		_ = Target("edit_file", raw)
	})
}

// Whatever decoding accepts, the tool's schema accepts.
func TestWhatIsReadFitsTheSchema(t *testing.T) {
	for _, d := range definitions() {
		t.Run(d.name, func(t *testing.T) {
			schema := d.schema()
			resolved, err := schema.Bound.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			read := 0
			rapid.Check(t, func(t *rapid.T) {
				raw, err := json.Marshal(anArgument(t, schema.Bound))
				if err != nil {
					t.Fatal(err)
				}
				var got any
				if err := schema.Decode(d.name, raw, &got); err != nil {
					return
				}
				read++
				if err := resolved.Validate(got); err != nil {
					t.Fatalf("%s became %v, which the schema refuses: %v", raw, got, err)
				}
			})
			if read == 0 {
				t.Error("nothing was let through, so nothing was tried")
			}
		})
	}
}

// anArgument returns a value that more or less matches a schema.
func anArgument(t *rapid.T, s *jsonschema.Schema) any {
	odd := rapid.IntRange(0, 9).Draw(t, "odd")
	switch {
	case odd == 0:
		return rapid.SampledFrom([]any{nil, "", "x", "7", "true", " ", -1, 0, 7, 1.5, 1 << 40, true, []any{}, []any{"x", 7}, map[string]any{"path": 7}}).Draw(t, "any")
	case len(s.Enum) > 0 && odd < 9:
		return rapid.SampledFrom(s.Enum).Draw(t, "choice")
	}
	switch s.Type {
	case "object":
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, name) && odd < 9 || rapid.Bool().Draw(t, name) {
				out[name] = anArgument(t, s.Properties[name])
			}
		}
		return out
	case "array":
		out := make([]any, rapid.IntRange(0, 4).Draw(t, "length"))
		for i := range out {
			out[i] = anArgument(t, s.Items)
		}
		return out
	case "boolean":
		return rapid.Bool().Draw(t, "bool")
	case "integer", "number":
		return rapid.IntRange(-2, 3000).Draw(t, "number")
	}
	return rapid.StringN(0, 8, -1).Draw(t, "text")
}
