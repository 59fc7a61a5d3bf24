// Package prose draws how a note changes: the lines that are removed and those that are added, with the
// words that differ marked. It promises that nothing of what changes is left out unsaid, that
// characters which cannot be seen are named, and that every row of a note's text begins with a
// sign and a space or a bar, so that no text can pass for a row of the program's own, nor for one
// that is added, removed or unchanged when it is not.
package prose

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// Bounds of what is drawn. Whatever they leave out is said in its place.
const (
	maxShown   = 256 << 10 // bytes of what changes
	maxContext = 2         // lines that do not change, on both sides of a change
	maxLine    = 3         // rows of a line that does not change: a longer one is left out
	maxSame    = 240       // bytes of what does not change within a line, on both sides of a change
)

// Row is a row of the screen.
type Row struct {
	Text    string // styled
	Hunk    int    // the part it belongs to, in Diff.Hunks; -1: none
	Head    bool   // begins the part, and says where it stands
	Changes bool   // shows something that is added or removed
}

// View draws a diff. Its methods are for one goroutine.
type View struct {
	from   func() Styles
	styles Styles
	diff   *prosediff.Diff
	marks  bool // added and removed words stand in brackets: colours alone would not tell
	parts  bool
	end    string // of the lines, which is not shown

	gone, come int // words of the whole
	rows       []Row
	width      int
	open       int // the hunk that is being drawn
}

// Styles are the escape sequences with which what is drawn begins; empty: it has no style.
type Styles struct {
	Plus, Minus, Added, Removed, Muted string
	Colorful                           bool // colours tell what is added and removed; else brackets do
}

// reset ends every style.
const reset = "\x1b[0m"

// New takes a diff, which may be nil. The styles are asked for as it is drawn; nil: there are
// none.
func New(styles func() Styles, d *prosediff.Diff) *View {
	if d == nil {
		d = &prosediff.Diff{}
	}
	if styles == nil {
		styles = func() Styles { return Styles{} }
	}
	v := &View{from: styles, diff: d.Bounded(maxShown), end: "\n"}
	if d.CRLF() {
		v.end = "\r\n"
	}
	v.come, v.gone = d.Words()
	return v
}

// FromUnified takes a unified diff of a file.
func FromUnified(styles func() Styles, diff string) *View {
	d, ok := prosediff.FromUnified(diff)
	if diff = strings.TrimSpace(diff); !ok && diff != "" { // it is none: what there is is not shown
		d.Left = strings.Count(diff, "\n") + 1
	}
	return New(styles, d)
}

// Empty says that there is nothing to draw.
func (v *View) Empty() bool { return v.diff.Empty() }

// Hunks counts the parts.
func (v *View) Hunks() int { return len(v.diff.Hunks) }

// Parts draws a head above each part.
func (v *View) Parts(on bool) {
	if v.parts != on {
		v.parts, v.width = on, 0
	}
}

// Sum says how much changes, in a few words, and in fewer.
func (v *View) Sum() (long, short string) {
	if v.come+v.gone == 0 {
		return "only spaces and line ends", "spaces"
	}
	return fmt.Sprintf("%s added, %s removed", text.Count(v.come, "word"), text.Thousands(v.gone)), fmt.Sprintf("+%d −%d", v.come, v.gone)
}

// Rows draws it in rows of at most width cells.
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
	v.lines()
	if d.Left > 0 {
		v.note(fmt.Sprintf("… %s more of this change: too many to show here", text.Count(d.Left, "line")))
	}
	if d.Remark != "" {
		v.note("… " + terminal.StrictLine(text.Clip(strings.Trim(d.Remark, "[.] "), maxSame)))
	}
	return v.rows
}

// lines draws the lines that change, each with those near it.
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
			v.note(join(hiddenText(hidden), place))
		}
		hidden, gap = 0, false
		if v.open != l.Hunk && l.Hunk >= 0 {
			v.open = l.Hunk
			v.head(v.diff.Hunks[l.Hunk])
		}
		if v.open = l.Hunk; l.Op == prosediff.Same {
			v.line(unchanged, []piece{{text: shown(strings.TrimSuffix(l.Text, v.end))}})
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

// place says where the change stands before which something is left out; with heads they do.
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

// spot says where a part stands.
func (v *View) spot(h prosediff.Hunk) string {
	under := ""
	if h.Under != "" {
		under = "below “" + terminal.StrictLine(h.Under) + "”"
	}
	return join(fmt.Sprintf("line %d", h.Line), under)
}

// head draws the head of the part that is open.
func (v *View) head(h prosediff.Hunk) {
	if v.parts {
		text := join(fmt.Sprintf("part %d of %d", v.open+1, len(v.diff.Hunks)), v.spot(h))
		v.rows = append(v.rows, Row{Text: text, Hunk: v.open, Head: true})
	}
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
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
