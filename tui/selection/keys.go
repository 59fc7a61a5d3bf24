package selection

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
)

// Keys is the keys that mean something for the selected item.
type Keys struct {
	Before, After, Note, NextNote, NoteBefore, Fold, Copy, CopyCode, Edit, Again, Open key.Binding
}

// DefaultKeys are they where nothing else is bound.
func DefaultKeys() Keys {
	bind := keys.Bind
	return Keys{
		Before:     bind("↑", "select the one above", "up"),
		After:      bind("↓", "select the one below", "down"),
		Note:       bind("Enter", "show the note it refers to, or else fold or unfold it", "enter"),
		NextNote:   bind("Tab", "next note it refers to", "tab", "right"),
		NoteBefore: bind("Shift+Tab", "previous note", "shift+tab", "left"),
		Fold:       bind("Space", "unfold it, then all of it, or fold it", "space"),
		Copy:       bind("y", "copy it as it was written", "y"),
		CopyCode:   bind("c", "copy a code block of it; again or a number: another", "c"),
		Edit:       bind("e", "edit your message and send it as a new branch; in an answer, edit the note", "e"),
		Again:      bind("r", "try this turn again, as a new branch", "r"),
		Open:       bind("o", "open the note in Obsidian", "o"),
	}
}

// Can is what can be done here with what is selected, beside selecting.
type Can struct{ Copy, EditNote, OpenNote, GoBack bool }

// offer is what a key does for the selected item, in long and in short words.
type offer struct{ key, long, short string }

// offers are what can be done with the selected item, what is wanted most first.
func (s *Selection) offers(can Can) []offer {
	it, on := s.item, s.keys
	var out []offer
	add := func(when bool, b key.Binding, long, short string) {
		if k := keys.First(b, ""); when && k != "" {
			out = append(out, offer{k, long, short})
		}
	}
	cites, code := len(s.Citations()), 0
	folds := "unfolds"
	if f, ok := it.(chat.Foldable); ok && f.Unfolded() {
		folds = "folds"
	}
	if l, ok := it.(chat.Lengthy); ok && l.More() {
		folds = "shows all"
	}
	if can.Copy {
		code = len(s.Code())
	}
	several := fmt.Sprintf("code 1–%d", code)
	_, yours := it.(*chat.User)
	again := false
	switch it.(type) {
	case *chat.User, *chat.Assistant, *chat.Error, *chat.Stopped:
		again = can.GoBack
	}
	add(cites > 0, on.Note, "shows the note", "note")
	add(cites == 0 && Foldable(it), on.Note, folds, folds)
	add(can.Copy, on.Copy, "copies", "copy")
	add(code > 1, on.CopyCode, several, several)
	add(code == 1, on.CopyCode, "code", "code")
	add(cites > 1, on.NextNote, "next", "next")
	add(cites > 0 && can.EditNote, on.Edit, "edits the note", "edit")
	add(cites > 0 && can.OpenNote, on.Open, "Obsidian", "Obsidian")
	add(cites > 0 && Foldable(it), on.Fold, folds, folds)
	add(yours && can.GoBack, on.Edit, "edits", "edit")
	add(again, on.Again, "tries again", "again")
	return out
}

// Ways say how to go on while something is selected, the longest one first: in long words, in short
// ones, and with what is wanted least left out. The way back stays. up is the key that selects.
func (s *Selection) Ways(up string, can Can) []string {
	const back = "Esc back"
	move := up + " ↓ move"
	var long, short []string
	for _, o := range s.offers(can) {
		long = append(long, o.key+" "+o.long)
		short = append(short, o.key+" "+o.short)
	}
	line := func(parts []string, more ...string) string {
		return strings.Join(append(slices.Clone(parts), more...), " · ")
	}
	ways := []string{line(long, move, back), line(long, back), line(short, move, back)}
	for n := len(short); n >= 0; n-- {
		ways = append(ways, line(short[:n], back))
	}
	return ways
}
