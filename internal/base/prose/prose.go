// Package prose draws the change of a note: the removed and added lines, with changed words marked. No change is
// omitted without a remark, and invisible characters are named. Every row of a note's text begins with a sign and a
// space or a bar, so that no text can imitate a remark, or a line of another kind.
package prose

import (
	"fmt"
	"strings"

	"chatvault/internal/base/prosediff"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Limits of a drawing. Remarks stand for what is omitted.
const (
	maxShown   = 256 << 10 // bytes of changed lines
	maxContext = 2         // unchanged lines on both sides of a change
	maxLine    = 3         // rows of an unchanged line; a longer one is omitted
	maxRemark  = 240       // characters of a remark
)

// Row is a row of the screen.
type Row struct {
	Text    string // styled
	Hunk    int    // index in Diff.Hunks, or -1
	Head    bool   // the heading of a hunk
	Changes bool   // part of an added or removed line
}

// View draws a diff. It is not safe for concurrent use.
type View struct {
	from   func() Styles
	styles Styles
	diff   *prosediff.Diff
	marks  bool // changed words are in brackets, as there are no colours
	parts  bool

	gone, come int // removed and added words of the whole diff
	rows       []Row
	width      int
	open       int // index of the hunk being drawn, or -1
}

// Styles holds the opening sequences of styles. An empty one has no effect.
type Styles struct {
	Plus, Minus, Added, Removed, Muted string
	Colorful                           bool // false if changed words need brackets
}

// reset ends all styles.
const reset = "\x1b[0m"

// New returns a view of a diff, which may be nil. styles is called for each drawing; nil means no styles.
func New(styles func() Styles, d *prosediff.Diff) *View {
	if d == nil {
		d = &prosediff.Diff{}
	}
	if styles == nil {
		styles = func() Styles { return Styles{} }
	}
	v := &View{from: styles, diff: d.Bounded(maxShown)}
	v.come, v.gone = d.Words()
	return v
}

// FromUnified returns a view of a unified diff of one file.
func FromUnified(styles func() Styles, diff string) *View {
	d, ok := prosediff.FromUnified(diff)
	if diff = strings.TrimSpace(diff); !ok && diff != "" { // not a diff
		d.Left = strings.Count(diff, "\n") + 1
	}
	return New(styles, d)
}

// Empty reports whether there is nothing to draw.
func (v *View) Empty() bool { return v.diff.Empty() }

// Hunks returns the number of hunks.
func (v *View) Hunks() int { return len(v.diff.Hunks) }

// Parts sets whether each hunk has a heading.
func (v *View) Parts(on bool) {
	if v.parts != on {
		v.parts, v.width = on, 0
	}
}

// Sum returns the numbers of changed words.
func (v *View) Sum() string {
	if v.come+v.gone == 0 {
		return "only spaces and line ends"
	}
	return fmt.Sprintf("%s added, %s removed", text.Count(v.come, "word"), text.Thousands(v.gone))
}

// Rows returns the drawing in rows of at most width cells.
func (v *View) Rows(width int) []Row {
	width = max(width, 4)
	styles := v.from()
	if v.width == width && v.styles == styles {
		return v.rows
	}
	v.styles, v.marks = styles, !styles.Colorful
	v.width, v.rows, v.open = width, nil, -1
	d := v.diff
	if d.Empty() {
		return nil
	}
	if d.CRLF() {
		v.note("Its CR LF line ends are kept.")
	}
	for _, n := range d.Notes {
		v.note(n)
	}
	v.lines()
	if d.Left > 0 {
		v.note(fmt.Sprintf("… %s more of this change: too many to show here", text.Count(d.Left, "line")))
	}
	if d.Remark != "" {
		v.note("… " + terminal.StrictLine(text.Clip(strings.Trim(d.Remark, "[.] "), maxRemark)))
	}
	return v.rows
}

// lines draws the changed lines with those near them.
func (v *View) lines() {
	all := v.diff.Lines
	shows := make([]bool, len(all))
	for i, l := range all {
		for j := max(i-maxContext, 0); l.Op != prosediff.Same && j <= min(i+maxContext, len(all)-1); j++ {
			shows[j] = shows[j] || all[j].Op != prosediff.Same || len(all[j].Text) <= maxLine*v.width
		}
	}
	hidden, gap := 0, false
	for i := range all {
		l := &all[i]
		gap = gap || l.Gap
		if !shows[i] {
			hidden++
			continue
		}
		switch place := v.place(i); {
		case gap && place != "": // how many lines are missing is not known
			v.note(place)
		case !gap && hidden > 0:
			v.note(text.Join(" · ", hiddenText(hidden), place))
		}
		hidden, gap = 0, false
		if v.open != l.Hunk && l.Hunk >= 0 {
			v.open = l.Hunk
			v.head(v.diff.Hunks[l.Hunk])
		}
		if v.open = l.Hunk; l.Op == prosediff.Same {
			v.line(unchanged, []piece{{text: shown(strings.TrimSuffix(l.Text, "\n"))}})
			continue
		}
		v.change(l)
	}
	if v.open = -1; hidden > 0 {
		v.note(hiddenText(hidden))
	}
}

func hiddenText(n int) string {
	return fmt.Sprintf("… %s unchanged %s …", text.Thousands(n), text.Plural(n, "line"))
}

// place returns the position of the next change, or an empty string if headings show it.
func (v *View) place(i int) string {
	if v.parts {
		return ""
	}
	for _, l := range v.diff.Lines[i:] {
		if l.Hunk >= 0 {
			if h := v.diff.Hunks[l.Hunk]; h.Line > 1 {
				return v.spot(h)
			}
			break
		}
	}
	return ""
}

// spot returns the position of a hunk.
func (v *View) spot(h prosediff.Hunk) string {
	under := ""
	if h.Under != "" {
		under = "below “" + terminal.StrictLine(h.Under) + "”"
	}
	return text.Join(" · ", fmt.Sprintf("line %d", h.Line), under)
}

// head draws the heading of the current hunk.
func (v *View) head(h prosediff.Hunk) {
	if v.parts {
		text := text.Join(" · ", fmt.Sprintf("part %d of %d", v.open+1, len(v.diff.Hunks)), v.spot(h))
		v.rows = append(v.rows, Row{Text: text, Hunk: v.open, Head: true})
	}
}

// note adds a text of the program in as many rows as it takes.
func (v *View) note(text string) {
	for i, row := range Break(text, " ", v.width-2) {
		if i > 0 {
			row = "⋮ " + row
		}
		v.rows = append(v.rows, Row{Text: styled(v.styles.Muted, row), Hunk: v.open})
	}
}
