package keys

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"

	"chatvault/internal/app/config"
	"chatvault/internal/base/text"
)

// Action is a rebindable action.
type Action struct {
	Name    string // "word_left"
	Binding *key.Binding
}

// Layer is a set of actions that are active at the same time, so that their keys must differ.
type Layer struct {
	Name    string
	Text    bool   // characters are inserted as text
	Beside  string // another layer with which it must not share keys, or empty
	Actions []Action
}

// Rules are further constraints on bindings.
type Rules struct {
	// Together lists pairs of actions that may share a key because they are never active at the same time.
	Together [][2]string
	// Needed lists actions that must have a key.
	Needed []string
	// Plain lists actions of text layers that may be bound to a character.
	Plain []string
}

// Fault is an invalid binding.
type Fault = config.BindingFault

// Actions returns the fields of a key map, a pointer to a struct of bindings; WordLeft is named word_left.
func Actions(prefix string, keyMap any) []Action {
	v := reflect.ValueOf(keyMap).Elem()
	var out []Action
	for i := range v.NumField() {
		out = append(out, Action{prefix + snake(v.Type().Field(i).Name), v.Field(i).Addr().Interface().(*key.Binding)})
	}
	return out
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Rebind changes the keys of actions; an empty list unbinds one. If anything is invalid, nothing changes and all
// faults are returned.
func Rebind(layers []Layer, bound map[string][]string, rules Rules) []Fault {
	var faults []Fault
	fault := func(action, format string, args ...any) {
		faults = append(faults, Fault{Action: action, Text: fmt.Sprintf(format, args...)})
	}
	want, writes := map[string][]string{}, map[string]bool{} // by action
	for _, l := range layers {
		for _, a := range l.Actions {
			want[a.Name] = a.Binding.Keys()
			writes[a.Name] = l.Text && !slices.Contains(rules.Plain, a.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bound)) {
		if _, ok := want[name]; !ok {
			fault(name, "there is no such action; chatvault help keys lists them")
			continue
		}
		spelt := []string{}
		for _, written := range bound[name] {
			k, err := Spell(written)
			switch {
			case err != nil:
				fault(name, "%q %v", written, err)
			case Writes(k) && writes[name]:
				fault(name, "%q is a character, which is for the text; use Ctrl with a letter, Alt with a key, or F1 to F20", written)
			case !slices.Contains(spelt, k):
				spelt = append(spelt, k)
			}
		}
		if len(bound[name]) == 0 && slices.Contains(rules.Needed, name) {
			fault(name, "needs a key: without one there is no way to do it")
		}
		want[name] = spelt
	}
	if len(faults) == 0 {
		faults = clashes(layers, want, bound, rules)
	}
	if len(faults) > 0 {
		return faults
	}
	for _, l := range layers {
		for _, a := range l.Actions {
			if _, changed := bound[a.Name]; changed {
				set(a.Binding, want[a.Name])
			}
		}
	}
	return nil
}

// clashes returns the faults for keys shared by two actions.
func clashes(layers []Layer, want, bound map[string][]string, rules Rules) []Fault {
	type action struct {
		name  string
		layer Layer
	}
	var all []action
	for _, l := range layers {
		for _, a := range l.Actions {
			all = append(all, action{a.Name, l})
		}
	}
	var faults []Fault
	for i, a := range all {
		for _, b := range all[i+1:] {
			at := slices.IndexFunc(want[a.name], func(k string) bool { return slices.Contains(want[b.name], k) })
			meet := a.layer.Name == b.layer.Name || a.layer.Beside == b.layer.Name || b.layer.Beside == a.layer.Name
			if at < 0 || !meet || mayShare(rules.Together, a.name, b.name) {
				continue
			}
			who, with := a.name, b.name // report the action that the user bound
			if _, is := bound[who]; !is || bound[with] != nil && with > who {
				who, with = with, who
			}
			faults = append(faults, Fault{Action: who, Text: fmt.Sprintf("%s is also the key of %s; give %s or %s another key, or \"none\"", Show(want[a.name][at]), with, who, with)})
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return strings.Compare(a.Action, b.Action) })
	return faults
}

func mayShare(together [][2]string, a, b string) bool {
	return slices.ContainsFunc(together, func(p [2]string) bool { return p == [2]string{a, b} || p == [2]string{b, a} })
}

// set changes the keys of a binding and its help.
func set(b *key.Binding, to []string) {
	does := b.Help().Desc
	if len(to) == 0 {
		b.Unbind()
		b.SetHelp("", does)
		return
	}
	b.SetKeys(to...)
	b.SetHelp(ShowAll(to), does)
}

// ShowAll returns the display form of several keys.
func ShowAll(names []string) string {
	return strings.Join(text.Of(names, Show), ", ")
}
