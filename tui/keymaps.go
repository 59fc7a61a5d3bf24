package tui

import (
	"slices"

	"chatvault/internal/config"
	"chatvault/tui/complete"
	"chatvault/tui/composer"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/selection"

	"charm.land/bubbles/v2/key"
)

// keyMaps are all keys of the screen that can be bound otherwise, those of the chat itself among them.
type keyMaps struct {
	keyMap
	scrollKeys
	Writing  composer.KeyMap
	Offered  complete.Keys
	Selected selection.Keys
	Finding  find.Keys
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
		keyMap: defaultKeyMap(), scrollKeys: defaultScrollKeys(), Writing: composer.DefaultKeyMap(), Offered: complete.DefaultKeys(),
		Selected: selection.DefaultKeys(), Finding: find.DefaultKeys(),
	}
}

// layers are the key maps as they are rebound: what each is called in the list of actions, which
// prefix the names of its actions have, if characters are text there, and which layer it is beside.
func (k *keyMaps) layers() []keys.Layer {
	return []keys.Layer{
		{Name: "chat", Text: true, Beside: "writing", Actions: k.chat()},
		{Name: "writing", Text: true, Actions: keys.Actions("", &k.Writing)},
		{Name: "completion", Prefix: "offered_", Text: true, Actions: keys.Actions("offered_", &k.Offered)},
		{Name: "selected", Prefix: "selected_", Actions: keys.Actions("selected_", &k.Selected)},
		{Name: "finding", Prefix: "find_", Text: true, Actions: keys.Actions("find_", &k.Finding)},
	}
}

// chat lists the actions of the chat itself.
func (k *keyMaps) chat() []keys.Action {
	return append(keys.Actions("", &k.keyMap), keys.Actions("", &k.scrollKeys)...)
}

// binds reports whether an action has a key.
func (k *keyMaps) binds(name string) bool {
	return slices.ContainsFunc(k.layers(), func(l keys.Layer) bool {
		return slices.ContainsFunc(l.Actions, func(a keys.Action) bool { return slices.Contains(a.Binding.Keys(), name) })
	})
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
	on := slices.Clone(k.EditLast.Keys())
	for i, name := range on {
		if keys.Twice(name) { // it is the key that stops, twice
			stop := k.Stop.Keys()[0]
			on[i] = stop + " " + stop
		}
	}
	if len(on) > 0 {
		k.EditLast.SetKeys(on...)
		k.EditLast.SetHelp(keys.ShowAll(on), k.EditLast.Help().Desc)
	}
}

// CheckKeys says what is wrong with keys that are bound otherwise, by action.
func CheckKeys(bound map[string][]string) []config.BindingFault { return defaultKeyMaps().bind(bound) }

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
				Keys: slices.Concat([]string{}, a.Binding.Keys()), Default: slices.Concat([]string{}, was[a.Name]),
			})
		}
	}
	return out
}

// bindKeys gives the screen its keys; CheckKeys was asked about those that are bound otherwise.
func (m *Model) bindKeys() {
	maps := defaultKeyMaps()
	_ = maps.bind(m.o.Keys)
	maps.enableFor(m.o)
	m.keys = maps
	m.composer.SetKeys(maps.Writing)
	m.env.DetailsKey = keys.First(m.keys.Details, "")
	m.completion = complete.New(m.ctx, m.composer, m.o.Completing, offeredCommands{&m.menu}, m.engine.understood, maps.Offered)
	m.attaching = complete.NewAttaching(m.ctx, m.composer, m.o.Completing)
	m.selection = selection.New(m.list, maps.Selected)
	m.find = find.New(m.list, m.styles, maps.Finding, m.talk.pages, m.now)
}

// keyMap is the screen's own keys beside those that move in the transcript; the composer has more.
type keyMap struct {
	Send, Hold, Proposal, Stop, Clear, QuitEmpty, Help, Example, EditLast, Redraw, Suspend, Editor, Palette, TakeBack, HelpWhenEmpty,
	Mouse, Model, Approval, PastePicture key.Binding
}

