package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"chatvault/tools/property"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/note"
)

type setPropertyArgs struct {
	Path string `json:"path,omitempty" note:"true"`
	property.Wanted
	Delete bool   `json:"delete,omitempty"`
	Where  *where `json:"where,omitempty"`
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
}, runSetProperty, func(a setPropertyArgs) string {
	if a.Where != nil && a.Path == "" {
		return a.Key + " in " + a.Where.target()
	}
	if a.Path == "" || a.Key == "" {
		return a.Path
	}
	return a.Path + " " + a.Key
})

// maxPropertyValues is the maximum number of list elements in a call.
const maxPropertyValues = 500

func runSetProperty(ctx context.Context, t *Turn, a setPropertyArgs) Result {
	a.Key = strings.TrimSpace(a.Key)
	if err := cmp.Or(a.check(), a.Where.check("set_property", a.Path)); err != nil {
		return failf("invalid arguments", "%s", err)
	}
	form := t.vault.Home().Form()
	if a.Where != nil {
		return t.setMany(ctx, a, form)
	}
	file, refused := t.readNote(ctx, "set_property", a.Path)
	if file == nil {
		return refused
	}
	if known := t.known.Hash(file.Path); known != "" && known != file.Hash {
		return changedOnDisk(file.Path)
	}
	after, line, err := a.applied(file.Data, form)
	switch {
	case errors.As(err, new(valueError)):
		return failf("invalid value", "%s", err)
	case err != nil:
		return invalidFrontMatter(file.Path, err, " Nothing was written.")
	case a.Delete && line == "":
		return textf("not there", "%s has no property %s; nothing was written.", wording.Quote(file.Path), wording.Quote(a.Key))
	case bytes.Equal(after, file.Data):
		return textf("unchanged", "%s already has %s; nothing was written.", wording.Quote(file.Path), line)
	}
	c, err := t.write(ctx, a.Path, after, file.Hash, nil)
	if err != nil {
		return failed("set_property", err)
	}
	t.known.Made("edited", c, "")
	said := fmt.Sprintf("Set %s in %s.", line, wording.Quote(c.Path))
	if a.Delete {
		said = fmt.Sprintf("Removed the property %s of %s.", wording.Quote(line), wording.Quote(c.Path))
	}
	r := textf("set "+wording.Shorten(wording.OneLine(a.Key), 40), "%s", said).withNote(c)
	r.Text += "\n\n" + textedit.ResultDiff(c.Path, string(file.Data), string(after))
	return r
}

// valueError is the error of a value that a property cannot have.
type valueError struct{ error }

// applied returns a note's text with the property changed, and the property as it is then, or the key of the removed
// one. That is empty if the property to be removed is missing. The key becomes the note's spelling.
func (a *setPropertyArgs) applied(data []byte, form note.Form) (after []byte, line string, err error) {
	properties, err := form.Properties(data)
	if err != nil {
		return nil, "", err
	}
	at := note.Find(properties, a.Key)
	if a.Delete && at < 0 {
		return data, "", nil
	}
	var old any
	if at >= 0 {
		a.Key, old = properties[at].Key, properties[at].Value
	}
	if a.Delete {
		after, err = form.Remove(data, a.Key)
		return after, a.Key, err
	}
	number, _ := note.NumberText(data, a.Key)
	value, err := a.New(old, number)
	if err != nil {
		return nil, "", valueError{err}
	}
	if after = data; a.Value != nil || number == "" || value != old { // the number did not become a list
		after, err = form.Set(data, a.Key, value)
	}
	return after, propertyLine(a.Key, value), err
}

// setMany changes the property in many notes.
func (t *Turn) setMany(ctx context.Context, a setPropertyArgs, form note.Form) Result {
	m := manyEdit{where: *a.Where, did: "Changed " + wording.Quote(a.Key)}
	switch value, err := a.New(nil, ""); {
	case a.Delete || len(a.Remove) > 0 && len(a.Add) == 0:
		m.did = "Removed " + wording.Quote(a.Key)
		m.Key = cmp.Or(m.Key, a.Key) // other notes have nothing to remove
	case err != nil:
		return failf("invalid value", "%s", err)
	case len(a.Add) == 0:
		m.did = "Set " + propertyLine(a.Key, value)
	}
	m.edit = func(f *vault.File) ([]byte, int, error) {
		here := a
		after, _, err := here.applied(f.Data, form)
		switch {
		case err != nil && !errors.As(err, new(valueError)):
			err = errors.New(invalidFrontMatter(f.Path, err, "").Text)
		case bytes.Equal(after, f.Data):
			return nil, 0, err
		}
		return after, 1, err
	}
	return t.editMany(ctx, m)
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
