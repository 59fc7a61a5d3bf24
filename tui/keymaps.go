package tui

import (
	"reflect"
	"slices"
	"strings"

	"chatvault/internal/config"
	"chatvault/tui/complete"
	"chatvault/tui/composer"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/selection"
)

// keyMaps are all keys of the screen that can be bound otherwise, in layers. A key map that is
// added here can be: the tag says what its layer is called in the list of actions, which prefix
// the names of its actions have, whether characters are text there, and which layer it is beside.
type keyMaps struct {
	Chat    keyMap          `layer:"chat" text:"yes" beside:"writing"`
	Writing composer.KeyMap `layer:"writing" text:"yes"`
	Offered complete.Keys   `layer:"completion" prefix:"offered_" text:"yes"`

	Selected selection.Keys `layer:"selected" prefix:"selected_"`
	Finding  find.Keys      `layer:"finding" prefix:"find_" text:"yes"`
}

// keyRules are what another binding has to keep to.
var keyRules = keys.Rules{
	Together: [][2]string{
		{"hold", "example"},               // while a turn runs; on the first screen
		{"quit_empty", "delete"},          // while nothing is written; within a text
		{"take_back", "up"},               // so are these
		{"top_when_empty", "line_start"},  //
		{"bottom_when_empty", "line_end"}, //
		{"bottom_when_empty", "bottom"},   // they do the same, the one in fewer states
		{"top_when_empty", "top"},         //
		{"help_when_empty", "help"},       //
	},
	Needed: []string{"send", "stop"},
	Plain:  []string{"help_when_empty"},
}

func defaultKeyMaps() *keyMaps {
	return &keyMaps{
		Chat: defaultKeyMap(), Writing: composer.DefaultKeyMap(), Offered: complete.DefaultKeys(),
		Selected: selection.DefaultKeys(), Finding: find.DefaultKeys(),
	}
}

// layers are the key maps as they are rebound.
func (k *keyMaps) layers() []keys.Layer {
	v := reflect.ValueOf(k).Elem()
	out := make([]keys.Layer, v.NumField())
	for i := range out {
		tag := v.Type().Field(i).Tag
		prefix := tag.Get("prefix")
		out[i] = keys.Layer{
			Name: tag.Get("layer"), Prefix: prefix, Text: tag.Get("text") != "", Beside: tag.Get("beside"),
			Actions: keys.Actions(prefix, v.Field(i).Addr().Interface()),
		}
	}
	return out
}

// bind gives the keys that are bound otherwise; where anything is wrong with them all stay as they
// are.
func (k *keyMaps) bind(bound map[string][]string) []keys.Fault {
	faults := keys.Rebind(k.layers(), bound, keyRules)
	if len(faults) == 0 {
		k.derive()
	}
	return faults
}

// derive says in the help what follows from other bindings.
func (k *keyMaps) derive() {
	on := slices.Clone(k.Chat.EditLast.Keys())
	for i, name := range on {
		if keys.Twice(name) { // it is the key that stops, twice
			stop := k.Chat.Stop.Keys()[0]
			on[i] = stop + " " + stop
		}
	}
	if len(on) > 0 {
		k.Chat.EditLast.SetKeys(on...)
		k.Chat.EditLast.SetHelp(keys.ShowAll(on), k.Chat.EditLast.Help().Desc)
	}
}

// CheckKeys says what is wrong with keys that are bound otherwise, by action.
func CheckKeys(bound map[string][]string) []config.BindingFault {
	var out []config.BindingFault
	for _, f := range defaultKeyMaps().bind(bound) {
		out = append(out, config.BindingFault{Action: f.Action, Text: f.Text})
	}
	return out
}

// KeyAction is an action of the screen that has keys.
type KeyAction struct {
	Name    string   `json:"action"`
	Where   string   `json:"where"` // "chat", "writing" …
	Keys    []string `json:"keys"`  // in force, as the configuration writes them; none: it has none
	Default []string `json:"default"`
	Does    string   `json:"does"`
}

// KeyActions lists the actions with the keys in force; what is wrong with bound leaves the default
// ones.
func KeyActions(bound map[string][]string) []KeyAction {
	now, before := defaultKeyMaps(), defaultKeyMaps()
	_ = now.bind(bound)
	was := map[string][]string{}
	for _, l := range before.layers() {
		for _, a := range l.Actions {
			was[a.Name] = a.Binding.Keys()
		}
	}
	var out []KeyAction
	for _, l := range now.layers() {
		for _, a := range l.Actions {
			out = append(out, KeyAction{
				Name: a.Name, Where: l.Name, Does: a.Binding.Help().Desc,
				Keys: written(a.Binding.Keys()), Default: written(was[a.Name]),
			})
		}
	}
	return out
}

// written are keys as the configuration writes them.
func written(names []string) []string {
	out := slices.Clone(names)
	for i, n := range out {
		if !keys.Twice(n) {
			out[i] = strings.ReplaceAll(n, " ", "space")
		}
	}
	if out == nil {
		out = []string{}
	}
	return out
}

// bindKeys gives the screen its keys; CheckKeys was asked about those that are bound otherwise.
func (m *Model) bindKeys() {
	maps := defaultKeyMaps()
	_ = maps.bind(m.o.Keys)
	maps.Chat = keysFor(m.o, maps.Chat)
	m.bound, m.keys = maps, maps.Chat
	m.composer.SetKeys(maps.Writing)
	m.env.DetailsKey = keys.First(m.keys.Details, "")
	m.completion = complete.New(m.ctx, m.composer, m.o.Completing, offeredCommands{m}, maps.Offered, m.now)
	m.attaching = complete.NewAttaching(m.ctx, m.composer, m.o.Completing.Find)
	m.selection = selection.New(m.list, maps.Selected)
	m.find = find.New(m.list, m.styles, maps.Finding, missing{m}, m.now)
}
