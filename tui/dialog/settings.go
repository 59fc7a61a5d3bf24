package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/keys"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

const (
	settingsWidth = 92 // the widest it gets, in cells
	originWidth   = 18 // of the column that says where a value came from
	aboutLines    = 2  // kept for what is said of the marked setting
)

// SettingRow is a setting as it is listed. All of it is text from outside.
type SettingRow struct {
	Group, Label, Value string
	Origin              string // where the value came from
	Quiet               bool   // nobody chose the value
	About               string
	Change, Reset       any // what Enter and Delete result in
}

func (r SettingRow) id() string { return r.Label }

func (r SettingRow) says() (label, beside, about string) { return r.Label, r.Group, r.About }

// Settings lists settings by group, which what is typed narrows. It promises that what is marked
// stays in sight and stays marked when the values are others, and that it closes by Esc alone.
type Settings struct {
	styles *theme.Styles
	title  string
	target string // where changes go
	turn   any    // what Tab results in; nil: changes go to one place
	foot   []string
	narrowed[SettingRow]
}

// NewSettings makes the list; foot is how to use it, the longest way of saying it first.
func NewSettings(s *theme.Styles, title string, foot []string) *Settings {
	return &Settings{styles: s, title: title, foot: foot, narrowed: narrowed[SettingRow]{page: 5}}
}

// Rows puts other rows in the place of those there are.
func (d *Settings) Rows(rows []SettingRow) {
	d.refresh(rows, d.narrow)
	d.top = 0
}

// Target says where changes go; turn is what Tab results in.
func (d *Settings) Target(target string, turn any) { d.target, d.turn = target, turn }

// Scroll moves the mark by the wheel.
func (d *Settings) Scroll(n int) { d.goTo(d.at + n/wheelLines) }

// narrow shows the rows that what is typed means best.
func (d *Settings) narrow() {
	found := d.ranks()
	d.show(found[max(slices.IndexFunc(found[:], func(rows []SettingRow) bool { return len(rows) > 0 }), 0)])
}

// Key handles a key.
func (d *Settings) Key(k tea.KeyPressMsg) Outcome {
	name := keys.Name(k)
	r, marked := d.marked()
	switch {
	case name == "esc" || name == "ctrl+c":
		return Outcome{Closed: true}
	case name == "enter" && marked:
		return Outcome{Result: r.Change}
	case name == "delete" && d.field.empty() && marked:
		return Outcome{Result: r.Reset}
	case name == "tab":
		return Outcome{Result: d.turn}
	case name == "up":
		d.goTo(d.at - 1)
	case name == "down":
		d.goTo(d.at + 1)
	case d.key(k):
		d.narrow()
	}
	return Outcome{}
}

// Lines draws it.
func (d *Settings) Lines(width, height int) []string {
	s := d.styles
	inner := sheetWidth(width, settingsWidth)
	framed := width >= narrowest && height >= frameLines+6
	room := roomIn(height, framed)
	var head, about, foot []string
	if room >= 4 {
		head = append(head, d.head(inner))
	}
	if room >= 3 {
		head = append(head, d.field.Line(s, inner))
	}
	room -= len(head)
	if room >= 4 {
		foot = []string{s.Muted.Render(fitting(d.foot, inner))}
		room--
	}
	if room >= 3+aboutLines {
		about = d.about(inner)
		room -= len(about)
	}
	if room >= 8 {
		head, about = append(head, ""), append([]string{""}, about...)
		room -= 2
	}
	lines := append(append(append(head, d.list(inner, room)...), about...), foot...)
	return enclose(s, lines, inner, height, framed)
}

// head is the title, and where changes go.
func (d *Settings) head(inner int) string {
	s := d.styles
	return phrase.Spread(s.AccentBold.Render(ansi.Truncate(d.title, inner, "…")), s.Muted.Render(terminal.Line(d.target)), inner)
}

// about is what is said of the marked setting, always as many lines.
func (d *Settings) about(inner int) []string {
	lines := make([]string, aboutLines)
	if d.at < len(d.shown) {
		r := d.shown[d.at]
		text := terminal.Line(r.About)
		if inner < roomForOrigin {
			text += " · " + terminal.Line(r.Origin)
		}
		wrapped := markdown.Wrap(text, theme.Open(d.styles.Muted), inner)
		if len(wrapped) > aboutLines {
			wrapped[aboutLines-1] = ansi.Truncate(wrapped[aboutLines-1], max(inner-1, 1), "") + d.styles.Muted.Render("…")
		}
		copy(lines, wrapped)
	}
	return lines
}

// list draws the rows that fit, under the names of their groups, the marked one among them.
func (d *Settings) list(inner, room int) []string {
	if room <= 0 {
		return nil
	}
	if len(d.shown) == 0 {
		out := make([]string, room)
		out[0] = d.styles.Muted.Render(ansi.Truncate("No setting matches", inner, "…"))
		return out
	}
	var lines []string
	marked, first := 0, 0
	for i, r := range d.shown {
		if i == 0 || d.shown[i-1].Group != r.Group {
			if i > 0 {
				lines = append(lines, "")
			}
			if i == d.at {
				first = len(lines) // its group's name is in sight with it
			}
			lines = append(lines, d.styles.Bold.Render(ansi.Truncate(terminal.Line(r.Group), inner, "…")))
		} else if i == d.at {
			first = len(lines)
		}
		if i == d.at {
			marked = len(lines)
		}
		lines = append(lines, d.row(r, i == d.at, inner))
	}
	if marked-first >= room {
		first = marked
	}
	d.page = max(room-2, 1)
	d.top = max(min(d.top, first, len(lines)-room), marked-room+1, 0)
	d.top = max(min(d.top, len(lines)-room), 0)
	out := make([]string, room)
	copy(out, lines[d.top:min(len(lines), d.top+room)])
	return out
}

// roomForOrigin is the width from which where a value came from stands beside it, in cells.
const roomForOrigin = 64

func (d *Settings) row(r SettingRow, marked bool, inner int) string {
	s := d.styles
	lead, name := "  ", s.Text
	if marked {
		lead, name = s.Accent.Render("›")+" ", s.Bold
	}
	label, value, origin := terminal.Line(r.Label), text.OneLine(terminal.Line(r.Value)), ""
	if value == "" {
		value = "–"
	}
	room := inner - 2
	if inner >= roomForOrigin {
		origin = ansi.Truncate(terminal.Line(r.Origin), originWidth, "…")
		room -= originWidth + 1
	}
	column := min(d.labels(), room-min(10, room/3))
	label = ansi.Truncate(label, column, "…")
	value = ansi.Truncate(value, max(room-column-2, 1), "…")
	line := lead + name.Render(label) + strings.Repeat(" ", column+2-ansi.StringWidth(label))
	if r.Quiet {
		line += s.Muted.Render(value)
	} else {
		line += s.Accent.Render(value)
	}
	if origin != "" {
		line += strings.Repeat(" ", max(room-column-2-ansi.StringWidth(value)+1, 1)) + s.Muted.Render(origin)
	}
	return line
}

// labels is the width of the widest name.
func (d *Settings) labels() int {
	n := 0
	for _, r := range d.all {
		n = max(n, ansi.StringWidth(terminal.Line(r.Label)))
	}
	return n
}
