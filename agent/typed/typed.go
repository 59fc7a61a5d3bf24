// Package typed checks answers against the JSON Schema that a program gave for them, draft 2020-12 or draft-07.
package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/agent/llm"
	"chatvault/internal/base/text"
)

// Form is the form of an answer.
type Form struct {
	Schema   json.RawMessage
	resolved *jsonschema.Resolved
	required map[string]bool // members that some object must have
}

// Read returns the JSON value in a model's answer, valid and on one line. There may be a code fence or a sentence around
// it. The error describes the fault to the model and the user.
func (f *Form) Read(answer string) (_ json.RawMessage, err error) {
	raw := json.RawMessage(strings.TrimSpace(answer))
	if !json.Valid(raw) {
		raw = within(answer)
	}
	var wrapped map[string]json.RawMessage
	_ = json.Unmarshal(raw, &wrapped) // nothing is in another value
	err = errors.New("it is not JSON")
	for _, v := range []json.RawMessage{raw, wrapped[llm.AnswerField]} {
		for _, v := range []json.RawMessage{v, f.withoutNulls(v)} {
			if v == nil {
				continue
			}
			if err = f.check(v); err == nil {
				return compact(v), nil
			}
		}
	}
	return nil, err
}

// compact returns valid JSON on one line.
func compact(raw []byte) json.RawMessage {
	var line bytes.Buffer
	_ = json.Compact(&line, raw)
	return line.Bytes()
}

// within returns the first JSON object or array that begins a line of a text, or nil.
func within(answer string) (raw json.RawMessage) {
	for rest := answer; rest != ""; _, rest, _ = strings.Cut(rest, "\n") {
		if from := strings.TrimLeft(rest, " \t"); strings.HasPrefix(from, "{") || strings.HasPrefix(from, "[") {
			_ = json.NewDecoder(strings.NewReader(from)).Decode(&raw) // nothing if it is incomplete
			return raw
		}
	}
	return nil
}

// check returns why a value is not valid, with the innermost part of the schema that it violates.
func (f *Form) check(raw json.RawMessage) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	err := f.resolved.Validate(v)
	if err == nil {
		return nil
	}
	why := err.Error()
	_, why, _ = strings.Cut(why[max(strings.LastIndex(why, "validating "), 0):], " ")
	return errors.New(text.Excerpt(strings.TrimPrefix(why, "root: "), maxReason))
}

// maxReason is the longest description of a fault in runes.
const maxReason = 300

// withoutNulls returns a value without the optional members that are null: an endpoint that requires all members has the
// model write null for those that it leaves out.
func (f *Form) withoutNulls(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if walk(member); member == nil && !f.required[name] {
					delete(v, name)
				}
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(v)
	raw, _ = text.JSON(v) // it was decoded
	return raw
}
