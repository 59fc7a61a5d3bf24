package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/tui/list"
)

// reads groups consecutive calls that read one thing each. The first draws all of them in one line, except failed
// ones, which draw themselves.
type reads struct {
	name  string
	calls []*Tool
}

// Together adds a call to the group of the calls directly above it if they read in the same way. above is the item
// before it.
func Together(above, below list.Item) {
	a, isTool := above.(*Tool)
	b, areTools := below.(*Tool)
	if !isTool || !areTools || a == b || a.name != b.name || b.group != nil {
		return
	}
	if event.TraitsOf(a.name).Fold.Did == "" {
		return
	}
	if a.group == nil {
		a.group = &reads{name: a.name, calls: []*Tool{a}}
	}
	b.group = a.group
	b.group.calls = append(b.group.calls, b)
	b.touch()
}

// folded returns the calls shown in one line: none, or at least two.
func (g *reads) folded() []*Tool {
	if g == nil {
		return nil
	}
	in := slices.DeleteFunc(slices.Clone(g.calls), func(t *Tool) bool { return t.gone || t.state == ToolFailed || t.state == ToolStopped })
	if len(in) < 2 {
		return nil
	}
	return in
}

// line returns one line with the verb and the targets of the calls.
func (g *reads) line(env *Env, calls []*Tool, width int) string {
	s, words, room := env.Styles, event.TraitsOf(g.name).Fold, textWidth(width)
	marker, verb := s.OK.Render("✓"), words.Did
	if slices.ContainsFunc(calls, (*Tool).runs) {
		marker, verb = s.Accent.Render(env.Spinner()), words.Does
	}
	var names []string
	for _, t := range calls {
		name := t.target
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			name = name[i+1:]
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	text := fmt.Sprintf("%s %d %s", verb, len(names), words.Many)
	switch {
	case len(names) < 2 && len(calls) > len(names):
		text = fmt.Sprintf("%s %d %s, %d times", verb, max(len(names), 1), words.One, len(calls))
	case len(names) == 1:
		text = fmt.Sprintf("%s 1 %s", verb, words.One)
	}
	text = ansi.Truncate(text, room, "…")
	line := marker + " " + s.Muted.Render(text)
	if room -= ansi.StringWidth(text) + 3; room > 3 && len(names) > 0 {
		line += s.Muted.Render(" · ") + listed(names, room)
	}
	return line
}

// listed joins the names that fit into width cells and the number of the others.
func listed(names []string, width int) string {
	all := strings.Join(names, ", ")
	if ansi.StringWidth(all) <= width {
		return all
	}
	for n := len(names) - 1; n > 0; n-- {
		some := fmt.Sprintf("%s, … %d more", strings.Join(names[:n], ", "), len(names)-n)
		if ansi.StringWidth(some) <= width {
			return some
		}
	}
	return ansi.Truncate(all, width, "…")
}

// lines draws the calls in one line or, if shown, the item that draws them, is unfolded, each with its result.
func (g *reads) lines(env *Env, calls []*Tool, width int, shown *Tool) []string {
	out := []string{g.line(env, calls, width)}
	if !shown.open {
		return out
	}
	for _, t := range calls {
		room := textWidth(width)
		out = append(out, indent(append([]string{t.line(room, t.ending())}, indent(t.detailLines(textWidth(room), shown))...))...)
	}
	return clip(out, width)
}
