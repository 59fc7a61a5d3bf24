package typed

import (
	"strings"
	"testing"
)

// TestParse: the error of a bad schema names its line and cause.
func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"an object", `{"type":"object"}`, ""},
		{"anything", `true`, ""},
		{"a byte order mark", "\ufeff{}", ""},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, ""},
		{"names like keywords", `{"properties":{"type":{"type":"string"},"items":{"type":"integer"},"required":{}}}`, ""},
		{"references", `{"$defs":{"a/b":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a~1b"},"y":{"$ref":"#"}}}`, ""},
		{"draft-07 without #", `{"$schema":"http://json-schema.org/draft-07/schema"}`, ""},
		{"annotations of other programs", `{"enum":["a"],"x-enum-varnames":["A"],"enumDescriptions":["an a"],"example":{"type":"dog"},"examples":[{"type":"cat"}]}`, ""},
		{"itself within itself", `{"properties":{"next":{"$ref":"#"}},"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"anyOf":[{"$ref":"#"}]}}}}`, ""},
		{"itself", `{"$ref":"#"}`, "line 1: this schema refers to itself for the same value"},
		{"itself by an anchor", "{\"items\":\n{\"$anchor\":\"a\",\"not\":{\"$ref\":\"#a\"}}}", "line 2: this schema refers to itself"},
		{"itself by its name", `{"$id":"https://example.com/x","allOf":[{"$ref":"https://example.com/x"}]}`, "line 1: this schema refers to itself"},
		{"in a circle", `{"$defs":{"a/b":{"oneOf":[true,{"$ref":"#/%24defs/c"}]},"c":{"if":{"$ref":"#/$defs/a~1b"}}}}`, "line 1: this schema refers to itself"},
		{"nothing", "\n", "line 2: it is not JSON: unexpected end"},
		{"no JSON", "{\n\t\"type\": \"object\",\n}", "line 3: it is not JSON: invalid character '}'"},
		{"cut off", "{\n\"type\":", "line 2: it is not JSON: unexpected end"},
		{"a list", `[]`, "line 1: a schema must be an object, or true or false"},
		{"a type", "{\"type\":\"object\",\"properties\":{\n\n\"a\":{\"type\":\n[\"string\", \"nul\"]}}}", `line 4: "nul" is not a type; types are array,`},
		{"a list of types", `{"type":7}`, `line 1: "7" is not a type`},
		{"another version", "{\n\"$schema\":\"http://json-schema.org/draft-04/schema#\"}", `line 2: "http://json-schema.org/draft-04/schema#" is another version of JSON Schema than 2020-12 or draft-07`},
		{"a reference", "{\"items\":\n{\"$ref\":\"#/$defs/No\"}}", "line 2: #/$defs/No is not in this file"},
		{"an address", `{"$ref":"https://example.com/x.json"}`, "line 1: https://example.com/x.json is not in this file"},
		{"a pattern", "{\"anyOf\":[{},\n{\"pattern\":\"(\"}]}", "line 2: pattern: error parsing regexp"},
		{"members", "{\n\"properties\":[]}", "line 2: properties must not be of type array"},
		{"alternatives", "{\n\"oneOf\":{}}", "line 2: oneOf must not be of type object"},
		{"a member", "{\"properties\":{\n\"a\":\"string\"}}", "line 2: a schema must be an object"},
		{"required", "{\n\n\"required\":\"a\"}", "line 3: required must not be of type string"},
		{"a bound", "{\"items\":{\n\"minimum\":\"1\"}}", "line 2: minimum must not be of type string"},
		{"an emoji", "{\"title\":\"\\ud83d\\ude00\",\n\"type\":\"x\"}", `line 2: "x" is not a type`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.schema))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
				t.Errorf("%v, not %q", err, tt.want)
			}
		})
	}
}

const person = `{"type":"object","properties":{"name":{"type":"string","minLength":1},"born":{"type":"integer"},"died":{"type":["integer","null"]},"of":{"type":"array","items":{"enum":["a","b"]}}},"required":["name","died"],"additionalProperties":false}`

// TestRead: the JSON of an answer is found and valid.
func TestRead(t *testing.T) {
	const ok = `{"name":"Ada","died":null}`
	for _, tt := range []struct{ name, schema, answer, want, fault string }{
		{"alone", person, ok, ok, ""},
		{"on several lines", person, "{\n  \"name\": \"Ada\",\n  \"died\": null\n}\n", ok, ""},
		{"in a code fence", person, "```json\n" + ok + "\n```", ok, ""},
		{"in sentences", person, "Here it is [1]:\n\n  " + ok + "\n\nShall I go on?", ok, ""},
		{"numbers as written", `{"type":"array"}`, "[1.0, 12345678901234567890]", "[1.0,12345678901234567890]", ""},
		{"wrapped", `{"type":"array","items":{"type":"integer"}}`, `{"answer":[1]}`, "[1]", ""},
		{"a text", `{"type":"string"}`, `"yes"`, `"yes"`, ""},
		{"null for what is left out", person, `{"name":"Ada","born":null,"died":null,"of":null}`, `{"died":null,"name":"Ada"}`, ""},
		{"draft-07 without #", `{"$schema":"http://json-schema.org/draft-07/schema","items":[{"type":"string"}]}`, `["a"]`, `["a"]`, ""},
		{"no JSON", person, "I do not know.", "", "it is not JSON"},
		{"cut off", person, `{"name":"Ada","of":[` + "\n" + ok + ",", "", "it is not JSON"},
		{"a wrong type", person, `{"name":7,"died":null}`, "", `/properties/name: type: 7 has type "integer", want "string"`},
		{"a missing member", person, `{"name":"Ada"}`, "", `required: missing properties: ["died"]`},
		{"another member", person, `{"name":"Ada","died":null,"x":1}`, "", "unexpected additional properties"},
		{"in a list", person, `{"name":"Ada","died":null,"of":["c"]}`, "", "/properties/of/items: enum: c does not equal any of: [a b]"},
		{"wrapped and wrong", `{"type":"array","items":{"type":"integer"}}`, `{"answer":["x"]}`, "", `/items: type: x has type "string"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Parse([]byte(tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Read(tt.answer)
			if string(got) != tt.want || tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("%s, %v; want %s, %q", got, err, tt.want, tt.fault)
			}
		})
	}
}
