package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Form is a call as a small model makes it: with few arguments, all of them texts, and a name that says one
// thing. Some tools have several. Its words hold no path that a model could copy.
type Form struct {
	Name   string // empty: the tool's own
	About  string
	Params []Param
	For    []Wish // requests that it serves; none: looking something up

	// as returns the tool's arguments for those of the form; note is the text of the note that they name, ""
	// if it is not known. nil: they are the same.
	as func(args map[string]string, note string) map[string]any
}

// Param is an argument of a form.
type Param struct {
	Name string
	Of   Choice // what its value is one of
}

// Choice says what the value of an argument is one of; "" for any text.
type Choice string

// The choices.
const (
	OfNotes    Choice = "notes"    // names of notes
	OfHeadings Choice = "headings" // texts of the note's headings
	OfOpen     Choice = "open"     // texts of its open tasks
	OfDone     Choice = "done"     // of those that are done
	OfLines    Choice = "lines"    // lines of it
	OfLists    Choice = "lists"    // properties that are lists
	OfSaid     Choice = "said"     // words of the request
	OfNewNames Choice = "newnames" // words of it that can be a note's new name
	OfKeys     Choice = "keys"     // properties of the note that it names
	OfTitles   Choice = "titles"   // what it says a new note is called
	OfFolders  Choice = "folders"  // folders that it names, for a new note; "" for none
	OfContents Choice = "contents" // a list of links that it asks for
	OfPlaces   Choice = "places"   // folders that it names, or words of it
)

// Wish is a kind of change that a person asks for.
type Wish string

// The wishes.
const (
	WishAdd     Wish = "add"
	WishCreate  Wish = "create"
	WishChange  Wish = "change"
	WishSet     Wish = "set"
	WishSection Wish = "section" // other text in place of a section's
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

// Forms returns the forms of a tool, none for tools that small models are not offered.
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

// Signature returns the form as a person would write it: append_file(path, content).
func (f Form) Signature() string {
	var names []string
	for _, p := range f.Params {
		names = append(names, p.Name)
	}
	return f.Name + "(" + strings.Join(names, ", ") + ")"
}

// Schema returns the JSON Schema of the form's arguments, in their order; a value that has choices is one of them.
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

// Closed returns the schema of an object that has these properties and no others. A server that holds a model to
// a schema has it write them in this order.
func Closed(names []string, properties map[string]*jsonschema.Schema) *jsonschema.Schema {
	none := &jsonschema.Schema{Not: &jsonschema.Schema{}}
	return &jsonschema.Schema{Type: "object", Properties: properties, PropertyOrder: names, Required: names, AdditionalProperties: none}
}

// Arguments returns the arguments of the tool for those of the form; see Form.as for note.
func (f Form) Arguments(raw json.RawMessage, note string) json.RawMessage {
	if f.as == nil {
		return raw
	}
	var given map[string]any
	if json.Unmarshal(raw, &given) != nil || given[f.Params[0].Name] == nil { // as the tool itself takes them
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
