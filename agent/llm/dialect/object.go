package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// members are the ordered members of a JSON object.
type members[T any] []named[T]

type named[T any] struct {
	name  string
	value T
}

// Object is a JSON object with ordered members of any type.
type (
	Object = members[any]
	object = Object
	member = named[any]
)

// NewObject returns an object of alternating names and values. Members with a zero value or an empty name are left out.
func NewObject(pairs ...any) Object { return With(nil, pairs...) }

// With is NewObject after the members of an object.
func With(o Object, pairs ...any) Object {
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, value := pairs[i].(string), pairs[i+1]; name != "" && value != nil && !reflect.ValueOf(value).IsZero() {
			o = append(o, member{name, value})
		}
	}
	return o
}

// fields are members of a JSON object, as JSON by name.
type fields map[string]string

// index returns the index of a member, or -1.
func (o members[T]) index(name string) int {
	return slices.IndexFunc(o, func(m named[T]) bool { return m.name == name })
}

// Get returns the value of a member, or the zero value.
func (o members[T]) Get(name string) (value T) {
	if i := o.index(name); i >= 0 {
		value = o[i].value
	}
	return value
}

// with returns the object with the missing fields appended, sorted by name.
func with(o object, add fields) object {
	for _, name := range slices.Sorted(maps.Keys(add)) {
		if o.index(name) < 0 {
			o = append(o, member{name, json.RawMessage(add[name])})
		}
	}
	return o
}

// MarshalJSON implements json.Marshaler.
func (o members[T]) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(m.name) // of a string: cannot fail
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// UnmarshalJSON adds the members of an object; one of the same name is replaced. Other JSON has no members, and what
// does not fit T is left out.
func (o *members[T]) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil //nolint:nilerr // no members
	}
	for d.More() {
		name, _ := d.Token()
		m := named[T]{name: fmt.Sprint(name)}
		_ = d.Decode(&m.value)
		if i := o.index(m.name); i >= 0 {
			(*o)[i] = m
		} else {
			*o = append(*o, m)
		}
	}
	return nil
}
