package config

import "strings"

// section takes one entry of a table whose keys are rows ("smarthole.url").
func (l *loader) section(e entry, at Origin) {
	table := e.path[0]
	switch len(e.path) {
	case 1:
		l.wantTable(e, at)
		return
	case 2:
	default:
		return // below a key that was refused as a whole
	}
	if r, ok := rowOf(l.rows, table+"."+e.path[1]); ok {
		l.set(r, e.raw, at)
		return
	}
	var keys []string
	for _, r := range l.rows {
		if key, ok := strings.CutPrefix(r.key, table+"."); ok {
			keys = append(keys, key)
		}
	}
	l.errs.add(at, e.key(), "unknown key%s", near(e.path[1], keys))
}
