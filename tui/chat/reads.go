package chat

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/base/cells"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
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
		if name := path.Base(t.target); t.target != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	said := fmt.Sprintf("%s %d %s", verb, len(names), words.Many)
	if len(names) < 2 {
		said = fmt.Sprintf("%s 1 %s, %d times", verb, words.One, len(calls))
	}
	return marker + " " + cells.Truncate(phrase.Join(s.Muted.Render(said), strings.Join(names, ", ")), room, "…")
}

// lines draws the calls in one line and, if the first is unfolded, each with its result.
func (g *reads) lines(env *Env, calls []*Tool, width int) []string {
	out := []string{g.line(env, calls, width)}
	if !calls[0].open {
		return out
	}
	for _, t := range calls {
		room := textWidth(width)
		out = append(out, indent(append([]string{t.line(room, t.ending())}, indent(t.details(textWidth(room), calls[0]))...))...)
	}
	return clip(out, width)
}
