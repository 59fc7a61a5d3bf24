package typed

import (
	"strings"
	"testing"
)

// TestParse: the error of a bad schema names its cause.
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
		{"itself", `{"$ref":"#"}`, "# refers to itself for the same value"},
		{"itself by a pointer", `{"items":{"not":{"$ref":"#/items"}}}`, "#/items refers to itself"},
		{"itself in a list", `{"anyOf":[true,{"$ref":"#/anyOf/1"}]}`, "#/anyOf/1 refers to itself"},
		{"itself where a member is", `{"dependentSchemas":{"a":{"$ref":"#"}}}`, "# refers to itself"},
		{"in a circle", `{"$defs":{"a/b":{"oneOf":[true,{"$ref":"#/%24defs/c"}]},"c":{"if":{"$ref":"#/$defs/a~1b"}}}}`, "#/"},
		{"an anchor", `{"$anchor":"a","items":{"$ref":"#a"}}`, `"#a": only references within the schema can be used`},
		{"its name", `{"$id":"https://example.com/x","allOf":[{"$ref":"https://example.com/x"}]}`, `"https://example.com/x": only references within`},
		{"a dynamic reference", `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`, `"#a": only references within`},
		{"a name within", `{"items":{"$id":"x"}}`, "$id can stand only at the top"},
		{"nothing", "\n", "it is not JSON: unexpected end"},
		{"no JSON", "{\n\t\"type\": \"object\",\n}", "it is not JSON: invalid character '}'"},
		{"cut off", "{\n\"type\":", "it is not JSON: unexpected end"},
		{"a list", `[]`, "json: cannot unmarshal array"},
		{"a list of types", `{"type":7}`, `invalid value for "type": "7"`},
		{"another version", `{"$schema":"http://json-schema.org/draft-04/schema#"}`, `"http://json-schema.org/draft-04/schema#" is another version of JSON Schema than 2020-12 or draft-07`},
		{"a reference", `{"items":{"$ref":"#/$defs/No"}}`, `"/$defs/No"`},
		{"an address", `{"$ref":"https://example.com/x.json"}`, `"https://example.com/x.json": only references within`},
		{"a pattern", `{"anyOf":[{},{"pattern":"("}]}`, "pattern: error parsing regexp"},
		{"members", `{"properties":[]}`, "cannot unmarshal array"},
		{"alternatives", `{"oneOf":{}}`, "cannot unmarshal object"},
		{"a member", `{"properties":{"a":"string"}}`, "cannot unmarshal string"},
		{"required", `{"required":"a"}`, "cannot unmarshal string"},
		{"a bound", `{"items":{"minimum":"1"}}`, "cannot unmarshal string"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.schema))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
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
