package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// PropertyUse counts a property of notes. Case is ignored; Key has the spelling of the first note by path.
type PropertyUse struct {
	Key    string          `json:"key"`
	Notes  int             `json:"notes" jsonschema:"number of notes"`
	Values []PropertyValue `json:"values" jsonschema:"most notes first"` // at most maxValues
	More   int             `json:"more,omitempty" jsonschema:"number of further values"`
}

// PropertyValue is a value of a property, or an element of a list value.
type PropertyValue struct {
	Text  string `json:"value" jsonschema:"as one line of YAML"`
	Notes int    `json:"notes" jsonschema:"number of notes"`
}

// maxValues limits PropertyUse.Values.
const maxValues = 8

// Properties are the properties in the front matter of a scope's notes.
type Properties struct {
	Uses   []PropertyUse // most notes first, then by key
	Notes  int           // notes with properties
	All    int           // notes examined
	Faulty []string      // notes with unreadable front matter, by path
	Missed Missed
}

// NoteProperty is the value of a property in a note.
type NoteProperty struct {
	Path  string
	Value any // as in note.Property
}

// frontOf is the front matter of a note.
type frontOf struct {
	path       string
	properties []note.Property
	faulty     bool
}

// fronts returns the front matter of the scope's notes that have any, by path. all counts the notes examined.
func (v Queries) fronts(ctx context.Context, s Scope) (list []frontOf, all int, missed Missed, err error) {
	var looked atomic.Int64
	list, missed, err = collect(ctx, v, s, func(t walk.Text, add func(frontOf)) {
		looked.Add(1)
		properties, err := t.Properties()
		if len(properties) > 0 || err != nil {
			add(frontOf{path: t.Path, properties: properties, faulty: err != nil})
		}
	})
	slices.SortFunc(list, func(a, b frontOf) int { return strings.Compare(a.path, b.path) })
	return list, int(looked.Load()), missed, err
}

// Properties counts the properties of a scope's notes and their values.
func (v Queries) Properties(ctx context.Context, s Scope) (Properties, error) {
	list, all, missed, err := v.fronts(ctx, s)
	if err != nil {
		return Properties{}, err
	}
	found := Properties{All: all, Missed: missed}
	index := make(map[string]int)
	values := make(map[string]map[string]int)
	for _, f := range list {
		if f.faulty {
			found.Faulty = append(found.Faulty, f.path)
			continue
		}
		found.Notes++
		for _, p := range f.properties {
			key := pathname.Fold(p.Key)
			at, ok := index[key]
			if !ok {
				at = len(found.Uses)
				index[key] = at
				values[key] = make(map[string]int)
				found.Uses = append(found.Uses, PropertyUse{Key: p.Key})
			}
			found.Uses[at].Notes++
			for _, text := range valueTexts(p.Value) {
				values[key][text]++
			}
		}
	}
	for i := range found.Uses {
		use := &found.Uses[i]
		for text, n := range values[pathname.Fold(use.Key)] {
			use.Values = append(use.Values, PropertyValue{Text: text, Notes: n})
		}
		slices.SortFunc(use.Values, func(a, b PropertyValue) int {
			return cmp.Or(cmp.Compare(b.Notes, a.Notes), strings.Compare(a.Text, b.Text))
		})
		use.More = max(len(use.Values)-maxValues, 0)
		use.Values = use.Values[:len(use.Values)-use.More]
	}
	slices.SortFunc(found.Uses, func(a, b PropertyUse) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), strings.Compare(pathname.Fold(a.Key), pathname.Fold(b.Key)))
	})
	return found, nil
}

// valueTexts returns the distinct values of a property, or of its list.
func valueTexts(value any) []string {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var texts []string
	for _, v := range list {
		if text := note.ValueText(v); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// WithProperty returns the notes of a scope with a property, by path. If value is not nil, the property must equal it
// or be a list that contains it, ignoring case.
func (v Queries) WithProperty(ctx context.Context, key string, value *string, s Scope) ([]NoteProperty, Missed, error) {
	list, _, missed, err := v.fronts(ctx, s)
	if err != nil {
		return nil, Missed{}, err
	}
	key = pathname.Fold(key)
	var found []NoteProperty
	for _, f := range list {
		for _, p := range f.properties {
			if isProperty(p, key, value) {
				found = append(found, NoteProperty{Path: f.path, Value: p.Value})
			}
		}
	}
	return found, missed, nil
}

// isProperty reports whether a property has a folded key and, unless value is nil, that value.
func isProperty(p note.Property, key string, value *string) bool {
	return pathname.Fold(p.Key) == key && (value == nil || hasValue(p.Value, pathname.Fold(*value)))
}

func hasValue(value any, want string) bool {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	return slices.ContainsFunc(list, func(v any) bool {
		text, isText := v.(string)
		if !isText {
			text = note.ValueText(v)
		}
		text = pathname.Fold(text)
		return text == want || strings.TrimSuffix(strings.TrimPrefix(text, "[["), "]]") == want || strings.TrimPrefix(text, "#") == want
	})
}
