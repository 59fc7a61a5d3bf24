package dialog

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// Choice is one way to decide.
type Choice struct {
	Key    string // the letter that picks it
	Label  string
	Result any
}

// Confirm asks for a decision.
type Confirm struct {
	styles  *theme.Styles
	title   string
	body    string
	quoted  string
	choices []Choice
	at      int
	escape  any
}

// NewConfirm asks title; body explains, quoted is text from outside that it is
// about. The choice preferred is marked at first; Esc gives escape.
func NewConfirm(s *theme.Styles, title, body, quoted string, choices []Choice, preferred int, escape any) *Confirm {
	return &Confirm{
		styles: s, title: safe.Line(title), body: safe.Text(body), quoted: safe.Text(quoted),
		choices: choices, at: preferred, escape: escape,
	}
}

// Key handles a key.
func (c *Confirm) Key(k tea.KeyMsg) (any, bool) {
	if k.Paste {
		return nil, false
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		return c.escape, true
	case "up", "left", "shift+tab":
		c.at = (c.at + len(c.choices) - 1) % len(c.choices)
	case "down", "right", "tab":
		c.at = (c.at + 1) % len(c.choices)
	case "enter":
		return c.choices[c.at].Result, true
	}
	for _, choice := range c.choices {
		if strings.EqualFold(keys.Name(k), choice.Key) {
			return choice.Result, true
		}
	}
	return nil, false
}

// Lines draws it.
func (c *Confirm) Lines(width, height int) []string {
	s := c.styles
	inner := innerWidth(width, 68)
	var foot []string
	for i, choice := range c.choices {
		mark, label := "  ", choice.Label
		if i == c.at {
			mark, label = s.Accent.Render("›")+" ", s.Bold.Render(label)
		}
		foot = append(foot, ansi.Truncate(mark+s.Key.Render(choice.Key)+"  "+label, inner, "…"))
	}
	head := markdown.Wrap(c.title, theme.Open(s.AccentBold), inner)
	var body []string
	if c.body != "" {
		body = append(body, markdown.Wrap(c.body, "", inner)...)
	}
	if c.quoted != "" {
		quoted := markdown.Wrap(c.quoted, "", max(inner-2, 1))
		if len(quoted) > 4 {
			quoted = append(quoted[:3], s.Muted.Render("…"))
		}
		body = append(body, "")
		for _, q := range quoted {
			body = append(body, s.Muted.Render("▎")+" "+q)
		}
	}
	// The choices stay in sight, whatever has to give way.
	room := max(height-frameLines-len(head)-len(foot)-2, 0)
	if len(body) > room {
		body = body[:room]
	}
	lines := append([]string{}, head...)
	if len(body) > 0 {
		lines = append(append(lines, ""), body...)
	}
	return frame(s, append(append(lines, ""), foot...), inner, height)
}
