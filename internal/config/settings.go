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

// Settings are all keys, by group, and after them what is edited in the file alone.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, r := range rowsOf(c) {
		s := Setting{
			Key: r.key, Group: r.group, About: r.about, Kind: r.holds.kind, Choices: r.holds.choices, Means: r.holds.means,
			AtOnce: r.atOnce, Until: r.until, InVault: r.vault != never,
		}
		if r.holds.lines != nil {
			list = append(list, s.ofTable(r.holds.lines())...)
			continue
		}
		value, from := r.holds.show()
		s.Value = value
		if (s.Kind == KindNumber || s.Kind == KindAmount) && value == "" {
			s.Value = "0"
		}
		if r.holds.typed != nil && s.Value != "" {
			s.Value = r.holds.typed()
		}
		s.Shown = oneLine(s.Value)
		if s.Kind == KindFixed {
			s.Value = ""
		}
		list = append(list, s.from(from))
	}
	slices.SortStableFunc(list, func(a, b Setting) int {
		return slices.Index(settingsOrder, a.Group) - slices.Index(settingsOrder, b.Group)
	})
	return list
}

// FixedIn completes "KEY …" if a file that a person writes sets the value, which the program can then not
// change for the vault or, respectively, for all; empty if it can.
func (s Setting) FixedIn(inVault bool) string {
	if s.From.Kind == UserFile && !inVault || s.From.Kind == VaultFile && inVault {
		return s.From.fixes()
	}
	return ""
}

// ofTable are a table's settings: what is in it, line by line, or itself.
func (s Setting) ofTable(lines []tableLine) []Setting {
	if len(lines) == 0 {
		return []Setting{s.from(Origin{})}
	}
	var list []Setting
	for _, l := range lines {
		of := Setting{Key: l.key, Group: s.Group, About: "Edited in the file", Kind: s.Kind, Shown: oneLine(l.value)}
		list = append(list, of.from(l.at))
	}
	return list
}

// from is the setting with where its value came from.
func (s Setting) from(o Origin) Setting {
	s.From, s.Origin, s.Set, s.ByVault = o, o.short(), o.Kind != Default, o.Kind == VaultSettings
	if o.Kind > VaultFile {
		s.Fixed = o.String()
	}
	return s
}

// Line is a setting as `config show` prints it: on one line, secrets hidden.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty: not set
	Origin string `json:"origin"`
}

// Describe lists every key with its value and where that came from, in the order of
// the documentation, the tables after it.
func (c *Config) Describe() []Line {
	var lines []Line
	for _, r := range rowsOf(c) {
		for _, l := range r.describe() {
			lines = append(lines, Line{l.key, oneLine(l.value), l.at.String()})
		}
	}
	return lines
}

// describe is what config show says of a row, by files where each may add to it.
func (r row) describe() []tableLine {
	if r.holds.lines != nil {
		return r.holds.lines()
	}
	if r.holds.byFile != nil {
		if lines := r.holds.byFile(); len(lines) > 0 {
			return lines
		}
	}
	value, at := r.holds.show()
	return []tableLine{{r.key, value, at}}
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
