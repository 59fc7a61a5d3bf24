package dialog

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/theme"
)

// Input is a line to write into that is no dialog. The zero value is empty.
type Input struct{ f field }

// Value is what is written, with the space around it.
func (i *Input) Value() string { return strings.Join(i.f.before, "") + strings.Join(i.f.after, "") }

// Set puts a text in the place of what is written.
func (i *Input) Set(text string) {
	i.f = field{}
	i.f.insert(text)
}

// Insert puts a text at the cursor; false where there is no room for it.
func (i *Input) Insert(text string) bool { return i.f.insert(text) }

// Key handles a key that edits or moves; false: it is none.
func (i *Input) Key(k tea.KeyMsg) bool { return i.f.key(k) }

// Line draws it, at most width cells wide.
func (i *Input) Line(s *theme.Styles, width int) string { return i.f.line(s, width) }
