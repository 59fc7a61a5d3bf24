package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

func TestParameters(t *testing.T) {
	const filler = `{"type":"object","properties":{"reason":{"type":"string","description":"` + fillerText + `"}}}`
	for in, c := range map[string]struct{ want, rule string }{
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer","minimum":1}},"required":["b"]}`: {`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer","minimum":1}},"required":["b"]}`, ""},
		``:                  {filler, "root type"},
		`7`:                 {filler, "root type"},
		`{"type":"object"}`: {filler, "root is an object with properties"},
		`{"type":"object","properties":{},"additionalProperties":false}`:                                                                           {filler, "schema keywords"},
		`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`:                                                                          {`{"type":"object","properties":{"a":{"type":"string"}}}`, "root type"},
		`{"type":"object","properties":{"a":{"type":"array"}}}`:                                                                                    {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`, "arrays have items"},
		`{"type":"object","properties":{"a":{"type":"object"}}}`:                                                                                   {`{"type":"object","properties":{"a":{"type":"object","properties":{"value":{"type":"string"}}}}}`, "root is an object with properties"},
		`{"type":"object","properties":{"a":{"type":"integer","enum":[1,2]}}}`:                                                                     {`{"type":"object","properties":{"a":{"type":"integer"}}}`, "enumerations are of strings"},
		`{"type":"object","properties":{"a":{"type":"integer","enum":[1,null]}}}`:                                                                  {`{"type":"object","properties":{"a":{"type":"integer"}}}`, "enumerations are of strings"},
		`{"type":"object","properties":{"a":{"enum":["x","y",null]}}}`:                                                                             {`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}}}`, "enumerations are of strings"},
		`{"type":"object","properties":{"a":{"const":"x"}}}`:                                                                                       {`{"type":"object","properties":{"a":{"type":"string","enum":["x"]}}}`, "schema keywords"},
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b","a"]}`:                                                          {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "required exists"},
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer"}]}}}`:                                                      {`{"type":"object","properties":{"a":{"type":"integer"}}}`, "schema keywords"},
		`{"type":"object","properties":{"a":{"description":"d","oneOf":[{"const":"x"},{"const":"y"}]}}}`:                                           {`{"type":"object","properties":{"a":{"type":"string","description":"d","enum":["x","y"]}}}`, "schema keywords"},
		`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}}}]}`:              {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"boolean"}},"required":["a"]}`, "schema keywords"},
		`{"$schema":"x","$defs":{"P":{"type":"string","format":"uri"}},"type":"object","properties":{"a":{"$ref":"#/$defs/P","description":"d"}}}`: {`{"type":"object","properties":{"a":{"type":"string","description":"d"}}}`, "schema keywords"},
		`{"type":"object","properties":{"a":{"type":"string","minLength":1,"pattern":"x","default":"y"}}}`:                                         {`{"type":"object","properties":{"a":{"type":"string"}}}`, "schema keywords"},
	} {
		got := string(Parameters(json.RawMessage(in)))
		if got != c.want {
			t.Errorf("%s:\n%s, not\n%s", in, got, c.want)
		}
		spec := []llm.ToolSpec{{Name: "f", Parameters: json.RawMessage(got)}}
		if wrong := llmtest.Endpoints[0].Refuses(naive(t, []llm.Message{user("a")}, spec)); len(wrong) > 0 {
			t.Errorf("%s: %q", got, wrong)
		}
		spec[0].Parameters = json.RawMessage(in)
		if in == "" {
			spec[0].Parameters = json.RawMessage("null")
		}
		if c.rule != "" && !refuses(naive(t, []llm.Message{user("a")}, spec), c.rule) {
			t.Errorf("%s is unchanged", in)
		}
		if Fills(llm.ToolSpec{Parameters: json.RawMessage(in)}) != (got == filler) {
			t.Errorf("%s: filled = %v", in, got == filler)
		}
	}
	// A recursive schema ends.
	loop := string(Parameters(json.RawMessage(`{"type":"object","$defs":{"N":{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"allOf":[{"$ref":"#/$defs/N"}]}},"properties":{"n":{"$ref":"#/$defs/N"}}}`)))
	if !json.Valid([]byte(loop)) || strings.Contains(loop, "$ref") || len(loop) > 1<<16 {
		t.Errorf("%d bytes: %.200s", len(loop), loop)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"read_file": "read_file", "": "unnamed", "read file": "read_file", "3d": "_3d", "-x": "_-x", "été": "_t_",
		strings.Repeat("a", 80): strings.Repeat("a", 64), "1" + strings.Repeat("a", 80): "_1" + strings.Repeat("a", 62),
	} {
		if got := llm.PortableName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
