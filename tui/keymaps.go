package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"chatvault/internal/app/config"
	"chatvault/tui/complete"
	"chatvault/tui/composer"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/selection"
)

// keyMaps holds all rebindable keys of the screen, including those of the chat itself.
type keyMaps struct {
	keyMap
	Writing  composer.KeyMap
	Offered  complete.Keys
	Selected selection.Keys
	Finding  find.Keys
}

// keyRules are the constraints on rebinding.
var keyRules = keys.Rules{
	Together: [][2]string{
		{"quit_empty", "delete"}, // composer empty; within a text
		{"take_back", "up"},      // likewise, as are the next two
		{"top", "line_start"},
		{"bottom", "line_end"},
		{"help_when_empty", "help"}, // the same action, one in fewer states
	},
	Needed: []string{"send", "stop"},
	Plain:  []string{"help_when_empty"},
}

func defaultKeyMaps() *keyMaps {
	return &keyMaps{
		keyMap: defaultKeyMap(), Writing: composer.DefaultKeyMap(), Offered: complete.DefaultKeys(),
		Selected: selection.DefaultKeys(), Finding: find.DefaultKeys(),
	}
}

// layers returns the key maps for rebinding.
func (k *keyMaps) layers() []keys.Layer {
	return []keys.Layer{
		{Name: "chat", Text: true, Beside: "writing", Actions: keys.Actions("", &k.keyMap)},
		{Name: "writing", Text: true, Actions: keys.Actions("", &k.Writing)},
		{Name: "completion", Text: true, Actions: keys.Actions("offered_", &k.Offered)},
		{Name: "selected", Actions: keys.Actions("selected_", &k.Selected)},
		{Name: "finding", Text: true, Actions: keys.Actions("find_", &k.Finding)},
	}
}

// binds reports whether a key is bound to an action.
func (k *keyMaps) binds(name string) bool {
	return slices.ContainsFunc(k.layers(), func(l keys.Layer) bool {
		return slices.ContainsFunc(l.Actions, func(a keys.Action) bool { return slices.Contains(a.Binding.Keys(), name) })
	})
}

// CheckKeys returns the faults in custom keys.
func CheckKeys(bound map[string][]string) []config.BindingFault {
	return keys.Rebind(defaultKeyMaps().layers(), bound, keyRules)
}

// KeyAction is an action of the screen with its keys.
type KeyAction struct {
	Name    string   `json:"action"`
	Where   string   `json:"where"` // "chat", "writing" …
	Keys    []string `json:"keys"`  // in effect, as written in the configuration; may be empty
	Default []string `json:"default"`
	Does    string   `json:"does"`
}

// KeyActions lists the actions with the keys in effect; invalid custom keys are ignored.
func KeyActions(bound map[string][]string) []KeyAction {
	now, before := defaultKeyMaps(), defaultKeyMaps().layers()
	_ = keys.Rebind(now.layers(), bound, keyRules)
	var out []KeyAction
	for i, l := range now.layers() {
		for j, a := range l.Actions {
			out = append(out, KeyAction{
				Name: a.Name, Where: l.Name, Does: a.Binding.Help().Desc,
				Keys: slices.Concat([]string{}, a.Binding.Keys()), Default: slices.Concat([]string{}, before[i].Actions[j].Binding.Keys()),
			})
		}
	}
	return out
}

// bindKeys applies the keys of Options, which must have passed CheckKeys.
func (m *Model) bindKeys() {
	maps := defaultKeyMaps()
	_ = keys.Rebind(maps.layers(), m.o.Keys, keyRules)
	maps.enableFor(m.o)
	m.keys = maps
	m.composer.SetKeys(maps.Writing)
	m.completion = complete.New(m.ctx, m.composer, m.o.Completing, offeredCommands{&m.menu}, m.forms, maps.Offered)
	m.attaching = complete.NewAttaching(m.ctx, m.composer, m.o.Completing)
	m.selection = selection.New(m.list, maps.Selected)
	m.find = find.New(m.list, m.styles, maps.Finding, m.talk.read, m.now)
}

