package dialog

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// Choice is one way to decide. It has no letter of its own: a letter may be the first of
// a sentence that was not meant for the dialog.
type Choice struct {
	Label  string
	Short  string // where there is no room for Label; may be empty
	Result any
	Key    string // the letter that does the same while nothing is written; "": none (Reader)
	Note   bool   // asks for a note first (Approval)
	Pick   bool   // asks which parts first (Approval)
	Safe   bool   // changes nothing: what is marked where nothing else may be by chance
	Stays  bool   // the dialog stays open below what comes of it (Reader)
}

// Confirm asks for a decision, by the arrows and Enter.
type Confirm struct {
	styles  *theme.Styles
	title   string
	body    string
	quoted  string
	choices []Choice
	at      int
	escape  any
	typed   any
}

// NewConfirm asks title; body explains, quoted is text from outside that it is
// about. The choice preferred is marked at first; Esc gives escape. Text that is typed
// gives typed, too, and closes the dialog, unless typed is nil.
func NewConfirm(s *theme.Styles, title, body, quoted string, choices []Choice, preferred int, escape, typed any) *Confirm {
	return &Confirm{
		styles: s, title: safe.Line(title), body: safe.Text(body), quoted: safe.Text(quoted),
		choices: choices, at: preferred, escape: escape, typed: typed,
	}
}

// Key handles a key.
func (c *Confirm) Key(k tea.KeyMsg) Outcome {
	if _, ok := keys.Text(k); ok {
		return Outcome{Result: c.typed, Closed: c.typed != nil, Typed: true}
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return Outcome{Result: c.escape, Closed: true}
	case "up", "left", "shift+tab":
		c.at = (c.at + len(c.choices) - 1) % len(c.choices)
	case "down", "right", "tab":
		c.at = (c.at + 1) % len(c.choices)
	case "enter":
		return Outcome{Result: c.choices[c.at].Result, Closed: true}
	}
	return Outcome{}
}

// Lines draws it.
func (c *Confirm) Lines(width, height int) []string {
	s := c.styles
	inner := innerWidth(width, 68)
	foot := choiceLines(s, c.choices, c.at, true, inner)
	head := markdown.Wrap(c.title, theme.Open(s.AccentBold), inner)
	var body, about []string
	if c.body != "" {
		body = markdown.Wrap(c.body, "", inner)
	}
	if c.quoted != "" {
		quoted := markdown.Wrap(c.quoted, "", max(inner-2, 1))
		if len(quoted) > 4 {
			quoted = append(quoted[:3], s.Muted.Render("…"))
		}
		for _, q := range quoted {
			about = append(about, s.Muted.Render("▎")+" "+q)
		}
	}
	// The choices stay in sight, whatever has to give way: first how to choose, then what
	// explains, then what it is about.
	room := max(height-frameLines-len(head)-len(foot)-2, 0)
	if len(body)+1+len(about)+2 <= room {
		foot = append(foot, "", s.Muted.Render(ansi.Truncate("↑ ↓ choose · Enter decides · Esc leaves it", inner, "…")))
	}
	switch left := room - len(about); {
	case left < 0:
		body = about[:room]
	case left < 2 || len(body) == 0:
		body = about
	default:
		body = append(body[:min(len(body), left-1)], append([]string{""}, about...)...)
	}
	lines := append([]string{}, head...)
	if len(body) > 0 {
		lines = append(append(lines, ""), body...)
	}
	return frame(s, append(append(lines, ""), foot...), inner, height)
}
