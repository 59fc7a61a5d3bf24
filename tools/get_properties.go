package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault/note"
	"chatvault/vault/query"
)

type getPropertiesArgs struct {
	Path       string  `json:"path,omitempty" note:"true" jsonschema:"note or folder"`
	Key        string  `json:"key,omitempty"`
	Value      *string `json:"value,omitempty" jsonschema:"with key: it is this, or a list with it"`
	Ignored    bool    `json:"include_ignored,omitempty"`
	MaxResults int     `json:"max_results,omitempty" min:"1"`
}

// propertiesFound is the data of get_properties, depending on the arguments.
type propertiesFound struct {
	Path       string              `json:"path,omitempty" jsonschema:"of the note with the properties"`
	Properties []propertyFound     `json:"properties,omitempty" jsonschema:"of one note"`
	Uses       []query.PropertyUse `json:"uses,omitempty" jsonschema:"of many notes, most used first"`
	Notes      []propertyFound     `json:"notes,omitempty" jsonschema:"if a key was given"`
	remainder
}

type propertyFound struct {
	Path  string `json:"path,omitempty"`
	Key   string `json:"key,omitempty"`
	Value string `json:"value" jsonschema:"as in YAML"`
}

var _ = define(definition{
	name:    "get_properties",
	output:  DataSchema[propertiesFound],
	traits:  Traits{Verb: "looking at properties of", Did: "looked at properties of", Kind: CallReads, Spare: true},
	example: `{"path": "Notes/a.md"}`,
}, runGetProperties, func(a getPropertiesArgs) string {
	what := a.Key
	if a.Key != "" && a.Value != nil {
		what += ": " + *a.Value
	}
	if what == "" {
		return a.Path
	}
	return listing.ScopeTarget(what, query.Scope{Path: a.Path})
})

func runGetProperties(ctx context.Context, t *Turn, a getPropertiesArgs) Result {
	scope := query.Scope{Path: a.Path, Ignored: a.Ignored}
	switch {
	case a.Value != nil && strings.TrimSpace(a.Key) == "":
		return failf("invalid arguments", `value needs "key": {"key": "status", "value": "draft"}.`)
	case strings.TrimSpace(a.Key) != "":
		return t.notesWith(ctx, a, scope)
	}
	if a.Path != "" && !listing.IsRoot(a.Path) {
		info, err := t.notes.Stat(ctx, a.Path)
		if err != nil {
			return failed("get_properties", err)
		}
		if !info.Folder {
			return t.propertiesOf(ctx, a)
		}
	}
	return t.propertyUses(ctx, a, scope)
}

func (t *Turn) propertiesOf(ctx context.Context, a getPropertiesArgs) Result {
	file, refused := t.readNote(ctx, "get_properties", a.Path)
	if file == nil {
		return refused
	}
	properties, err := t.vault.Home().Form().Properties(file.Data)
	if err != nil {
		return invalidFrontMatter(file.Path, err, "")
	}
	data := propertiesFound{Path: file.Path}
	l := listing.New(a.MaxResults)
	for _, p := range properties {
		listing.AddTo(l, &data.Properties, propertyFound{Key: p.Key, Value: valueText(p.Value)}, "%s\n", propertyLine(p.Key, p.Value))
	}
	return listed(l, fmt.Sprintf("Properties of %s:\n\n", wording.Quote(file.Path)), wording.Quote(file.Path)+" has no properties.",
		len(properties), "property", "read the note", "", &data)
}

// propertyLine returns a property as a line of YAML.
func propertyLine(key string, value any) string {
	text := note.ValueText(key) + ":"
	if value != nil {
		text += " " + valueText(value)
	}
	return text
}

// valueText returns a property's value as YAML, on one line of bounded length.
func valueText(value any) string { return wording.Shorten(note.ValueText(value), listing.MaxLine) }

func (t *Turn) propertyUses(ctx context.Context, a getPropertiesArgs, scope query.Scope) Result {
	found, err := t.vault.Query.Properties(ctx, scope)
	if err != nil {
		return failed("get_properties", err)
	}
	faulty := ""
	if len(found.Faulty) > 0 {
		faulty = fmt.Sprintf("\n\n[Front matter that cannot be parsed: %s]", listing.NotesText(found.Faulty))
	}
	var data propertiesFound
	l := listing.New(a.MaxResults)
	for _, use := range found.Uses {
		var values []string
		for i := range use.Values {
			v := &use.Values[i]
			v.Text = wording.Shorten(v.Text, 60)
			text := cmp.Or(v.Text, "(empty)")
			if v.Notes > 1 {
				text += fmt.Sprintf(" (%d)", v.Notes)
			}
			values = append(values, text)
		}
		if use.More > 0 {
			values = append(values, fmt.Sprintf("%d more values", use.More))
		}
		listing.AddTo(l, &data.Uses, use, "%s: %s; %s\n", note.ValueText(use.Key), wording.Counted(use.Notes, "note"), strings.Join(values, ", "))
	}
	return listed(l, fmt.Sprintf("Found %s in %d of %s, most used first, with their values:\n\n", wording.Counted(len(found.Uses), "property"), found.Notes, wording.Counted(found.All, "note")),
		fmt.Sprintf("No note in %s has properties.", listing.ScopeName(scope)),
		len(found.Uses), "property", "name a folder with path", faulty+listing.MissedText(found.Missed), &data)
}

func (t *Turn) notesWith(ctx context.Context, a getPropertiesArgs, scope query.Scope) Result {
	found, missed, err := t.vault.Query.WithProperty(ctx, strings.TrimSpace(a.Key), a.Value, scope)
	if err != nil {
		return failed("get_properties", err)
	}
	what := wording.Quote(wording.Shorten(a.Key, 80))
	if a.Value != nil {
		what += " " + wording.Quote(wording.Shorten(*a.Value, 80))
	}
	var data propertiesFound
	l := listing.New(a.MaxResults)
	for _, n := range found {
		p := propertyFound{Path: n.Path, Value: valueText(n.Value)}
		listing.AddTo(l, &data.Notes, p, "%s: %s\n", wording.PlainName(p.Path), p.Value)
	}
	return listed(l, fmt.Sprintf("Found %d note(s) in %s with %s:\n\n", len(found), listing.ScopeName(scope), what),
		fmt.Sprintf("No note in %s has the property %s.", listing.ScopeName(scope), what),
		len(found), "note", "name a folder with path", listing.MissedText(missed), &data)
}

// invalidFrontMatter returns the error for invalid front matter, with how to fix it.
func invalidFrontMatter(path string, err error, nothing string) Result {
	var front *note.FrontError
	if !errors.As(err, &front) {
		return failf("not set", "%s: %s.%s", wording.Quote(path), strings.TrimSuffix(err.Error(), "."), nothing)
	}
	return failf("front matter", "The front matter of %s cannot be used (line %d: %s).%s Fix it with edit_file: read the first lines of the note and correct that line.",
		wording.Quote(path), front.Line, wording.OneLine(wording.Shorten(front.Reason, 200)), nothing)
}
