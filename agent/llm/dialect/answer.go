package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// AnswerField is the only member of an answer whose own form is not an object: endpoints enforce objects only.
const AnswerField = "answer"

// answer is a JSON Schema of an answer: the keywords that all endpoints with structured outputs enforce, in output order,
// and then those that are expressed by them or that none can enforce.
type answer struct {
	Type        any              `json:"type,omitempty"`
	Description string           `json:"description,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	AnyOf       []answer         `json:"anyOf,omitempty"`
	Items       *answer          `json:"items,omitempty"`
	Properties  *members[answer] `json:"properties,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Additional  json.RawMessage  `json:"additionalProperties,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Defs        *members[answer] `json:"$defs,omitempty"`

	Definitions *members[answer] `json:"definitions,omitempty"`
	Const       any              `json:"const,omitempty"`
	OneOf       []answer         `json:"oneOf,omitempty"`
	AllOf       []answer         `json:"allOf,omitempty"`
	PrefixItems []answer         `json:"prefixItems,omitempty"`
	Patterns    json.RawMessage  `json:"patternProperties,omitempty"`
}

// Answer returns the JSON Schema of an answer in the form that endpoints enforce strictly: objects are closed, and have all
// members, null if they are optional. It accepts all valid answers, and more: other keywords are left out. An answer that
// is not an object becomes the member AnswerField of one. It returns nil for a schema that cannot be expressed so.
//
// Sources: the guides to structured outputs of OpenAI and Anthropic, as of November 2026.
func Answer(raw json.RawMessage) json.RawMessage {
	var s answer
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&s) != nil {
		return nil
	}
	defs := &members[answer]{}
	for _, list := range []*members[answer]{s.Defs, s.Definitions} {
		if list != nil {
			*defs = append(*defs, *list...)
		}
	}
	s.Defs, s.Definitions = nil, nil
	ok := s.strict()
	for i := range *defs {
		ok = (*defs)[i].value.strict() && ok
	}
	if s.Type != "object" {
		s = answer{Type: "object", Properties: &members[answer]{{AnswerField, s}}, Required: []string{AnswerField}, Additional: no}
	}
	if len(*defs) > 0 {
		s.Defs = defs
	}
	out, err := json.Marshal(s)
	if !ok || err != nil {
		return nil
	}
	return out
}

var no = json.RawMessage("false")

// strict closes a schema and those in it, and reports whether it can be enforced.
func (s *answer) strict() bool {
	if len(s.AllOf) == 1 && s.Properties == nil { // a reference with a description
		s.AllOf[0].Description = cmp.Or(s.Description, s.AllOf[0].Description)
		*s = s.AllOf[0]
	}
	if name, ok := strings.CutPrefix(strings.Replace(s.Ref, "#/definitions/", "#/$defs/", 1), "#/$defs/"); s.Ref != "" {
		*s = answer{Ref: "#/$defs/" + name}
		return ok && !strings.Contains(name, "/")
	}
	if s.Const != nil {
		s.Enum = []any{s.Const}
	}
	if s.PrefixItems != nil {
		first := s.PrefixItems
		if s.Items != nil {
			first = append(first, *s.Items)
		}
		s.Items = &answer{AnyOf: first}
	}
	s.AnyOf = slices.Concat(s.AnyOf, s.OneOf)
	switch {
	case len(s.AnyOf) > 0 && s.Properties == nil && s.Items == nil:
		s.Type, s.Enum = nil, nil
	case s.Type == nil && (s.Properties != nil || s.Items != nil || len(s.Enum) > 0):
		s.Type = "object"
		if s.Properties == nil && s.Items != nil {
			s.Type = "array"
		} else if s.Properties == nil {
			s.Type = typeOf(schema{}, s.Enum)
		}
	}
	kinds, _ := s.Type.([]any)
	is := func(kind string) bool { return s.Type == kind || slices.Contains(kinds, any(kind)) }
	out := answer{Type: s.Type, Description: s.Description, Enum: s.Enum}
	ok := s.Type != nil && (s.AllOf == nil || s.Properties != nil)
	if s.Type == nil {
		ok, out.AnyOf = len(s.AnyOf) > 0, s.AnyOf
	}
	for i := range out.AnyOf {
		ok = out.AnyOf[i].strict() && ok
	}
	if is("array") {
		ok = ok && s.Items != nil && s.Items.strict()
		out.Items = s.Items
	}
	if is("object") {
		ok = ok && s.Properties != nil && len(*s.Properties) > 0 && s.Patterns == nil && (s.Additional == nil || string(s.Additional) == "false")
		out.Properties, out.Additional = s.Properties, no
		for i := 0; ok && i < len(*s.Properties); i++ {
			p := &(*s.Properties)[i]
			ok = p.value.strict()
			if out.Required = append(out.Required, p.name); !slices.Contains(s.Required, p.name) {
				p.value = answer{AnyOf: []answer{p.value, {Type: "null"}}}
			}
		}
	}
	*s = out
	return ok
}
