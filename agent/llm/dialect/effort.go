package dialect

import (
	"encoding/json"
	"slices"
)

// off is the effort of a model that is not to reason.
const off = "none"

// quoted is a word as JSON.
func quoted(word string) string {
	b, _ := json.Marshal(word) // of a string: cannot fail
	return string(b)
}

// byReasoning is what routers are told.
func byReasoning(effort string) fields {
	return fields{"reasoning": `{"effort":` + quoted(effort) + `}`}
}

// switched are the efforts of models that reason or do not.
var switched = []string{off, "high"}

// bySwitch tells a model with these values whether to reason.
func bySwitch(name, no, yes string) func(string) fields {
	return func(effort string) fields {
		if effort == off {
			return fields{name: no}
		}
		return fields{name: yes}
	}
}

// byBoth tells whether to reason, and how much.
func byBoth(name, no, yes string) func(string) fields {
	return func(effort string) fields {
		out := bySwitch(name, no, yes)(effort)
		if effort != off {
			out["reasoning_effort"] = quoted(effort)
		}
		return out
	}
}

// effort are the fields that say how much a model is to reason.
func (d *Dialect) effort(level string) fields {
	switch {
	case level == "":
		return nil
	case d.Effort != nil:
		return d.Effort(level)
	}
	return fields{"reasoning_effort": quoted(level)}
}

// Efforts are those of a model's own that can be told over this dialect; own are nil where they are not known.
func (d *Dialect) Efforts(own []string) []string {
	known := own
	if known == nil {
		known = []string{off, "minimal", "low", "medium", "high", "xhigh", "max"}
	}
	if d.OnlyEfforts != nil {
		return slices.Clone(d.OnlyEfforts)
	}
	if d.CanBeOff && !slices.Contains(known, off) {
		known = append([]string{off}, known...)
	}
	return known
}
