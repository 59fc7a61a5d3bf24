package config

import "strings"

// smartHole is the table of the keys about SmartHole, which are fields named smarthole.KEY.
const smartHole = "smarthole"

// SmartHole is what is configured of the way in for routed messages.
type SmartHole struct {
	Enabled     Value[bool]
	URL         Value[string] // empty: where SmartHole listens by default
	Name        Value[string] // that this program registers by
	Description Value[string] // of what should be routed here; empty: one made of the vault's name
}

// section takes one entry of a table whose keys are fields.
func (l *loader) section(e entry, at Origin) {
	table := e.path[0]
	switch len(e.path) {
	case 1:
		if _, ok := e.raw.(map[string]any); !ok {
			l.errs.add(at, table, "must be a table, not %s", typeName(e.raw))
		}
		return
	case 2:
	default:
		return // below a key that was refused as a whole
	}
	if f, ok := fieldOf(table + "." + e.path[1]); ok {
		l.set(f, e.raw, at)
		return
	}
	var keys []string
	for _, f := range fields {
		if key, ok := strings.CutPrefix(f.key, table+"."); ok {
			keys = append(keys, key)
		}
	}
	l.errs.add(at, e.key(), "unknown key%s", near(e.path[1], keys))
}
