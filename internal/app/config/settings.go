package config

import (
	"cmp"
	"slices"
	"strings"

	"chatvault/internal/base/text"
)

// SettingKind is how a setting is edited.
type SettingKind string

// The kinds of settings.
const (
	KindSwitch SettingKind = "switch" // true or false
	KindChoice SettingKind = "choice" // one of Setting.Choices
	KindNumber SettingKind = "number"
	KindText   SettingKind = "text"  // one line
	KindProse  SettingKind = "prose" // several lines
	KindList   SettingKind = "list"  // separated by commas
	KindFixed  SettingKind = "fixed" // a secret or a table: edited in the file
)

// Setting is a key of the configuration for display and editing.
type Setting struct {
	Key, Group string
	About      string // a sentence without its full stop
	Kind       SettingKind
	Choices    []string // KindChoice
	Means      []string // description of each of Choices; nil if they are clear
	Value      string   // as it would be typed; never a secret
	Shown      string   // on one line; empty if not set
	From       Origin
	Origin     string // From in a word or two
	Set        bool   // not by default
	InVault    bool   // it can be set for one vault
	ByVault    bool   // it is set for this vault in the program
	AtOnce     bool   // a change applies immediately, else at the next start
}

// Settings returns all settings in the order of the documentation. A table has an entry per value, or one if it is empty.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, r := range rowsOf(c) {
		var parts []Setting
		for _, p := range c.tables {
			if strings.HasPrefix(p.Key, r.key+".") {
				p.Group = r.group
				parts = append(parts, p)
			}
		}
		slices.SortStableFunc(parts, func(a, b Setting) int { return strings.Compare(a.Key, b.Key) })
		if r.holds.set != nil || len(parts) == 0 {
			s := Setting{
				Key: r.key, Group: r.group, About: r.about, Kind: r.holds.kind, Choices: r.holds.choices, Means: r.holds.means,
				AtOnce: r.atOnce, InVault: r.vault != never,
			}
			value, from := r.holds.show()
			if r.key == "model" && c.ChosenCounts() {
				value, from = c.Chosen.V, c.Chosen.Origin
			}
			list = append(list, s.with(value, from))
		}
		list = append(list, parts...)
	}
	return list
}

// maxShown is the maximum length of a value on one line, in characters.
const maxShown = 72

// with returns the setting with its value and origin.
func (s Setting) with(value string, o Origin) Setting {
	s.Shown = text.Excerpt(value, maxShown)
	if s.Kind != KindFixed {
		s.Value = value
	}
	s.From, s.Origin, s.Set, s.ByVault = o, cmp.Or(shortNames[o.Kind], o.String()), o.Kind != Default, o.Kind == VaultSettings
	return s
}
