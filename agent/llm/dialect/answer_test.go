package dialect

import "testing"

// TestAnswer: what endpoints enforce accepts all valid answers; what they cannot enforce is not sent.
func TestAnswer(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{
			"an object, its members in order", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"z":{"type":"string","minLength":1},"a":{"type":"integer","minimum":3}},"required":["z","a"]}`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z","a"],"additionalProperties":false}`,
		},
		{
			"an optional member", `{"type":"object","properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`,
		},
		{
			"no object", `{"type":"array","items":{"type":["string","null"]}}`,
			`{"type":"object","properties":{"answer":{"type":"array","items":{"type":["string","null"]}}},"required":["answer"],"additionalProperties":false}`,
		},
		{
			"thoughts, then messages", `{"type":"array","minItems":1,"prefixItems":[{"$ref":"#/$defs/thought"}],"items":{"oneOf":[{"$ref":"#/$defs/thought"},{"type":"object","required":["type","content"],"properties":{"type":{"const":"chat"},"content":{"type":"string"}}}]},"$defs":{"thought":{"type":"object","required":["type","content"],"properties":{"type":{"const":"thought"},"content":{"type":"string"}}}}}`,
			`{"type":"object","properties":{"answer":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/thought"},{"anyOf":[{"$ref":"#/$defs/thought"},{"type":"object","properties":{"type":{"type":"string","enum":["chat"]},"content":{"type":"string"}},"required":["type","content"],"additionalProperties":false}]}]}}},"required":["answer"],"additionalProperties":false,"$defs":{"thought":{"type":"object","properties":{"type":{"type":"string","enum":["thought"]},"content":{"type":"string"}},"required":["type","content"],"additionalProperties":false}}}`,
		},
		{
			"definitions of draft-07, a described reference", `{"definitions":{"K":{"enum":[1,2]}},"properties":{"k":{"allOf":[{"$ref":"#/definitions/K"}],"description":"which"}},"required":["k"]}`,
			`{"type":"object","properties":{"k":{"$ref":"#/$defs/K"}},"required":["k"],"additionalProperties":false,"$defs":{"K":{"type":"number","enum":[1,2]}}}`,
		},
		{"any names", `{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		{"more names", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, ""},
		{"anything", `{}`, ""},
		{"anything in a member", `{"type":"object","properties":{"a":{}}}`, ""},
		{"true", `true`, ""},
		{"a list of anything", `{"type":"array"}`, ""},
		{"a part of several", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"required":["b"]}]}`, ""},
		{"a reference elsewhere", `{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"string"}}}`, ""},
		{"itself", `{"type":"object","properties":{"next":{"$ref":"#"}}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Answer([]byte(tt.schema))); got != tt.want {
				t.Errorf("%s, not\n%s", got, tt.want)
			}
		})
	}
}
