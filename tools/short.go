package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"chatvault/internal/base/text"
)

// Form is a call as offered to small models: with a specific name and few arguments, all of them texts. Some tools
// have several. Its texts contain no path that a model could copy.
type Form struct {
	Name   string // empty means the tool's own
	About  string
	Params []Param
	For    []Wish // requests that it serves; empty for lookups

	// as converts the form's arguments to the tool's. note is the text of the note that they name, or "" if unknown.
	// nil means they are the same.
	as func(args map[string]string, note string) map[string]any
}

// Param is an argument of a form.
type Param struct {
	Name string
	Of   Choice // allowed values
}

// Choice is the set of allowed values of an argument; empty for any text.
type Choice string

// The choices.
const (
	OfNotes    Choice = "notes"    // names of notes
	OfHeadings Choice = "headings" // the note's headings
	OfOpen     Choice = "open"     // its open tasks
	OfDone     Choice = "done"     // its completed tasks
	OfLines    Choice = "lines"    // its lines
	OfLists    Choice = "lists"    // its list properties
	OfSaid     Choice = "said"     // words of the request
	OfNewNames Choice = "newnames" // words of the request that can be a note's new name
	OfKeys     Choice = "keys"     // the note's properties that the request names
	OfTitles   Choice = "titles"   // the request's title of a new note
	OfFolders  Choice = "folders"  // folders that the request names for a new note; "" for none
	OfContents Choice = "contents" // a requested list of links
	OfPlaces   Choice = "places"   // folders that the request names, or its words
)

// Wish is a kind of change that a user requests.
type Wish string

// The kinds of requests.
const (
	WishAdd     Wish = "add"
	WishCreate  Wish = "create"
	WishChange  Wish = "change"
	WishSet     Wish = "set"
	WishSection Wish = "section" // replace a section's text
	WishRemove  Wish = "remove"
	WishTag     Wish = "tag"
	WishUntag   Wish = "untag"
	WishMove    Wish = "move"
	WishRename  Wish = "rename"
	WishDelete  Wish = "delete"
	WishTick    Wish = "tick"
	WishUntick  Wish = "untick"
	WishDaily   Wish = "daily"
)

// Forms returns the forms of a tool. Tools that are not offered to small models have none.
func Forms(t Tool) []Form {
	b, _ := t.(bound)
	if b.definition == nil {
		return nil
	}
	out := slices.Clone(b.short)
	for i := range out {
		if out[i].Name == "" {
			out[i].Name = b.name
		}
	}
	return out
}

// Signature returns the form as a call: append_file(path, content).
func (f Form) Signature() string {
	return f.Name + "(" + strings.Join(text.Of(f.Params, func(p Param) string { return p.Name }), ", ") + ")"
}

// Schema returns the JSON Schema of the form's arguments in their order. choices limit the values.
func (f Form) Schema(choices map[Choice][]string) *jsonschema.Schema {
	var names []string
	values := map[string]*jsonschema.Schema{}
	for _, p := range f.Params {
		value := &jsonschema.Schema{Type: "string"}
		for _, c := range choices[p.Of] {
			value.Enum = append(value.Enum, c)
		}
		values[p.Name], names = value, append(names, p.Name)
	}
	return Closed(names, values)
}

// Closed returns the schema of an object with exactly these properties. A server with constrained decoding writes
// them in this order.
func Closed(names []string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	none := &jsonschema.Schema{Not: &jsonschema.Schema{}}
	return &jsonschema.Schema{Type: "object", Properties: properties, PropertyOrder: names, Required: names, AdditionalProperties: none}
}

// Arguments converts the form's arguments to the tool's. For note see Form.as.
func (f Form) Arguments(raw json.RawMessage, note string) json.RawMessage {
	if f.as == nil {
		return raw
	}
	var given map[string]any
	if json.Unmarshal(raw, &given) != nil || given[f.Params[0].Name] == nil { // already the tool's own arguments
		return raw
	}
	texts := map[string]string{}
	for name, v := range given {
		if s, ok := v.(string); ok {
			texts[name] = s
		}
	}
	args := f.as(texts, note)
	maps.DeleteFunc(args, func(_ string, v any) bool { return v == nil })
	out, err := json.Marshal(args)
	if err != nil {
		return raw
	}
	return out
}