// scrollKeys are the keys that move in the transcript.
type scrollKeys struct {
	Details, SelectUp, SelectDown, Cited, PageUp, PageDown, LineUp, LineDown, Top, Bottom, TopWhenEmpty, BottomWhenEmpty, Find key.Binding
}

func defaultKeyMap() keyMap {
	bind := keys.Bind
	return keyMap{
		Send:          bind("Enter", "send; while a turn runs, add to it", "enter"),
		Hold:          bind("Tab", "queue for the next turn, while one runs", "tab"),
		Proposal:      bind("Ctrl+G", "show what a review proposes", "ctrl+g"),
		Stop:          bind("Esc", "stop the turn, even while it asks you something; close what else is open", "esc"),
		EditLast:      bind("Esc Esc", "edit your last message, when nothing runs", "esc esc"),
		Clear:         bind("Ctrl+C", "clear the text (↑ brings it back); twice: quit", "ctrl+c"),
		QuitEmpty:     bind("Ctrl+D", "quit, when the text is empty", "ctrl+d"),
		Help:          bind("F1", "this help; ? when the text is empty", "f1"),
		Example:       bind("Tab", "insert an example, on the first screen", "tab"),
		Redraw:        bind("Ctrl+L", "redraw the screen", "ctrl+l"),
		Suspend:       bind("Ctrl+Z", "back to the shell; fg returns", "ctrl+z"),
		Editor:        bind("Ctrl+O", "write in your editor ($VISUAL, $EDITOR)", "ctrl+o"),
		Model:         bind("F2", "choose a model, or enter a provider's key", "f2"),
		Approval:      bind("F3", "next approval mode: autonomous, destructive, writes, plan only", "f3"),
		Mouse:         bind("Ctrl+Y", "let the terminal have the mouse, so that dragging selects text, or take it back", "ctrl+y"),
		PastePicture:  bind("Ctrl+V", "attach the picture in the clipboard", "ctrl+v"),
		Palette:       bind("Ctrl+P", "find and run a command", "ctrl+p"),
		TakeBack:      bind("↑", "take back the last queued message to edit it", "up"),
		HelpWhenEmpty: bind("?", "this help, when the text is empty", "?"),
	}
}

func defaultScrollKeys() scrollKeys {
	bind := keys.Bind
	return scrollKeys{
		Details:         bind("Ctrl+T", "show or fold details: reasoning, steps, results", "ctrl+t"),
		Cited:           bind("Shift+Tab", "the notes the last answer refers to: Enter shows one, e edits it, o opens it in Obsidian, Tab moves on", "shift+tab"),
		SelectUp:        bind("Ctrl+↑", "select messages one by one; Tab moves through the notes they refer to", "ctrl+up"),
		SelectDown:      bind("Ctrl+↓", "select the next", "ctrl+down"),
		PageUp:          bind("PgUp", "scroll up (so does the wheel)", "pgup"),
		PageDown:        bind("PgDn", "scroll down", "pgdown"),
		LineUp:          bind("Shift+↑", "scroll up a line", "shift+up"),
		LineDown:        bind("Shift+↓", "scroll down a line", "shift+down"),
		Top:             bind("Ctrl+Home", "to the beginning", "ctrl+home"),
		Bottom:          bind("Ctrl+End", "to the end, and follow what comes", "ctrl+end"),
		Find:            bind("Ctrl+F", "search the conversation", "ctrl+f"),
		TopWhenEmpty:    bind("Home", "to the beginning, when the text is empty", "home"),
		BottomWhenEmpty: bind("End", "to the end, and follow what comes", "end"),
	}
}

// enableFor leaves out the keys whose means Options does not give.
func (k *keyMaps) enableFor(o Options) {
	k.EditLast.SetEnabled(o.Conversation != nil)
	k.Proposal.SetEnabled(o.Settings != nil)
	k.Approval.SetEnabled(o.Approval != nil)
	k.Editor.SetEnabled(o.EditDraft != nil)
	k.Model.SetEnabled(o.Models != nil)
	k.PastePicture.SetEnabled(o.Copying != nil && o.Completing != nil)
	k.Cited.SetEnabled(o.Citing.Resolve != nil)
}
