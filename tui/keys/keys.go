// Package keys names keys. Text is never mistaken for a key: several characters that arrive in one read, or are
// pasted, have no name, whatever they spell. All code of the screen identifies keys through this package.
package keys

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// pasted is the key code used by Paste.
const pasted rune = -1

// Paste returns a paste as a key event, for dialogs and fields that accept typed text.
func Paste(text string) tea.KeyPressMsg { return tea.KeyPressMsg{Code: pasted, Text: text} }

// Typed returns typed text as a key event.
func Typed(text string) tea.KeyPressMsg {
	if utf8.RuneCountInString(text) != 1 {
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: text}
	}
	return Press(text)
}

// IsPaste reports whether Paste made the key.
func IsPaste(k tea.KeyPressMsg) bool { return k.Code == pasted }

// Name returns a key's name as used in bindings: "enter", "ctrl+c", "alt+b", or the typed character. It is empty for
// pastes and for several characters at once.
func Name(k tea.KeyPressMsg) string {
	switch {
	case IsPaste(k), k.Code == tea.KeyExtended, utf8.RuneCountInString(k.Text) > 1:
		return ""
	case k.Code == tea.KeySpace, k.Code == tea.KeyBackspace, k.Code == tea.KeyEscape:
		k.Mod &^= tea.ModShift // Shift has no effect on these
	}
	name := k.String()
	if to, is := same[name]; is {
		return to
	}
	return name
}

// Escaped returns the key after Esc for an event that is either Alt with that key, or Esc followed by it; most
// terminals send the same for both.
func Escaped(k tea.KeyPressMsg) (second tea.KeyPressMsg, ok bool) {
	if k.Mod&^(tea.ModShift|tea.ModCtrl) != tea.ModAlt || !unicode.IsPrint(k.Code) {
		return k, false
	}
	if k.Mod.Contains(tea.ModCtrl) {
		k.Mod &^= tea.ModAlt
		return k, true
	}
	r := k.Code
	if k.ShiftedCode != 0 {
		r = k.ShiftedCode
	}
	return Typed(string(r)), true
}

// Text returns the text that a key inserts, and reports whether there is any.
func Text(k tea.KeyPressMsg) (string, bool) { return k.Text, k.Text != "" }

// Matches reports whether a key is in one of the bindings.
func Matches(k tea.KeyPressMsg, bindings ...key.Binding) bool {
	name := Name(k)
	return name != "" && slices.ContainsFunc(bindings, func(b key.Binding) bool {
		return b.Enabled() && slices.Contains(b.Keys(), name)
	})
}

// First returns the display name of a binding's first key, or otherwise if it has none.
func First(b key.Binding, otherwise string) string {
	if names := b.Keys(); b.Enabled() && len(names) > 0 {
		return Show(names[0])
	}
	return otherwise
}

// Bind returns a binding with its help text.
func Bind(help, does string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(help, does))
}

// special maps the names of non-character keys to their codes.
var special = func() map[string]rune {
	all := map[string]rune{
		"enter": tea.KeyEnter, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "esc": tea.KeyEscape, "space": tea.KeySpace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
	}
	for i := range rune(20) {
		all[fmt.Sprintf("f%d", i+1)] = tea.KeyF1 + i
	}
	return all
}()

// same maps keys to those for which most terminals send the same; they are equivalent everywhere.
var same = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+?": "backspace", "ctrl+/": "ctrl+_"}

// Spell returns the name of a key from the user's spelling: "Ctrl+X", "F5", "Alt+Enter". It returns an error if there is
// no such key. Not every terminal sends every key.
func Spell(written string) (string, error) {
	if graphic(written) {
		return written, nil
	}
	name := strings.ToLower(strings.Join(strings.Fields(written), ""))
	name = cmp.Or(same[name], name)
	plain := name
	for _, m := range modifiers {
		plain = strings.TrimPrefix(plain, m.prefix)
	}
	_, is := special[plain]
	if shifted := "shift+" + plain; !is && (!graphic(plain) || name == shifted) {
		return "", errors.New(`is not a key; write it like "ctrl+x", "alt+enter", "shift+up", "pgdown", "f5" or "none"`)
	}
	return name, nil
}

// graphic reports whether a text is a single visible character.
func graphic(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && n == len(text) && unicode.IsGraphic(r) && !unicode.IsSpace(r)
}

// modifiers are the prefixes of names, in their sequence.
var modifiers = []struct {
	prefix string
	mod    tea.KeyMod
}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}}

// Writes reports whether a key inserts a character, so that binding it would make the character impossible to type.
func Writes(name string) bool { return name == "space" || utf8.RuneCountInString(name) == 1 }

// Press returns the key event for a name returned by Spell.
func Press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for _, m := range modifiers {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok && rest != "" {
			name, k.Mod = rest, k.Mod|m.mod
		}
	}
	if code, ok := special[name]; ok {
		if k.Code = code; code == tea.KeySpace && k.Mod == 0 {
			k.Text = " "
		}
		return k
	}
	r, _ := utf8.DecodeRuneInString(name)
	if k.Code = unicode.ToLower(r); k.Mod == 0 {
		k.Text = name
	}
	return k
}

// shown maps parts of names to their display form.
var shown = map[string]string{
	"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "up": "↑", "down": "↓", "left": "←", "right": "→", "space": "Space",
	"pgup": "PgUp", "pgdown": "PgDn", "esc": "Esc", "enter": "Enter", "tab": "Tab", "home": "Home", "end": "End",
	"delete": "Delete", "insert": "Insert", "backspace": "Backspace",
}

// Show returns the display form of a key name: "Ctrl+X", "Shift+↑", "F5".
func Show(name string) string {
	if Writes(name) && name != "space" {
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
		case i > 0 || len(p) > 1:
			first, size := utf8.DecodeRuneInString(p)
			parts[i] = string(unicode.ToUpper(first)) + p[size:]
		}
	}
	return strings.Join(parts, "+")
}
