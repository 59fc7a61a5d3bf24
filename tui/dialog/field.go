package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"chatvault/internal/terminal"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// maxField bounds the text of a field, in bytes.
const maxField = 8 << 10

// Input is a single-line text field; the zero value is empty. Masked text is drawn as dots.
type Input struct {
	before, after []string // grapheme clusters on both sides of the cursor
	masked        bool
}

// Value returns the text, and value the text without surrounding space.
func (f *Input) Value() string { return strings.Join(f.before, "") + strings.Join(f.after, "") }

func (f *Input) value() string { return strings.TrimSpace(f.Value()) }

// Set replaces the text.
func (f *Input) Set(text string) {
	*f = Input{masked: f.masked}
	f.Insert(text)
}

func (f *Input) empty() bool { return f.value() == "" }

// Insert inserts text at the cursor. It returns false if the text is too long. Line ends at both ends of pasted text,
// and all in a masked field, are dropped; others become spaces.
func (f *Input) Insert(text string) bool {
	if f.masked {
		text = strings.NewReplacer("\r", "", "\n", "", "\t", "").Replace(text)
	} else if strings.ContainsAny(text, "\r\n") { // terminals send line ends in pastes as CR
		text = strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ").Replace(text))
	}
	text = terminal.Line(text)
	if len(f.value())+len(text) > maxField {
		return false
	}
	// A combining mark joins the letter before it.
	if n := len(f.before); n > 0 {
		text = f.before[n-1] + text
		f.before = f.before[:n-1]
	}
	for g := uniseg.NewGraphemes(text); g.Next(); {
		f.before = append(f.before, g.Str())
	}
	return true
}

// Key handles a key that edits or moves. It returns false for other keys.
func (f *Input) Key(k tea.KeyPressMsg) bool {
	switch keys.Name(k) {
	case "left", "ctrl+b":
		f.move(-1)
	case "right", "ctrl+f":
		f.move(1)
	case "home", "ctrl+a":
		f.move(-len(f.before))
	case "end", "ctrl+e":
		f.move(len(f.after))
	case "backspace", "ctrl+h":
		f.before = f.before[:max(len(f.before)-1, 0)]
	case "delete", "ctrl+d":
		f.after = f.after[min(1, len(f.after)):]
	case "ctrl+u":
		f.before = nil
	case "ctrl+k":
		f.after = nil
	case "ctrl+w", "alt+backspace":
		f.deleteWord()
	default:
		return false
	}
	return true
}

func (f *Input) move(n int) {
	all := append(append([]string{}, f.before...), f.after...)
	at := min(max(len(f.before)+n, 0), len(all))
	f.before, f.after = all[:at:at], all[at:]
}

func (f *Input) deleteWord() {
	n := len(f.before)
	for n > 0 && f.before[n-1] == " " {
		n--
	}
	for n > 0 && f.before[n-1] != " " {
		n--
	}
	if f.masked { // word boundaries are not visible
		n = 0
	}
	f.before = f.before[:n]
}

// Line draws the field at most width cells wide, with the cursor visible.
func (f *Input) Line(s *theme.Styles, width int) string {
	show := func(characters []string) string {
		if f.masked {
			return strings.Repeat("•", len(characters))
		}
		return strings.Join(characters, "")
	}
	room, before, after := max(width-2, 2), show(f.before), show(f.after)
	if after == "" {
		after = " "
	}
	under := 1
	if !f.masked && len(f.after) > 0 {
		under = ansi.StringWidth(f.after[0])
	}
	for over := 1; ansi.StringWidth(before)+under > room; over++ {
		before = s.Muted.Render("…") + ansi.TruncateLeft(show(f.before), ansi.StringWidth(show(f.before))+under-room+over, "")
	}
	return s.AccentBold.Render("›") + " " + before + theme.Cursor + ansi.Truncate(after, room-ansi.StringWidth(before), "")
}
