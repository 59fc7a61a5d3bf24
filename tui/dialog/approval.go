package dialog

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// Widths of the dialogs that ask, in cells.
const (
	approvalWidth = 96
	askWidth      = 68
)

// Proposed is a change that is to be approved. All of it is text from outside.
type Proposed struct {
	Title   string // "Delete this?"
	Tool    string
	Path    string
	NewPath string // of a move
	Detail  string // what no diff shows
	Diff    string // unified
	Warning string // why to look twice; may be empty
	Why     string // it is asked; may be empty
	Idle    bool   // no turn waits for it: the user asked to see it
}

// Noted is the Result of a Choice that has Note: with what was written to it.
type Noted struct {
	Result any
	Note   string
}

// Approval asks whether a change may happen. It promises that what is to be approved stands in
// it as it is, with nothing left out unsaid and nothing invisible, and that it is approved by
// Enter on a choice that was marked when Enter was pressed, never by a key that was meant for
// the text being written: as long as one writes, no choice is marked.
type Approval struct {
	styles *theme.Styles
	what   Proposed
	change *change
	chooser
	scroller

	lines []string // the content, drawn for width
	width int

	note *field // open
}

// NewApproval asks about a change. Esc gives escape. While writing says that something is being
// written elsewhere: no choice is marked until an arrow is pressed.
func NewApproval(s *theme.Styles, what Proposed, choices []Choice, escape any, writing bool) *Approval {
	return &Approval{
		styles: s, what: what, change: newChange(s, what.Diff), chooser: chooser{choices: choices, escape: escape, aside: writing},
	}
}

// Writes says that text is for the dialog: its note is open.
func (a *Approval) Writes() bool { return a.note != nil }

// Key handles a key.
func (a *Approval) Key(k tea.KeyMsg) Outcome {
	if a.scroller.key(k) {
		return Outcome{}
	}
	if a.note != nil {
		return a.noteKey(k)
	}
	out, chosen := a.chooser.key(k)
	if chosen {
		return a.decide()
	}
	return out
}

func (a *Approval) decide() Outcome {
	c := a.choices[a.at]
	if c.Note {
		a.note = &field{}
		return Outcome{}
	}
	return Outcome{Result: c.Result, Closed: true}
}

func (a *Approval) noteKey(k tea.KeyMsg) Outcome {
	if text, ok := keys.Text(k); ok {
		a.note.insert(text)
		return Outcome{}
	}
	switch keys.Name(k) {
	case "esc", "ctrl+c":
		a.note = nil
	case "enter":
		return Outcome{Result: Noted{a.choices[a.at].Result, a.note.value()}, Closed: true}
	default:
		a.note.key(k)
	}
	return Outcome{}
}

// Lines draws it.
func (a *Approval) Lines(width, height int) []string {
	inner := sheetWidth(width, approvalWidth)
	sh := sheet{title: a.title(inner), content: a.content(inner)}
	if a.note != nil {
		sh.fixed = []string{a.styles.Bold.Render(ansi.Truncate("Why not? The agent is told.", inner, "…")), a.note.line(a.styles, inner)}
		sh.focus = 1
		sh.foot = []string{"Enter denies · Esc back to the choices", "Enter denies · Esc back"}
		return sh.draw(a.styles, &a.scroller, width, inner, height)
	}
	sh.fixed, sh.focus = choiceLines(a.styles, a.choices, a.at, a.marked(), inner), a.at
	sh.foot = a.foot()
	return sh.draw(a.styles, &a.scroller, width, inner, height)
}

// foot says how to decide.
func (a *Approval) foot() []string {
	leave, also := "Esc denies", "; Esc again stops the turn"
	if a.what.Idle {
		leave, also = "Esc leaves it", ""
	}
	if a.aside {
		return []string{"↑ ↓ choose · Enter sends your text · " + leave, "↑ ↓ choose · " + leave}
	}
	return []string{"↑ ↓ choose · Enter decides · " + leave + also, "Enter decides · " + leave}
}

func (a *Approval) title(inner int) string {
	s := a.styles
	title := ansi.Truncate(safe.StrictLine(a.what.Title), inner, "…")
	tool := safe.StrictLine(a.what.Tool)
	if tool != "" && ansi.StringWidth(title)+3+ansi.StringWidth(tool) <= inner {
		return s.AccentBold.Render(title) + s.Muted.Render(" · "+tool)
	}
	return s.AccentBold.Render(title)
}

// content is everything there is to know of the change.
func (a *Approval) content(inner int) []string {
	if a.width != inner {
		a.width, a.lines = inner, a.compose(inner)
	}
	return a.lines
}

func (a *Approval) compose(inner int) []string {
	s := a.styles
	var out []string
	path := func(label, name string) {
		name = safe.StrictLine(name)
		for i, row := range strings.Split(ansi.Hardwrap(name, max(inner-ansi.StringWidth(label), 1), true), "\n") {
			lead := label
			if i > 0 {
				lead = strings.Repeat(" ", ansi.StringWidth(label))
			}
			out = append(out, s.Muted.Render(lead)+s.Bold.Render(row))
		}
	}
	if a.what.NewPath != "" {
		path("from ", a.what.Path)
		path("to   ", a.what.NewPath)
	} else {
		path("", a.what.Path)
	}
	if a.what.Warning != "" {
		out = append(out, markdown.Wrap(safe.StrictLine(a.what.Warning), theme.Open(s.WarnBold), inner)...)
	}
	if a.what.Detail != "" {
		out = append(out, markdown.Wrap(safe.Strict(a.what.Detail), "", inner)...)
	}
	if !a.change.empty() {
		sum := fmt.Sprintf("%d %s added, %d removed", a.change.added, plural(a.change.added, "line"), a.change.removed)
		out = append(out, s.Muted.Render(ansi.Truncate(sum, inner, "…")), "")
		out = append(out, a.change.draw(inner)...)
	}
	if a.what.Why != "" {
		out = append(out, "")
		out = append(out, markdown.Wrap(safe.StrictLine(a.what.Why), theme.Open(s.Muted), inner)...)
	}
	return out
}

// choiceLines draws choices, one a line; at is marked where there is a mark.
func choiceLines(s *theme.Styles, choices []Choice, at int, marked bool, inner int) []string {
	out := make([]string, len(choices))
	for i, c := range choices {
		label := c.Label
		if c.Short != "" && ansi.StringWidth(label)+2 > inner {
			label = c.Short
		}
		mark := "  "
		if marked && i == at {
			mark, label = s.Accent.Render("›")+" ", s.Bold.Render(label)
		}
		out[i] = ansi.Truncate(mark+label, inner, "…")
	}
	return out
}
