package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Asker asks the user for a value on behalf of a server; ok is false if they do not give one. The agent's messenger is
// one.
type Asker interface {
	AskValue(ctx context.Context, name, why string) (value string, ok bool, err error)
}

// Bounds of a server's questions. Larger ones are declined.
const (
	maxFields   = 50
	maxQuestion = 4000 // in bytes
	maxAnswers  = 3    // to one question
)

// secret matches questions for what no server should learn.
var secret = regexp.MustCompile(`(?i)pass ?(word|phrase|code|wd)|secret|\btoken\b|api[ _-]?key|private[ _-]?key|credential|\bpin\b|\botp\b|2fa|cvv|card number|seed phrase`)

// setAsker lets the server ask the user until ctx ends, if m can ask. It waits for the end of an
// earlier question.
func (l *link) setAsker(ctx context.Context, m tools.Messenger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask = nil
	if a, ok := m.(Asker); ok {
		l.ask = func(name, why string) (string, bool, error) { return a.AskValue(ctx, name, why) }
	}
}

// elicit asks the user a server's question, once for each field, one question at a time. It declines questions outside
// a call and requests to open an address, and warns of questions for secrets.
func (l *link) elicit(server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	decline := &sdk.ElicitResult{Action: "decline"}
	var form jsonschema.Schema
	data, err := json.Marshal(p.RequestedSchema)
	if err != nil || json.Unmarshal(data, &form) != nil || l.ask == nil || p.URL != "" || len(form.Properties) > maxFields || len(p.Message) > maxQuestion {
		return decline, nil
	}
	ask := func(name, hint string) (value string, ok bool, err error) {
		if secret.MatchString(p.Message + " " + name + " " + hint) {
			hint += " It looks like a secret: give it only to a server that you trust with it."
		}
		return l.ask(text.Clip(terminal.StrictLine(name), 60)+", for the MCP server "+server, fmt.Sprintf("The server %s asks: “%s” %s", server, terminal.StrictLine(p.Message), hint))
	}
	if len(form.Properties) == 0 {
		value, _, err := ask("yes", "Type yes to agree.")
		if err != nil || !strings.EqualFold(value, "yes") {
			return decline, err
		}
	}
	content := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		f := field{form.Properties[name], name, slices.Contains(form.Required, name)}
		value, given, err := f.ask(ask)
		switch {
		case err == nil && given:
			content[name] = value
		case errors.Is(err, errInvalid) || err == nil && f.required:
			return decline, nil
		case err != nil:
			return nil, err
		}
	}
	if len(content) == 0 && len(form.Properties) > 0 {
		return decline, nil
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

// field is a value that a server asks for. The SDK has checked that it is a string, number, boolean or list of options.
type field struct {
	*jsonschema.Schema
	name     string
	required bool
}

// skip is what the user types to use a field's default, or to leave the field out.
const skip = "-"

// errInvalid is the error if the user typed no valid value.
var errInvalid = errors.New("no valid value")

// ask asks the user for a value until it is valid; given is false if there is none.
func (f field) ask(ask func(name, hint string) (string, bool, error)) (value any, given bool, err error) {
	wrong := ""
	for range maxAnswers {
		typed, ok, err := ask(cmp.Or(f.Title, f.name), wrong+f.hint())
		switch {
		case err != nil || !ok:
			return nil, false, err
		case typed != skip:
			value = f.parse(typed)
		case f.Default == nil:
			return nil, false, nil
		default:
			_ = json.Unmarshal(f.Default, &value) // the SDK checked it
		}
		if err := f.check(value); err == nil {
			return value, true, nil
		}
		wrong = fmt.Sprintf("“%s” is not valid. ", text.Clip(terminal.StrictLine(typed), 40))
	}
	return nil, false, errInvalid
}

// hint describes the value that is wanted.
func (f field) hint() string {
	choose, skipped := "One of: ", "decline"
	if f.Type == "array" {
		choose = "Any of, separated by commas: "
	}
	if f.Default != nil {
		skipped = "use the default, " + text.Clip(string(f.Default), 100)
	} else if !f.required {
		skipped = "leave it out"
	}
	parts := []string{strings.TrimSuffix(text.Clip(f.Description, 400), ".")}
	if all := f.options(); all != nil {
		parts = append(parts, choose+text.Clip(strings.Join(text.Of(all, func(o option) string { return o.title }), ", "), 1000))
	}
	if f.Format != "" {
		parts = append(parts, "Format: "+text.Clip(f.Format, 40))
	}
	return terminal.StrictLine(text.Join(". ", append(parts, "Type - to "+skipped, "What you type is sent to it.")...))
}

// option is a possible value and its title.
type option struct {
	value any
	title string
}

// options returns the possible values; nil if they are not restricted.
func (f field) options() (all []option) {
	s := f.Schema
	if s.Type == "array" {
		s = s.Items
	}
	names, _ := s.Extra["enumNames"].([]any)
	for i, v := range s.Enum {
		o := option{v, fmt.Sprint(v)}
		if i < len(names) {
			o.title = fmt.Sprint(names[i])
		}
		all = append(all, o)
	}
	for _, x := range slices.Concat(s.OneOf, s.AnyOf) {
		if x.Const != nil {
			all = append(all, option{*x.Const, cmp.Or(x.Title, fmt.Sprint(*x.Const))})
		}
	}
	if s.Type == "boolean" {
		all = []option{{true, "yes"}, {false, "no"}}
	}
	return all
}

// parse converts what the user typed.
func (f field) parse(typed string) (value any) {
	options := f.options()
	pick := func(typed string) any {
		is := func(o option) bool { return strings.EqualFold(o.title, typed) || o.value == any(typed) }
		if i := slices.IndexFunc(options, is); i >= 0 {
			return options[i].value
		}
		return typed
	}
	value = pick(typed)
	switch f.Type {
	case "array":
		parts := []string{typed}
		if value == any(typed) { // not one title, which may contain commas
			parts = strings.Split(typed, ",")
		}
		var list []any
		for _, part := range parts {
			list = append(list, pick(strings.TrimSpace(part)))
		}
		return list
	case "number", "integer":
		_ = json.Unmarshal([]byte(typed), &value) // else it stays text, which is not valid
	}
	return value
}

// check returns an error if a value does not fit the schema. The server checks its format.
func (f field) check(value any) error {
	r, err := f.Resolve(nil)
	if err != nil {
		return err
	}
	return r.Validate(value)
}
