package tools

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"chatvault/tools/property"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault/note"
)

type setPropertyArgs struct {
	Path string `json:"path" note:"true" nonempty:"true"`
	property.Wanted
	Delete bool `json:"delete,omitempty"`
}

var _ = define(definition{
	name:   "set_property",
	traits: Traits{Verb: "setting a property of", Did: "set a property of", Kind: CallEdits, Edits: true, Again: true, Spare: true},
	short: []Form{
		{About: "set a property of a note, such as status or rating", Params: []Param{{"path", OfNotes}, {"key", OfKeys}, {"value", ""}}, For: []Wish{WishSet, WishChange, WishAdd}},
		{Name: "add_tag", About: "add a tag", Params: []Param{{"path", OfNotes}, {"tag", OfSaid}}, For: []Wish{WishTag}, as: tagged("add")},
		{Name: "remove_tag", About: "remove a tag", Params: []Param{{"path", OfNotes}, {"tag", OfSaid}}, For: []Wish{WishUntag}, as: tagged("remove")},
		{
			Name: "add_to_property", About: "add a value to a property that is a list", Params: []Param{{"path", OfNotes}, {"key", OfLists}, {"value", ""}}, For: []Wish{WishAdd},
			as: func(a map[string]string, _ string) map[string]any {
				return map[string]any{"path": a["path"], "key": a["key"], "add": []string{a["value"]}}
			},
		},
	},
	example: `{"path": "Notes/a.md", "key": "status", "value": "done"}`,
	forms: []form{
		{"values", `{"path": "Notes/a.md", "key": "tags", "values": ["one", "two"]}`},
		{"add", `{"path": "Notes/a.md", "key": "tags", "add": ["one"]}`},
		{"remove", `{"path": "Notes/a.md", "key": "tags", "remove": ["one"]}`},
		{"delete", `{"path": "Notes/a.md", "key": "status", "delete": true}`},
	},
}, runSetProperty, func(a setPropertyArgs) string {
	if a.Path == "" || a.Key == "" {
		return a.Path
	}
	return a.Path + " " + a.Key
})

// maxPropertyValues is the maximum number of list elements in a call.
const maxPropertyValues = 500

func runSetProperty(ctx context.Context, t *Turn, a setPropertyArgs) Result {
	a.Key = strings.TrimSpace(a.Key)
	if err := a.check(); err != nil {
		return failf("invalid arguments", "%s", err)
	}
	file, refused := t.readNote(ctx, "set_property", a.Path)
	if file == nil {
		return refused
	}
	if known := t.known.Hash(file.Path); known != "" && known != file.Hash {
		return changedOnDisk(file.Path)
	}
	properties, err := note.Properties(file.Data)
	if err != nil {
		return invalidFrontMatter(file.Path, err, " Nothing was written.")
	}
	at := note.Find(properties, a.Key)
	if a.Delete && at < 0 {
		return textf("not there", "%s has no property %s; nothing was written.", wording.Quote(file.Path), wording.Quote(a.Key))
	}
	var old any
	if at >= 0 {
		a.Key, old = properties[at].Key, properties[at].Value
	}
	var after []byte
	said := fmt.Sprintf("Removed the property %s of %s.", wording.Quote(a.Key), wording.Quote(file.Path))
	if a.Delete {
		after, err = note.Remove(file.Data, a.Key)
	} else {
		number, _ := note.NumberText(file.Data, a.Key)
		var value any
		if value, err = a.New(old, number); err != nil {
			return failf("invalid value", "%s", err)
		}
		said = fmt.Sprintf("Set %s in %s.", propertyLine(a.Key, value), wording.Quote(file.Path))
		if after = file.Data; a.Value != nil || number == "" || value != old { // the number did not become a list
			after, err = note.Set(file.Data, a.Key, value)
		}
		if err == nil && bytes.Equal(after, file.Data) {
			return textf("unchanged", "%s already has %s; nothing was written.", wording.Quote(file.Path), propertyLine(a.Key, value))
		}
	}
	if err != nil {
		return invalidFrontMatter(file.Path, err, " Nothing was written.")
	}
	c, err := t.write(ctx, a.Path, after, file.Hash, nil)
	if err != nil {
		return failed("set_property", err)
	}
	t.known.Made("edited", c, "")
	r := textf("set "+wording.Shorten(wording.OneLine(a.Key), 40), "%s", said).withNote(c)
	r.Text += "\n\n" + textedit.ResultDiff(c.Path, string(file.Data), string(after))
	return r
}

// check returns an error if the arguments do not request exactly one change.
func (a setPropertyArgs) check() error {
	modes := given(mode{"value", a.Value != nil}, mode{"values", a.Values != nil}, mode{"add/remove", len(a.Add)+len(a.Remove) > 0}, mode{"delete", a.Delete})
	switch {
	case len(modes) == 0:
		return wording.Sentence(`set_property needs what to set: "value" for one value, "values" for a list, "add" or "remove" for elements of a list, or "delete": true.`)
	case len(modes) > 1:
		return wording.Sentence("%s cannot be combined; give one of them.", strings.Join(modes, " and "))
	case a.Text && a.Value == nil:
		return wording.Sentence("as_text works only with value: list elements are always text.")
	case len(a.Values)+len(a.Add)+len(a.Remove) > maxPropertyValues:
		return wording.Sentence("A list may have at most %d elements in a call.", maxPropertyValues)
	}
	return nil
}

// tagged returns a function that builds the arguments to add or remove a tag.
func tagged(how string) func(map[string]string, string) map[string]any {
	return func(a map[string]string, _ string) map[string]any {
		return map[string]any{"path": a["path"], "key": "tags", how: []string{strings.TrimPrefix(a["tag"], "#")}}
	}
}
