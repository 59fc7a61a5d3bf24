package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

// Live is a picker that shows at once what picking the marked row would come to, and stands at the lower
// edge, so that the transcript above it stays in sight. It promises that
// what is shown is always the marked row's, and that Esc results in escape, whose part it is to
// show again what was there before.
type Live struct {
	*Picker
	preview func(label string)
	escape  any
	seen    string // the label of the row that is shown
}

// NewLive makes a live picker of a picker whose rows have different labels. preview is called with the
// label of the marked row whenever that is another one.
func NewLive(p *Picker, preview func(label string), escape any) *Live {
	l := &Live{Picker: p, preview: preview, escape: escape}
	if r, ok := p.marked(); ok {
		l.seen = r.Label
	}
	return l
}

// Key handles a key.
func (l *Live) Key(k tea.KeyPressMsg) Outcome {
	out := l.Picker.Key(k)
	if out.Closed && out.Result == nil {
		out.Result = l.escape
	}
	if !out.Closed {
		l.follow()
	}
	return out
}

// Scroll moves the mark by the wheel.
func (l *Live) Scroll(n int) {
	l.Picker.Scroll(n)
	l.follow()
}

// Lines draws it without a frame, under a rule: what is above is to be seen with it. It is as high
// whatever is typed.
func (l *Live) Lines(width, height int) []string {
	s := l.styles
	head := ansi.Truncate(l.title, width, "…")
	line := s.AccentBold.Render(head)
	if left := width - ansi.StringWidth(head) - 2; left > 4 {
		line += "  " + l.field.Line(s, left)
	}
	lines := []string{theme.Styled(s.Rule, strings.Repeat("─", width)), line}
	foot := []string{s.Muted.Render(fitting(l.foot, width))}
	if height < len(lines)+len(foot)+2 {
		lines, foot = lines[1:], nil
	}
	room := min(max(height-len(lines)-len(foot), 0), l.size(0, len(l.shown))+len(l.all)-len(l.shown))
	rows := make([]string, room)
	copy(rows, l.list(width, room))
	return bare(append(append(lines, rows...), foot...), width, height)
}

// follow shows the marked row's, where it is another one.
func (l *Live) follow() {
	if r, ok := l.marked(); ok && r.Label != l.seen {
		l.seen = r.Label
		l.preview(r.Label)
	}
}
