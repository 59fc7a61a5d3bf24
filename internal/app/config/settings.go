package config

import (
	"fmt"
	"path/filepath"
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
	KindAmount SettingKind = "amount" // in dollars
	KindText   SettingKind = "text"   // one line
	KindProse  SettingKind = "prose"  // several lines
	KindList   SettingKind = "list"   // separated by commas
	KindFixed  SettingKind = "fixed"  // a secret or a table: edited in the file
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
	Fixed      string // the flag or variable that overrides it; empty if none
	InVault    bool   // it can be set for one vault
	ByVault    bool   // it is set for this vault in the program
	AtOnce     bool   // a change applies immediately, else at the next start
	Until      string // what applies until then, if that is unclear
}

// settingsOrder are the groups in the order of /settings.
var settingsOrder = []string{groupScreen, groupModel, groupAgent, groupBudget, groupConversations, groupVault, groupRouting, groupTables}

// Settings returns all settings by group. A table has an entry per value, or one if it is empty.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, r := range rowsOf(c) {
		s := Setting{
			Key: r.key, Group: r.group, About: r.about, Kind: r.holds.kind, Choices: r.holds.choices, Means: r.holds.means,
			AtOnce: r.atOnce, Until: r.until, InVault: r.vault != never,
		}
		lines := r.lines()
		if r.holds.table == nil || len(lines) == 0 || lines[0].key == r.key {
			value, from := r.holds.show()
			list = append(list, s.with(value, from))
		}
		for _, l := range lines {
			if r.holds.table == nil || l.key == r.key {
				continue
			}
			part := Setting{Key: l.key, Group: s.Group, About: "Edited in the file", Kind: KindFixed}
			list = append(list, part.with(l.value, l.at))
		}
	}
	slices.SortStableFunc(list, func(a, b Setting) int {
		return slices.Index(settingsOrder, a.Group) - slices.Index(settingsOrder, b.Group)
	})
	return list
}

// with returns the setting with its value and origin.
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

// FixedIn completes "KEY …" if a hand-written file sets the value, so that the program cannot change it for the vault
// or for all vaults. It is empty otherwise.
func (s Setting) FixedIn(inVault bool) string {
	name := filepath.Base(s.From.Name)
	switch {
	case s.From.Kind == VaultFile && inVault:
		name = vaultConfig
	case s.From.Kind != UserFile || inVault:
		return ""
	}
	return fmt.Sprintf("is set in line %d of %s; change it there", s.From.Line, name)
}

// Line is a line of `config show`, with secrets hidden.
type Line struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // empty if not set
	Origin string `json:"origin"`
}

// Describe returns every setting with its value and origin, in the order of the documentation. A list that several
// files add to has a line per file.
func (c *Config) Describe() []Line {
	var lines []Line
	for _, r := range rowsOf(c) {
		for _, l := range r.lines() {
			lines = append(lines, Line{l.key, oneLine(l.value), l.at.String()})
		}
	}
	return lines
}

// lines returns the parts of a table or of a list that files add to, else the value.
func (r row) lines() (lines []tableLine) {
	if r.holds.lines != nil {
		lines = r.holds.lines()
	}
	if len(lines) == 0 && r.holds.table == nil || r.holds.table != nil && r.holds.set != nil {
		value, at := r.holds.show()
		lines = append([]tableLine{{r.key, value, at}}, lines...)
	}
	return lines
}

// oneLine shortens a multi-line text to the start of its first line.
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