// keyMap holds the screen's own keys; the composer has further ones.
type keyMap struct {
	Send, Hold, Stop, TakeBack, Clear, QuitEmpty, Palette, Search, Model, Approval, Help, HelpWhenEmpty, Editor, PastePicture,
	Mouse, Redraw, Suspend, Details, Find, SelectUp, SelectDown, Cited, PageUp, PageDown, LineUp, LineDown, Top, Bottom key.Binding
}

func defaultKeyMap() keyMap {
	bind := keys.Bind
	return keyMap{
		Send:          bind("Enter", "send; while a turn runs, add to it", "enter"),
		Hold:          bind("Tab", "queue for the next turn, while one runs; insert an example, on the first screen", "tab"),
		Stop:          bind("Esc", "stop the turn, even while it asks you something; close what else is open", "esc"),
		Clear:         bind("Ctrl+C", "clear the text (↑ brings it back); twice: quit", "ctrl+c"),
		QuitEmpty:     bind("Ctrl+D", "quit, when the text is empty", "ctrl+d"),
		Help:          bind("F1", "this help; ? when the text is empty", "f1"),
		Redraw:        bind("Ctrl+L", "redraw the screen", "ctrl+l"),
		Suspend:       bind("Ctrl+Z", "back to the shell; fg returns", "ctrl+z"),
		Editor:        bind("Ctrl+O", "write in your editor ($VISUAL, $EDITOR)", "ctrl+o"),
		Model:         bind("F2", "choose a model, or enter a provider's key", "f2"),
		Approval:      bind("F3", "next approval mode: autonomous, destructive, writes, plan only", "f3"),
		Mouse:         bind("Ctrl+Y", "let the terminal have the mouse, so that dragging selects text, or take it back", "ctrl+y"),
		PastePicture:  bind("Ctrl+V", "attach the picture in the clipboard", "ctrl+v"),
		Palette:       bind("Ctrl+P", "find and run a command", "ctrl+p"),
		Search:        bind("Ctrl+R", "search what you sent", "ctrl+r"),
		TakeBack:      bind("↑", "take back the last queued message to edit it", "up"),
		HelpWhenEmpty: bind("?", "this help, when the text is empty", "?"),

		Details:    bind("Ctrl+T", "show or fold details: reasoning, steps, results", "ctrl+t"),
		Cited:      bind("Shift+Tab", "the notes the last answer refers to: Enter shows one, e edits it, o opens it in Obsidian, Tab moves on", "shift+tab"),
		SelectUp:   bind("Ctrl+↑", "select messages one by one; Tab moves through the notes they refer to", "ctrl+up"),
		SelectDown: bind("Ctrl+↓", "select the next", "ctrl+down"),
		PageUp:     bind("PgUp", "scroll up (so does the wheel)", "pgup"),
		PageDown:   bind("PgDn", "scroll down", "pgdown"),
		LineUp:     bind("Shift+↑", "scroll up a line", "shift+up"),
		LineDown:   bind("Shift+↓", "scroll down a line", "shift+down"),
		Top:        bind("Ctrl+Home, Home", "to the beginning; Home when the text is empty", "ctrl+home", "home"),
		Bottom:     bind("Ctrl+End, End", "to the end, and follow what comes; End when the text is empty, or at its end", "ctrl+end", "end"),
		Find:       bind("Ctrl+F", "search the conversation", "ctrl+f"),
	}
}

// enableFor disables the keys for which Options lacks the means.
func (k *keyMaps) enableFor(o Options) {
	k.Approval.SetEnabled(o.Approval != nil)
	k.Editor.SetEnabled(o.EditDraft != nil)
	k.Model.SetEnabled(o.Models != nil)
	k.PastePicture.SetEnabled(o.Copying != nil && o.Completing != nil)
	k.Cited.SetEnabled(o.Citing.Resolve != nil)
}
