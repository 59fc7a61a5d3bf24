// Package keys names keys. It promises that text is never taken for a key: a run of
// characters that arrives in one read, or is pasted, has no name, whatever it spells.
// Everything in the screen that asks which key was pressed asks here.
package keys

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Name is the name of a key as bindings write it: "enter", "ctrl+c", "alt+b", or the
// character itself where one was typed. Text has none: the name of what is pasted, or
// of several characters at once, is empty.
func Name(k tea.KeyMsg) string {
	if k.Paste || k.Type == tea.KeyRunes && len(k.Runes) != 1 {
		return ""
	}
	return k.String()
}

// Text is what a key writes, and whether it writes anything.
func Text(k tea.KeyMsg) (string, bool) {
	switch {
	case k.Type != tea.KeyRunes && k.Type != tea.KeySpace, k.Alt && !k.Paste:
		return "", false
	}
	return string(k.Runes), len(k.Runes) > 0
}

// Matches says whether a key is one of those bound.
func Matches(k tea.KeyMsg, bindings ...key.Binding) bool {
	name := Name(k)
	return name != "" && slices.ContainsFunc(bindings, func(b key.Binding) bool {
		return b.Enabled() && slices.Contains(b.Keys(), name)
	})
}

// First is the first key of a binding as a person reads it; otherwise where it has none.
func First(b key.Binding, otherwise string) string {
	if names := b.Keys(); b.Enabled() && len(names) > 0 {
		return Show(names[0])
	}
	return otherwise
}

// Bind binds keys, with what the help says of them.
func Bind(help, does string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(help, does))
}
