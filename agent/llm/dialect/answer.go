package dialect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// Answer returns the JSON Schema of an answer in the form that endpoints enforce strictly: objects are closed, and have all
// members, null if they are optional. It accepts all valid answers, and more: other keywords are left out. An answer that
// is not an object becomes the member llm.AnswerField of one. It returns nil for a schema that cannot be expressed so.
//
// Sources: the guides to structured outputs of OpenAI and Anthropic, as of November 2026.
func Answer(raw json.RawMessage) json.RawMessage {
	var s schema
	err := s.overlay(raw)
	defs := slices.Concat(s.Defs, s.Definitions)
	ok := err == nil && s.strict()
	for i := range defs {
		ok = ok && defs[i].value.strict()
	}
	if s.Type != "object" {
		s = schema{Type: "object", Properties: &members[schema]{{llm.AnswerField, s}}, Required: []string{llm.AnswerField}, Additional: no}
	}
	s.Defs = defs
	if raw, err = json.Marshal(s); !ok || err != nil {
		return nil
	}
	return raw
}

var no = json.RawMessage("false")

// plain returns a schema in the keywords that are sent, as far as they express it.
func (s schema) plain() schema {
	if len(s.AllOf) == 1 && s.Properties == nil { // a reference with a description
		s = s.AllOf[0]
	}
	if s.Const != nil {
		s.Enum = []any{s.Const}
	}
	if s.PrefixItems != nil && s.Items != nil {
		s.PrefixItems = append(s.PrefixItems, *s.Items)
	}
	if s.PrefixItems != nil {
		s.Items = &schema{AnyOf: s.PrefixItems}
	}
	s.AnyOf = slices.Concat(s.AnyOf, s.OneOf)
	return s
}

// is reports whether a schema names a type.
func (s schema) is(kind string) bool {
	kinds, _ := s.Type.([]any)
	return s.Type == kind || slices.Contains(kinds, any(kind))
}

// strict closes a schema and those in it, and reports whether it can be enforced.
func (s *schema) strict() bool {
	in := s.plain()
	if in.Ref != "" {
		name, ok := strings.CutPrefix(strings.Replace(in.Ref, "#/definitions/", "#/$defs/", 1), "#/$defs/")
		*s = schema{Ref: "#/$defs/" + name}
		return ok && !strings.Contains(name, "/")
	}
	ok := in.AllOf == nil && in.Patterns == nil && (in.Additional == nil || string(in.Additional) == "false")
	*s = schema{Type: in.Type, Description: in.Description, Enum: in.Enum}
	switch {
	case in.Properties != nil && (in.Type == nil || in.is("object")):
		s.Type, s.Properties, s.Additional = cmp.Or(in.Type, any("object")), in.Properties, no
		for i, p := range *in.Properties {
			member := &(*in.Properties)[i].value
			ok = ok && member.strict()
			if s.Required = append(s.Required, p.name); !slices.Contains(in.Required, p.name) {
				*member = schema{AnyOf: []schema{*member, {Type: "null"}}}
			}
		}
		return ok && len(s.Required) > 0
	case in.Items != nil && (in.Type == nil || in.is("array")):
		s.Type, s.Items = cmp.Or(in.Type, any("array")), in.Items
		return ok && s.Items.strict()
	case len(in.AnyOf) > 0:
		*s = schema{Description: in.Description, AnyOf: in.AnyOf}
		for i := range s.AnyOf {
			ok = ok && s.AnyOf[i].strict()
		}
		return ok
	case in.Type == nil && len(in.Enum) > 0:
		s.Type = typeOf(schema{}, in.Enum)
	}
	return ok && s.Type != nil && !in.is("object") && !in.is("array")
}
