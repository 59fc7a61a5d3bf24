package selection

import (
	"slices"

	"charm.land/bubbles/v2/key"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
)

// Keys holds the bindings for the selected item.
type Keys struct {
	Before, After, Note, NextNote, NoteBefore, Fold, Copy, CopyCode, Edit, Again, Open key.Binding
}

// DefaultKeys returns the default bindings.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Before:     bind("↑", "select the one above", "up"),
		After:      bind("↓", "select the one below", "down"),
		Note:       bind("Enter", "show the note it refers to, or else fold or unfold it", "enter"),
		NextNote:   bind("Tab", "next note it refers to", "tab", "right"),
		NoteBefore: bind("Shift+Tab", "previous note", "shift+tab", "left"),
		Fold:       bind("Space", "unfold or fold it", "space"),
		Copy:       bind("y", "copy the original text", "y"),
		CopyCode:   bind("c", "copy a code block; again for another", "c"),
		Edit:       bind("e", "edit your message and send it as a new branch; in an answer, edit the note", "e"),
		Again:      bind("r", "try this turn again, as a new branch", "r"),
		Open:       bind("o", "open the note in Obsidian", "o"),
	}
}

// Can lists the actions available on the selected item.
type Can struct{ Copy, EditNote, OpenNote, GoBack bool }

// Ways returns footers that list the selected item's keys, longest first, all with the key that goes back. up is the
// key that selects.
func (s *Selection) Ways(up string, can Can) []string {
	it, on := s.item, s.keys
	var offers []string
	add := func(when bool, b key.Binding, does string) {
		if k := keys.First(b, ""); when && k != "" {
			offers = append(offers, k+" "+does)
		}
	}
	cites := len(s.Citations())
	folds := "unfold"
	if f, ok := it.(chat.Foldable); ok && f.Unfolded() {
		folds = "fold"
	}
	_, yours := it.(*chat.User)
	again := yours
	switch it.(type) {
	case *chat.Assistant, *chat.Error, *chat.Stopped:
		again = true
	}
	add(cites > 0, on.Note, "show note")
	add(cites == 0 && Foldable(it), on.Note, folds)
	add(can.Copy, on.Copy, "copy")
	add(can.Copy && len(s.Code()) > 0, on.CopyCode, "code")
	add(cites > 1, on.NextNote, "next")
	add(cites > 0 && can.EditNote, on.Edit, "edit")
	add(cites > 0 && can.OpenNote, on.Open, "Obsidian")
	add(cites > 0 && Foldable(it), on.Fold, folds)
	add(yours && can.GoBack, on.Edit, "edit")
	add(again && can.GoBack, on.Again, "try again")
	offers = append(offers, up+" ↓ move")
	var ways []string
	for n := len(offers); n >= 0; n-- {
		ways = append(ways, phrase.Join(append(slices.Clone(offers[:n]), "Esc back")...))
	}
	return ways
}
