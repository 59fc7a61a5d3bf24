// Package keys names keys. It promises that text is never taken for a key: a run of
// characters that arrives in one read, or is pasted, has no name, whatever it spells.
// Everything in the screen that asks which key was pressed asks here.
package keys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// sent are the keys a terminal can send, by the names that bindings use; plain characters are not
// among them.
var sent = func() map[string]tea.KeyType {
	all := map[string]tea.KeyType{}
	for t := tea.KeyF20; t <= tea.KeyBackspace; t++ {
		if name := t.String(); name != "" && t != tea.KeyRunes {
			all[name] = t
		}
	}
	return all
}()

// spellings are other names of keys.
var spellings = map[string]string{
	"return": "enter", "escape": "esc", "pageup": "pgup", "pagedown": "pgdown", "page_up": "pgup", "page_down": "pgdown",
	"del": "delete", "ins": "insert", "space": " ", "spacebar": " ", "bs": "backspace", "backtab": "shift+tab",
	"ctrl+space": "ctrl+@", "ctrl+escape": "esc", "ctrl+[": "esc", "ctrl+?": "backspace", "ctrl+/": "ctrl+_",
	"arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
}

// same are keys that reach a program as another one does, and so cannot be told from it.
var same = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+?": "backspace"}

// Spell gives the name of a key, as bindings write it, from what a person wrote: "Ctrl+X", "F5",
// "Alt+Enter", "escape". Its error says why there is no such key, or why no terminal sends it.
func Spell(written string) (string, error) {
	if utf8.RuneCountInString(written) == 1 && written != " " {
		r, _ := utf8.DecodeRuneInString(written)
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return "", errors.New("is not a key")
		}
		return written, nil
	}
	name := strings.ToLower(strings.Join(strings.Fields(written), ""))
	name = strings.NewReplacer("control+", "ctrl+", "c-", "ctrl+", "meta+", "alt+", "option+", "alt+", "opt+", "alt+").Replace(name)
	if written == " " {
		name = "space"
	}
	if name == "" {
		return "", errors.New(`is empty; write a key such as "ctrl+x", or "none"`)
	}
	alt := false
	for strings.HasPrefix(name, "alt+") && len(name) > len("alt+") {
		name, alt = name[len("alt+"):], true
	}
	if n, after, ok := strings.Cut(name, "+alt+"); ok { // ctrl+alt+x
		name, alt = n+"+"+after, true
	}
	if to, is := same[name]; is {
		return "", fmt.Errorf("cannot be told from %s: a terminal sends the same for both", Show(to))
	}
	if to, is := spellings[name]; is {
		name = to
	}
	_, known := sent[name]
	switch {
	case known:
	case alt && utf8.RuneCountInString(name) == 1:
		r, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(written)) // as it was written: Alt+B is another key than Alt+b
		name = string(r)
	default:
		return "", unsendable(written, name)
	}
	if alt {
		name = "alt+" + name
	}
	return name, nil
}

// unsendable says why a name is none of a key that can be bound.
func unsendable(written, name string) error {
	if name == "shift+enter" || name == "shift+return" {
		return errors.New(`is a key that a terminal cannot send, or sends as Alt+Enter; write "alt+enter"`)
	}
	modifier := false
	rest := name
	for _, m := range []string{"ctrl+", "shift+", "super+", "cmd+", "command+", "win+", "hyper+"} {
		if strings.Contains(rest, m) {
			rest, modifier = strings.ReplaceAll(rest, m, ""), true
		}
	}
	_, base := sent[rest]
	_, spelt := spellings[rest]
	if modifier && (base || spelt || utf8.RuneCountInString(rest) == 1) {
		return fmt.Errorf("is a key that a terminal cannot send: %s never reaches a program; use Ctrl with a letter, Alt with a key, or F1 to F20", strings.TrimSpace(written))
	}
	return errors.New(`is not a key; write it like "ctrl+x", "alt+enter", "shift+up", "pgdown", "f5" or "none"`)
}

// Writes says whether a key writes a character: bound to it, an action would take it away from the
// text.
func Writes(name string) bool { return name == " " || utf8.RuneCountInString(name) == 1 }

// Twice says whether a binding is a key that is pressed twice: "esc esc". No key press matches it;
// whoever binds it looks for the second press itself.
func Twice(name string) bool {
	first, second, two := strings.Cut(name, " ")
	return two && first != "" && first == second
}

// Press is the key of a name that Spell gave.
func Press(name string) tea.KeyMsg {
	var k tea.KeyMsg
	if rest, alt := strings.CutPrefix(name, "alt+"); alt {
		name, k.Alt = rest, true
	}
	switch t, known := sent[name]; {
	case known && t == tea.KeySpace:
		k.Type, k.Runes = t, []rune{' '}
	case known:
		k.Type = t
	default:
		k.Type, k.Runes = tea.KeyRunes, []rune(name)
	}
	return k
}

// shown are parts of names as they are printed on keys.
var shown = map[string]string{
	"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "up": "↑", "down": "↓", "left": "←", "right": "→", " ": "Space",
	"pgup": "PgUp", "pgdown": "PgDn", "esc": "Esc", "@": "Space", "enter": "Enter", "tab": "Tab", "home": "Home", "end": "End",
	"delete": "Delete", "insert": "Insert", "backspace": "Backspace",
}

// Show writes the name of a key for a person: "Ctrl+X", "Shift+↑", "F5".
func Show(name string) string {
	switch {
	case Twice(name):
		once, _, _ := strings.Cut(name, " ")
		return Show(once) + " " + Show(once)
	case Writes(name) && name != " ":
		return name
	}
	parts := strings.Split(name, "+")
	if strings.HasSuffix(name, "+") && len(name) > 1 { // alt++
		parts = append(strings.Split(name[:len(name)-2], "+"), "+")
	}
	for i, p := range parts {
		switch s, ok := shown[p]; {
		case ok:
			parts[i] = s
		case parts[0] == "Ctrl" && i == len(parts)-1, len(p) > 1:
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		case parts[0] == "Alt" && p == strings.ToLower(p):
			parts[i] = strings.ToUpper(p)
		case parts[0] == "Alt":
			parts[i] = "Shift+" + p
		}
	}
	return strings.Join(parts, "+")
}
