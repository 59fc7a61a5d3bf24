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

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// pasted is the code of the key that Paste makes.
const pasted rune = -1

// Paste is a paste as a key: dialogs and fields take it where they take typed text.
func Paste(text string) tea.KeyPressMsg { return tea.KeyPressMsg{Code: pasted, Text: text} }

// Typed is typed text as a key.
func Typed(text string) tea.KeyPressMsg {
	if utf8.RuneCountInString(text) != 1 {
		return tea.KeyPressMsg{Code: tea.KeyExtended, Text: text}
	}
	return Press(text)
}

// IsPaste reports whether Paste made the key.
func IsPaste(k tea.KeyPressMsg) bool { return k.Code == pasted }

// Name is the name of a key as bindings write it: "enter", "ctrl+c", "alt+b", or the
// character itself where one was typed. Text has none: the name of what is pasted, or
// of several characters at once, is empty.
func Name(k tea.KeyPressMsg) string {
	switch {
	case IsPaste(k), k.Code == tea.KeyExtended, utf8.RuneCountInString(k.Text) > 1:
		return ""
	case k.Code == tea.KeySpace, k.Code == tea.KeyBackspace, k.Code == tea.KeyEscape:
		k.Mod &^= tea.ModShift // means the same
	}
	name := k.String()
	if to, is := same[name]; is {
		return to
	}
	return name
}

// Escaped is the second key of what may be Alt with it, or Esc and it right after: most terminals send
// the same for both.
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

// Text is what a key writes, and whether it writes anything.
func Text(k tea.KeyPressMsg) (string, bool) { return k.Text, k.Text != "" }

// Matches says whether a key is one of those bound.
func Matches(k tea.KeyPressMsg, bindings ...key.Binding) bool {
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

// special are the keys that write no visible character.
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

// sent are the names of the keys that terminals can send, without Alt; plain characters are not
// among them. Shift+Enter and Ctrl+Enter reach a program in some terminals only.
var sent = func() map[string]bool {
	all := map[string]bool{"shift+tab": true, "ctrl+space": true, "ctrl+pgup": true, "ctrl+pgdown": true, "shift+enter": true, "ctrl+enter": true}
	for name := range special {
		all[name] = true
	}
	for _, name := range []string{"up", "down", "left", "right", "home", "end"} {
		all["shift+"+name], all["ctrl+"+name], all["ctrl+shift+"+name] = true, true, true
	}
	for _, r := range `abcdefghjklnopqrstuvwxyz\]^_` {
		all["ctrl+"+string(r)] = true
	}
	return all
}()

// spellings are other names of keys.
var spellings = map[string]string{
	"return": "enter", "escape": "esc", "pageup": "pgup", "pagedown": "pgdown", "page_up": "pgup", "page_down": "pgdown",
	"del": "delete", "ins": "insert", "spacebar": "space", "bs": "backspace", "backtab": "shift+tab", "shift+return": "shift+enter",
	"ctrl+@": "ctrl+space", "ctrl+escape": "esc", "ctrl+/": "ctrl+_",
	"arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
}

// same are keys that most terminals send as another one: they mean the same in those that tell them apart.
var same = map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+?": "backspace", "ctrl+/": "ctrl+_"}

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
	if to, is := same[name]; is && name != "ctrl+/" {
		return "", fmt.Errorf("cannot be told from %s: a terminal sends the same for both", Show(to))
	}
	if to, is := spellings[name]; is {
		name = to
	}
	switch {
	case sent[name]:
	case alt && utf8.RuneCountInString(name) == 1:
		r, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(written)) // as it was written: Alt+B is another key than Alt+b
		if name = string(unicode.ToLower(r)); unicode.IsUpper(r) {
			name = "shift+" + name
		}
	default:
		return "", unsendable(written, name)
	}
	k := Press(name)
	if alt {
		k.Text, k.Mod = "", k.Mod|tea.ModAlt
	}
	return Name(k), nil
}

// unsendable says why a name is none of a key that can be bound.
func unsendable(written, name string) error {
	if at := strings.LastIndexByte(strings.TrimSuffix(name, "+"), '+'); at > 0 {
		if rest := name[at+1:]; sent[rest] || spellings[rest] != "" || utf8.RuneCountInString(rest) == 1 {
			return fmt.Errorf("is a key that a terminal cannot send: %s never reaches a program; use Ctrl with a letter, Alt with a key, or F1 to F20", strings.TrimSpace(written))
		}
	}
	return errors.New(`is not a key; write it like "ctrl+x", "alt+enter", "shift+up", "pgdown", "f5" or "none"`)
}

// Writes says whether a key writes a character: bound to it, an action would take it away from the
// text.
func Writes(name string) bool { return name == "space" || utf8.RuneCountInString(name) == 1 }

// Twice says whether a binding is a key that is pressed twice: "esc esc". No key press matches it;
// whoever binds it looks for the second press itself.
func Twice(name string) bool {
	first, second, two := strings.Cut(name, " ")
	return two && first != "" && first == second
}

// Press is the key of a name that Spell gave.
func Press(name string) tea.KeyPressMsg {
	var k tea.KeyPressMsg
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
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

// shown are parts of names as they are printed on keys.
var shown = map[string]string{
	"ctrl": "Ctrl", "alt": "Alt", "shift": "Shift", "up": "↑", "down": "↓", "left": "←", "right": "→", "space": "Space",
	"pgup": "PgUp", "pgdown": "PgDn", "esc": "Esc", "enter": "Enter", "tab": "Tab", "home": "Home", "end": "End",
	"delete": "Delete", "insert": "Insert", "backspace": "Backspace",
}

// Show writes the name of a key for a person: "Ctrl+X", "Shift+↑", "F5".
func Show(name string) string {
	switch {
	case Twice(name):
		once, _, _ := strings.Cut(name, " ")
		return Show(once) + " " + Show(once)
	case Writes(name) && name != "space":
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
