package tui

import (
	"cmp"
	"slices"
	"strings"

	"chatvault/internal/app/session"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
)

// menu lists commands and keys.
type menu struct {
	*shared
	questions    *questions
	distinctKeys bool                 // the terminal distinguishes keys such as Shift+Enter and Alt+X
	completion   *complete.Completion // for the name being typed
	shows        map[string]view      // what the screen can show
	commands     []session.Command
	palette      *dialog.Picker
	openedHelp   *dialog.Help // the help opened last
	customFaults []string     // faults already shown
}

// help returns all keys and commands in effect.
func (n *menu) help() []dialog.Section {
	sections := []dialog.Section{n.writingHelp()}
	keysOf := func(title string, actions []keys.Action) {
		s := dialog.Section{Title: title}
		for _, a := range actions {
			if a.Binding.Enabled() && !slices.Contains(plainMoves, a.Name) {
				s.Entries = append(s.Entries, dialog.Entry{Name: a.Binding.Help().Key, Does: a.Binding.Help().Desc})
			}
		}
		sections = append(sections, s)
	}
	keysOf("Chat", keys.Actions("", &n.keys.keyMap))
	keysOf("Scrolling and messages", keys.Actions("", &n.keys.scrollKeys))
	builtIn, own := dialog.Section{Title: "Commands"}, dialog.Section{Title: "Commands of this vault"}
	for _, c := range n.commands {
		if c.Expand != nil {
			own.Entries = append(own.Entries, entriesOf(&c)...)
		} else {
			builtIn.Entries = append(builtIn.Entries, entriesOf(&c)...)
		}
	}
	sections = append(sections, builtIn)
	if n.o.Custom != nil {
		own.Entries = append(own.Entries, dialog.Entry{
			Name: ".smarthole/commands/", Does: "your own commands: a note weekly.md there is /weekly and sends its text, with the words you type after it in place of $ARGUMENTS",
		})
	}
	if len(own.Entries) > 0 {
		sections = append(sections, own)
	}
	for _, l := range n.keys.layers() {
		if l.Name != "chat" {
			keysOf(cmp.Or(helpTitles[l.Name], strings.ToUpper(l.Name[:1])+l.Name[1:]), l.Actions)
		}
	}
	if !n.distinctKeys {
		withoutShiftEnter(sections)
	}
	return sections
}

// withoutShiftEnter removes Shift+Enter, for terminals that send the same for it as for Enter.
func withoutShiftEnter(sections []dialog.Section) {
	for _, s := range sections {
		for i, e := range s.Entries {
			s.Entries[i].Name = strings.ReplaceAll(e.Name, "Shift+Enter, ", "")
		}
	}
}

// writingHelp describes the special characters in messages and input other than keys.
func (n *menu) writingHelp() dialog.Section {
	vault, s := n.o.Completing != nil, dialog.Section{Title: "While you write"}
	add := func(when bool, name, does string) {
		if when {
			s.Entries = append(s.Entries, dialog.Entry{Name: name, Does: does})
		}
	}
	add(vault, "[[", "link a note: type part of its name or alias; # after it lists its headings")
	add(vault, "@", "attach a file or folder: the row above the text says how much of it is sent")
	add(vault, "#", "insert a tag")
	add(true, "/", "run a command, at the start; with a space before it, it is a message")
	add(vault, "Dropped file", "a file or folder of the vault dropped here, or a link copied from Obsidian, becomes its name")
	add(n.o.Mouse, "Click", "select a message, show a note it names, or fold or unfold a step")
	return s
}

// helpTitles are the titles of sections of temporary keys.
var helpTitles = map[string]string{
	"completion": "While suggestions are shown", "selected": "While something is selected", "finding": "While finding",
}

// plainMoves lists the usual keys of text fields, which the help omits.
var plainMoves = []string{"left", "right", "backspace", "delete"}

// idleKeys returns the idle status line; more includes the key for details.
func (n *menu) idleKeys() (text, more string) {
	k := n.keys
	help := keys.First(k.HelpWhenEmpty, keys.First(k.Help, "/help for")) + " help"
	sends := keys.First(k.Send, "Enter") + " sends · "
	if details := keys.First(k.Details, ""); details != "" {
		return sends + help, sends + details + " details · " + help
	}
	return sends + help, sends + help
}
