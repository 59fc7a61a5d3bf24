package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
)

// openPalette opens the list of all commands, the ones used last first, and below them what only
// keys do.
func (m *Model) openPalette() tea.Cmd {
	foot := []string{"Type to filter · Enter to run · Esc to close", "Enter to run · Esc to close"}
	p := dialog.NewPicker(m.styles, "Commands", "No matches", m.paletteRows(), foot)
	m.palette = p
	m.dialogs.Push(p)
	return m.lookForCustom(typedText{})
}

func (m *Model) paletteRows() []dialog.Row {
	var rows []dialog.Row
	bound := m.commandKeys()
	for _, c := range recentFirst(m.commands, m.recent) {
		rows = append(rows, dialog.Row{
			Label: c.Usage(session.Form{Args: c.Required()}), About: c.Does, Right: bound[c.Name],
			Find: c.Does + "\n" + bound[c.Name] + "\n" + strings.Join(c.Aliases, " "), Result: loop.Now(func() tea.Cmd { return m.runPicked(c.Name) }),
		})
	}
	for _, a := range keyedActions(m.bound) {
		h := a.Binding.Help()
		does, _, _ := strings.Cut(h.Desc, ";")
		rows = append(rows, dialog.Row{
			Label: a.Name, About: does, Right: h.Key, Find: does + "\n" + h.Key,
			Result: loop.Now(func() tea.Cmd { return m.key(keys.Press(a.Binding.Keys()[0])) }), // as if it had been pressed
		})
	}
	return rows
}

// recentFirst orders commands: those used last first, the others as they stand.
func recentFirst(commands []session.Command, recent []string) []session.Command {
	out := slices.Clone(commands)
	slices.SortStableFunc(out, func(a, b session.Command) int {
		return rank(recent, a.Name) - rank(recent, b.Name)
	})
	return out
}

// rank is how long ago a command was used; those never used come last.
func rank(recent []string, name string) int {
	if i := slices.Index(recent, name); i >= 0 {
		return i
	}
	return len(recent)
}

// maxRecent is how many commands are remembered as used last.
const maxRecent = 8

// usedCommand notes that a command was used.
func (m *Model) usedCommand(name string) {
	recent := slices.DeleteFunc(slices.Clone(m.recent), func(n string) bool { return n == name })
	recent = append([]string{name}, recent...)
	m.recent = recent[:min(len(recent), maxRecent)]
}

// recall finds the commands used last in what was typed before, oldest first.
func (m *Model) recall(typed []string) {
	const enough = 500
	for _, text := range typed[max(len(typed)-enough, 0):] {
		if p := session.ParseTyped(text, m.commands); p.Command != nil {
			m.usedCommand(p.Command.Name)
		} else if name, _, ok := session.CutCommand(text); ok && m.o.Custom != nil {
			m.usedCommand(name) // one of the vault's, which are not read yet
		}
	}
}

// commandKeys are the keys of those commands that have some, by name.
func (m *Model) commandKeys() map[string]string {
	out := map[string]string{}
	for name, b := range map[string]key.Binding{
		"help": m.keys.Help, "stop": m.keys.Stop, "edit": m.keys.EditLast, "quit": m.keys.QuitEmpty, "model": m.keys.Model,
	} {
		if b.Enabled() {
			out[name] = b.Help().Key
		}
	}
	return out
}

// onlyKeys are actions that no command does, and what they are called in the palette.
var onlyKeys = []struct{ action, name string }{
	{"details", "Details"},
	{"find", "Find"},
	{"select_up", "Select"},
	{"cited", "References"},
	{"proposal", "Proposal"},
	{"mouse", "Mouse"},
	{"editor", "Editor"},
	{"search", "History"},
	{"redraw", "Redraw"},
}

// keyedActions are the actions that have a key and no command.
func keyedActions(bound *keyMaps) []keys.Action {
	chat := byName(append(keys.Actions("", &bound.Chat), keys.Actions("", &bound.Writing)...))
	var out []keys.Action
	for _, o := range onlyKeys {
		if a, ok := chat[o.action]; ok && a.Binding.Enabled() {
			out = append(out, keys.Action{Name: o.name, Binding: a.Binding})
		}
	}
	return out
}

// refreshPalette shows the commands as they are now in the palette that is open.
func (m *Model) refreshPalette() {
	if m.palette != nil && m.dialogs.Top() == dialog.Dialog(m.palette) {
		m.palette.Refresh(m.paletteRows())
	}
}

// runPicked runs a command that was picked. One that needs words is put into the composer, before
// what is written there.
func (m *Model) runPicked(name string) tea.Cmd {
	c := m.commandNamed(name)
	if c == nil {
		return m.flash("/"+name+" no longer exists", quitWindow)
	}
	if c.Required() != "" {
		m.composer.SetValue("/" + name + " " + m.composer.Value())
		m.markTyped()
		return nil
	}
	return m.run(c, "", typedText{})
}
