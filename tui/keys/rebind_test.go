package keys

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"pgregory.net/rapid"
)

type chatKeys struct{ Send, Stop, EditLast, Help key.Binding }

type fieldKeys struct{ WordLeft, Up key.Binding }

type listKeys struct{ Copy, Up key.Binding }

type maps3 struct {
	chat  chatKeys
	field fieldKeys
	list  listKeys
}

func defaults() *maps3 {
	bind := func(names ...string) key.Binding {
		return key.NewBinding(key.WithKeys(names...), key.WithHelp(ShowAll(names), "does "+names[0]))
	}
	return &maps3{
		chatKeys{bind("enter"), bind("esc"), bind("f9"), bind("f1")},
		fieldKeys{bind("ctrl+left", "alt+b"), bind("up")},
		listKeys{bind("y"), bind("up")},
	}
}

func (m *maps3) layers() []Layer {
	return []Layer{
		{Name: "chat", Text: true, Beside: "field", Actions: Actions("", &m.chat)},
		{Name: "field", Text: true, Actions: Actions("", &m.field)},
		{Name: "list", Actions: Actions("list_", &m.list)},
	}
}

var testRules = Rules{Needed: []string{"send"}, Plain: []string{"help"}, Together: [][2]string{{"help", "up"}}}

func TestActionNamesAreUnique(t *testing.T) {
	var names []string
	for _, l := range defaults().layers() {
		for _, a := range l.Actions {
			names = append(names, a.Name)
		}
	}
	if want := []string{"send", "stop", "edit_last", "help", "word_left", "up", "list_copy", "list_up"}; !slices.Equal(names, want) {
		t.Errorf("actions %v, want %v", names, want)
	}
}

func TestRebind(t *testing.T) {
	for _, tt := range []struct {
		bound string // "action=key key, action="
		fault string // "action: text"; empty for none
	}{
		{"send=ctrl+s", ""},
		{"send=ctrl+s, list_copy=c", ""},
		{"word_left=", ""},
		{"help=?", ""},
		{"help=up", ""},
		{"list_copy=enter", ""},       // active in different views
		{"send=up, up=enter", ""},     // a swap
		{"stop=ctrl+x, send=esc", ""}, // a key that was given up can be reused
		{"send=", "send: needs a key"},
		{"send=x", "send: \"x\" is a character"},
		{"send=space", "send: \"space\" is a character"},
		{"up=esc", "up: Esc is also the key of stop; give up or stop another key"},
		{"stop=alt+b", "stop: Alt+B is also the key of word_left"},
		{"send=f2, stop=f2", "stop: F2 is also the key of send"},
		{"list_copy=up", "list_copy: ↑ is also the key of list_up"},
		{"send=shift+enter", ""},
		{"send=cmd+enter", "send: \"cmd+enter\" is not a key"},
		{"send=hello", "send: \"hello\" is not a key"},
		{"edit_last=f2", ""},
		{"edit_last=", ""},
		{"send=f2, edit_last=f2", "send: F2 is also the key of edit_last"},
		{"sent=f2", "sent: there is no such action; chatvault help keys lists them"},
		{"word-left=f2", "word-left: there is no such action; chatvault help keys lists them"},
		{"word=f2", "word: there is no such action"},
		{"xyzzy=f2", "xyzzy: there is no such action; chatvault help keys"},
	} {
		m := defaults()
		faults := Rebind(m.layers(), boundOf(tt.bound), testRules)
		var all []string
		for _, f := range faults {
			all = append(all, f.Action+": "+f.Text)
		}
		got := strings.Join(all, "\n")
		if (got == "") != (tt.fault == "") || !strings.Contains(got, tt.fault) || len(faults) > 1 {
			t.Errorf("%s: %q, want %q", tt.bound, got, tt.fault)
		}
		if got != "" && fmt.Sprint(m.layers()[0].Actions[0].Binding.Keys()) != "[enter]" {
			t.Errorf("%s: something was done of it", tt.bound)
		}
	}
}

func boundOf(text string) map[string][]string {
	out := map[string][]string{}
	for part := range strings.SplitSeq(text, ", ") {
		name, list, _ := strings.Cut(part, "=")
		out[name] = strings.Fields(list)
	}
	return out
}

func TestReboundKeysAreShownInHelp(t *testing.T) {
	m := defaults()
	if f := Rebind(m.layers(), boundOf("send=ctrl+s f2, word_left="), testRules); len(f) > 0 {
		t.Fatal(f)
	}
	if h := m.chat.Send.Help(); h.Key != "Ctrl+S, F2" || h.Desc != "does enter" {
		t.Errorf("the help is %q", h)
	}
	if Matches(Press("enter"), m.chat.Send) || !Matches(Press("ctrl+s"), m.chat.Send) || !Matches(Press("f2"), m.chat.Send) {
		t.Error("it does not react to its keys")
	}
	if m.field.WordLeft.Enabled() || m.field.WordLeft.Help().Desc == "" {
		t.Error("what has no key is not without one")
	}
}

// Rebinding either reports a fault, or no two actions share a key unless allowed.
func TestReboundKeysNeverClash(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := defaults()
		bound := rapid.MapOf(rapid.SampledFrom([]string{"send", "stop", "help", "word_left", "up", "list_copy", "list_up"}),
			rapid.SliceOfN(rapid.SampledFrom([]string{"enter", "esc", "f1", "up", "alt+b", "ctrl+x", "F2"}), 0, 3)).Draw(rt, "bound")
		if len(Rebind(m.layers(), bound, testRules)) > 0 {
			return
		}
		seen := map[string]string{}
		for _, l := range m.layers()[:2] {
			for _, a := range l.Actions {
				for _, k := range a.Binding.Keys() {
					if other := seen[k]; other != "" && !mayShare(testRules.Together, other, a.Name) {
						rt.Fatalf("%s is the key of %s and %s", k, other, a.Name)
					}
					seen[k] = a.Name
				}
			}
		}
		if !m.chat.Send.Enabled() {
			rt.Fatal("nothing sends")
		}
	})
}
