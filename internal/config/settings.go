package config

import (
	"fmt"
	"slices"
	"strings"
)

// SettingKind is how a setting is edited.
type SettingKind string

// The kinds of settings.
const (
	KindSwitch SettingKind = "switch" // true or false
	KindChoice SettingKind = "choice" // one of Setting.Choices
	KindNumber SettingKind = "number"
	KindAmount SettingKind = "amount" // of dollars
	KindText   SettingKind = "text"   // of one line
	KindProse  SettingKind = "prose"  // of many
	KindList   SettingKind = "list"   // with commas between
	KindFixed  SettingKind = "fixed"  // a secret or a table: it is edited in the file
)

// Setting is a key of the configuration for a person who looks at it and changes it.
type Setting struct {
	Key, Group string
	About      string // what it is, in a sentence without its full stop
	Kind       SettingKind
	Choices    []string // KindChoice
	Means      []string // of each of Choices what it does; nil: they say it themselves
	Value      string   // as it would be typed; never a secret
	Shown      string   // on one line; empty: not set
	From       Origin
	Origin     string // From, in a word or two
	Set        bool   // by something other than the default
	Fixed      string // the flag or variable that decides; empty: none does
	InVault    bool   // it can be set for one vault
	ByVault    bool   // it is, in the program
	AtOnce     bool   // a change counts at once; else from the next start
	Until      string // what is so until then, where that may be taken for otherwise
}

// settingsOrder are the groups as /settings shows them.
var settingsOrder = []string{groupScreen, groupModel, groupAgent, groupBudget, groupConversations, groupVault, groupRouting, groupTables}

// Settings returns all settings, by group; a table's are what it contains, or the table if it is empty.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, r := range rowsOf(c) {
		s := Setting{
			Key: r.key, Group: r.group, About: r.about, Kind: r.holds.kind, Choices: r.holds.choices, Means: r.holds.means,
			AtOnce: r.atOnce, Until: r.until, InVault: r.vault != never,
		}
		if r.holds.table == nil {
			value, from := r.holds.show()
			list = append(list, s.with(value, from))
			continue
		}
		lines := r.holds.lines()
		for _, l := range lines {
			part := Setting{Key: l.key, Group: s.Group, About: "Edited in the file", Kind: s.Kind}
			list = append(list, part.with(l.value, l.at))
		}
		if len(lines) == 0 {
			list = append(list, s.with("", Origin{}))
		}
	}
	slices.SortStableFunc(list, func(a, b Setting) int {
		return slices.Index(settingsOrder, a.Group) - slices.Index(settingsOrder, b.Group)
	})
	return list
}

// with returns the setting with its value and where that came from.
func (s Setting) with(value string, o Origin) Setting {
	s.Shown = oneLine(value)
	if s.Kind != KindFixed {
		s.Value = value
	}
	s.From, s.Origin, s.Set, s.ByVault = o, o.short(), o.Kind != Default, o.Kind == VaultSettings
	if o.Kind > VaultFile {
		s.Fixed = o.String()
	}
	return s
}

// FixedIn completes "KEY …" if a file that a person writes sets the value, which the program can then not
// change for the vault or, respectively, for all; empty if it can.
func (s Setting) FixedIn(inVault bool) string {
	if s.From.Kind == UserFile && !inVault || s.From.Kind == VaultFile && inVault {
		return s.From.fixes()
	}
	return ""
}

// Line is a setting as `config show` prints it: on one line, secrets hidden.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty: not set
	Origin string `json:"origin"`
}

// Describe returns every setting with its value and where that came from, in the order of
// the documentation. A list that several files add to has a line for each.
func (c *Config) Describe() []Line {
	var lines []Line
	for _, r := range rowsOf(c) {
		var parts []tableLine
		if r.holds.lines != nil {
			parts = r.holds.lines()
		}
		if len(parts) == 0 && r.holds.table == nil {
			value, at := r.holds.show()
			parts = []tableLine{{r.key, value, at}}
		}
		for _, l := range parts {
			lines = append(lines, Line{l.key, oneLine(l.value), l.at.String()})
		}
	}
	return lines
}

// oneLine shortens a text of many lines to the beginning of its first.
func oneLine(value string) string {
	const longest = 72
	first, rest, many := strings.Cut(strings.TrimSpace(value), "\n")
	if runes := []rune(first); len(runes) > longest {
		first = strings.TrimSpace(string(runes[:longest])) + "…"
	}
	if many {
		return fmt.Sprintf("%s (%d lines)", first, 2+strings.Count(rest, "\n"))
	}
	return first
}
