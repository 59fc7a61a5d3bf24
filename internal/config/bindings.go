package config

import (
	"fmt"
	"slices"
)

// keysTable is the table of the keys that are bound otherwise: [keys], with an action's name and
// the key, or a list of keys, or "none".
const keysTable = "keys"

// NoKey is what leaves an action without a key.
const NoKey = "none"

// maxBound bounds the keys of one action.
const maxBound = 8

// BindingFault is what is wrong with a binding: Text completes the sentence "keys.ACTION: …".
type BindingFault struct{ Action, Text string }

// binding takes one entry of [keys].
func (l *loader) binding(e entry, at Origin) {
	switch len(e.path) {
	case 1:
		if _, ok := e.raw.(map[string]any); !ok {
			l.errs.add(at, keysTable, "must be a table, like [keys] with details = \"ctrl+x\" below it, not %s", typeName(e.raw))
		}
		return
	case 2:
	default:
		return // below an entry that was refused as a whole
	}
	bound, err := parseBinding(e.raw)
	if err != nil {
		l.errs.add(at, e.key(), "%s", err)
		return
	}
	l.cfg.Keys[e.path[1]] = Value[[]string]{bound, at}
}

// parseBinding takes a key, a list of them, or "none", which is an empty list.
func parseBinding(raw any) ([]string, error) {
	list, isList := raw.([]any)
	if !isList {
		list = []any{raw}
	}
	bound := []string{}
	for _, item := range list {
		s, ok := item.(string)
		switch {
		case !ok:
			return nil, fmt.Errorf(`must be a key in quotes such as "ctrl+x", a list of them, or "none", not %s`, typeName(item))
		case s == NoKey && len(list) > 1:
			return nil, fmt.Errorf(`must be keys or "none", not both`)
		case s == NoKey:
			return bound, nil
		}
		bound = append(bound, s)
	}
	if len(bound) > maxBound {
		return nil, fmt.Errorf("must be at most %d keys, not %d", maxBound, len(bound))
	}
	return bound, nil
}

// checkBindings has those who know the actions look at the bindings, the first line first.
func (l *loader) checkBindings() {
	if l.in.CheckKeys == nil || len(l.cfg.Keys) == 0 {
		return
	}
	faults := l.in.CheckKeys(l.cfg.Bindings())
	slices.SortStableFunc(faults, func(a, b BindingFault) int {
		return l.cfg.Keys[a.Action].Origin.Line - l.cfg.Keys[b.Action].Origin.Line
	})
	for _, f := range faults {
		l.errs.add(l.cfg.Keys[f.Action].Origin, keysTable+"."+f.Action, "%s", f.Text)
	}
}

// Bindings are the keys that are bound otherwise, by action, as they were written; an empty list
// is "none".
func (c *Screen) Bindings() map[string][]string {
	out := make(map[string][]string, len(c.Keys))
	for action, v := range c.Keys {
		out[action] = v.V
	}
	return out
}

// describeBindings are the lines of [keys].
func (c *Screen) describeBindings() []tableLine {
	var lines []tableLine
	for _, action := range sortedKeys(c.Keys) {
		v := c.Keys[action]
		value := NoKey
		if len(v.V) > 0 {
			value = fmt.Sprintf("%q", v.V)
		}
		lines = append(lines, tableLine{keysTable + "." + action, value, v.Origin})
	}
	return lines
}
