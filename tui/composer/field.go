package composer

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/rivo/uniseg"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/theme"
)

// maxField bounds the text of a field, in bytes.
const maxField = 8 << 10

// fieldKeys are the keys of fields.
var fieldKeys = DefaultKeyMap()

// Field is a single-line text field; the zero value is empty.
type Field struct {
	Masked bool // draws dots
	editor
}

// text returns the editor's line, and sets up a zero value.
func (f *Field) text() string {
	if f.lines == nil {
		f.editor = newEditor()
	}
	return f.lines[0]
}

// Value returns the text.
func (f *Field) Value() string { return f.text() }

// Trimmed returns the text without surrounding space.
func (f *Field) Trimmed() string { return strings.TrimSpace(f.text()) }

// Set replaces the text.
func (f *Field) Set(text string) {
	f.editor = newEditor()
	f.Insert(text)
}

// Insert inserts text at the cursor. It returns false if the text is too long. Line ends at both ends of pasted text,
// and all in a masked field, are dropped; others become spaces.
func (f *Field) Insert(text string) bool {
	if f.Masked {
		text = strings.NewReplacer("\r", "", "\n", "", "\t", "").Replace(text)
	} else if strings.ContainsAny(text, "\r\n") { // terminals send line ends in pastes as CR
		text = strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ").Replace(text))
	}
	text = terminal.Line(text)
	if len(f.Trimmed())+len(text) > maxField {
		return false
	}
	f.insert(text)
	return true
}

// Key handles a key that edits or moves. It returns false for other keys.
func (f *Field) Key(k tea.KeyPressMsg) bool {
	f.text()
	return f.key(k, &fieldKeys)
}

// Line draws the field at most width cells wide, with the cursor visible.
func (f *Field) Line(s *theme.Styles, width int) string {
	text := f.text()
	before, after, under := text[:f.col], text[f.col:], 1
	if f.Masked {
		before, after = strings.Repeat("•", uniseg.GraphemeClusterCount(before)), strings.Repeat("•", uniseg.GraphemeClusterCount(after))
	} else if after != "" {
		under = cells.Width(after[:cells.First(after)])
	}
	if after == "" {
		after = " "
	}
	room, all := max(width-2, 2), before
	for over := 1; cells.Width(before)+under > room; over++ {
		before = s.Muted.Render("…") + cells.TruncateLeft(all, cells.Width(all)+under-room+over, "")
	}
	return s.AccentBold.Render("›") + " " + before + theme.Cursor + cells.Truncate(after, room-cells.Width(before), "")
}
