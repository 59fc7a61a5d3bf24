package chat

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// ToolState is the state of a tool call.
type ToolState int

// The states of a tool call.
const (
	ToolWriting ToolState = iota // the model is writing the arguments
	ToolRunning
	ToolDone
	ToolFailed
	ToolStopped
)

// slow is the shortest duration that is shown.
const slow = time.Second

// Limits on the lines shown of a result. A sub-agent's report is meant to be read, so it gets more.
const (
	maxResult = 12
	maxReport = 60
)

// Tool is a tool call in one line. When unfolded, its result and the steps of a sub-agent follow.
type Tool struct {
	id       string // of a sub-agent's step
	name     string
	target   string
	summary  string
	state    ToolState
	bytes    int
	began    time.Time
	duration time.Duration
	gone     bool
	steps    steps // of the sub-agent it started

	arguments string
	result    string // not sanitized
	short     bool   // only the beginning of the result was kept
	parts     []part // of the result

	group *reads // the calls it is grouped with, or nil
	card
}

// NewTool returns an item for a tool call whose arguments are being written.
func NewTool(env *Env, name string) *Tool {
	return &Tool{card: card{env: env}, name: terminal.Line(name)}
}

// Writing sets the number of argument bytes written so far and the target, if known.
func (t *Tool) Writing(bytes int, target string) {
	t.bytes, t.target = bytes, terminal.Line(target)
	t.touch()
}

// Start marks the call as running on a target.
func (t *Tool) Start(target string, now time.Time) {
	t.target, t.state, t.began = terminal.Line(target), ToolRunning, now
	t.touch()
}

// Called sets the arguments, a JSON object.
func (t *Tool) Called(arguments json.RawMessage) {
	t.arguments = argumentsOf(arguments, t.target)
	t.touch()
}

// Finish sets the outcome.
func (t *Tool) Finish(summary string, failed bool, d time.Duration) {
	t.summary, t.state, t.duration = terminal.Line(summary), ToolDone, d
	if failed {
		t.state = ToolFailed
	}
	t.touch()
}

// Gave sets the result.
func (t *Tool) Gave(result string) {
	t.parts = nil
	if event.TraitsOf(t.name).Edits { // in other results a diff is part of a note
		t.parts = partsOf(t.env, result)
	}
	result = strings.Trim(result, "\n")
	t.short = len(result) > maxExcerpt
	t.result = strings.Clone(text.Head(result, maxExcerpt))
	if t.parts == nil && t.result != "" {
		t.parts = []part{{text: t.result}}
	}
	t.touch()
}

// Replaced shows a unified diff of the changes made; an empty one is ignored.
func (t *Tool) Replaced(diff string) {
	if diff == "" {
		return
	}
	t.parts = append(slices.DeleteFunc(t.parts, isDiff), partsOf(t.env, diff)...)
	t.touch()
}

// Stop marks the call as stopped if it has not ended.
func (t *Tool) Stop() {
	if t.state == ToolWriting || t.state == ToolRunning {
		t.state = ToolStopped
		t.steps.stop()
		t.touch()
	}
}

// Withdraw hides the call because the model request that wrote it failed.
func (t *Tool) Withdraw() {
	t.gone = true
	t.touch()
}

// State returns the state of the call.
func (t *Tool) State() ToolState { return t.state }

// Folds reports whether the call, or one grouped with it, has details.
func (t *Tool) Folds() bool {
	return len(t.steps.calls) > 0 || len(t.parts) > 0 || t.arguments != "" || t.group.folded() != nil
}

// touch invalidates the drawing of the call and of those grouped with it.
func (t *Tool) touch() {
	t.card.touch()
	if t.group != nil {
		for _, c := range t.group.calls {
			c.card.touch()
		}
	}
}

// runs reports whether the call has not ended.
func (t *Tool) runs() bool { return t.state == ToolWriting || t.state == ToolRunning }

// Lines implements list.Item.
func (t *Tool) Lines(width int) []string {
	t.animate(t.runs() || t.group != nil && slices.ContainsFunc(t.group.calls, (*Tool).runs))
	return t.get(width, nil, t.draw)
}

func (t *Tool) draw(width int) []string {
	if t.gone {
		return nil
	}
	if all := t.group.folded(); slices.Contains(all, t) {
		if all[0] != t {
			return nil
		}
		return t.group.lines(t.env, all, width)
	}
	end, room := t.ending(), textWidth(width)
	if len(t.steps.calls) == 0 {
		return append([]string{t.line(width, end, t.open)}, indent(t.details(room, t))...)
	}
	// A sub-agent's task takes a line of its own, to leave space for its progress.
	out := []string{t.line(width, "", t.open), "  " + t.env.Styles.Muted.Render(cells.Truncate("└ "+end, room, "…"))}
	if t.open {
		out = append(out, indent(append(t.steps.lines(room), t.drawParts(room, t.whole())...))...)
	}
	return out
}

// details returns the arguments and the result if shown, the item that draws them, is unfolded.
func (t *Tool) details(width int, shown *Tool) []string {
	if !shown.open {
		return nil
	}
	var out []string
	if t.arguments != "" && !slices.ContainsFunc(t.parts, isDiff) { // which shows them
		out = markdown.Wrap(t.arguments, theme.Open(t.env.Styles.Muted), width)
	}
	return append(out, t.drawParts(width, shown.whole())...)
}

// line returns the call in one line: state, what it does or the tool's name, target, outcome.
func (t *Tool) line(width int, end string, named bool) string {
	s := t.env.Styles
	var marker string
	switch t.state {
	case ToolWriting, ToolRunning:
		marker = s.Accent.Render(t.env.Spinner())
	case ToolDone:
		marker = s.OK.Render("✓")
	case ToolFailed:
		marker = s.Error.Render("✗")
	case ToolStopped:
		marker = s.Warn.Render("■")
	}
	room := textWidth(width)
	name, target := t.name, t.target
	if !named {
		name, target = session.Verb(t.name, t.state == ToolDone, target != ""), subject(target)
	}
	name = cells.Truncate(name, room, "…")
	line := s.Muted.Render(name)
	room -= cells.Width(name)
	if target != "" && room > 3 {
		reserve := min(cells.Width(end)+3, room/2)
		target := shorten(target, room-1-reserve)
		line += " " + target
		room -= 1 + cells.Width(target)
	}
	if end != "" && room > 3 {
		style := s.Muted
		if t.state == ToolFailed {
			style = s.Error
		}
		line += style.Render(" · " + cells.Truncate(end, room-3, "…"))
	}
	return marker + " " + line
}

// ending returns the outcome or the progress of the call.
func (t *Tool) ending() string {
	took := ""
	parts := []string{t.steps.count()}
	switch t.state {
	case ToolWriting:
		if t.bytes > 0 {
			parts = append(parts, phrase.Bytes(int64(t.bytes)))
		}
	case ToolRunning:
		parts = append(parts, t.steps.now())
		if d := t.env.Now().Sub(t.began).Truncate(time.Second); d > slow {
			took = Duration(d)
		}
	case ToolStopped:
		parts = append(parts, "stopped")
	case ToolDone, ToolFailed:
		parts = append(parts, t.summary)
		if t.duration > slow {
			took = Duration(t.duration)
		}
	}
	parts = append(parts, took)
	return phrase.Join(parts...)
}

// steps are the actions of a sub-agent within a tool call.
type steps struct {
	calls []*Tool
}

// count returns the number of steps: "3 steps".
func (s *steps) count() string {
	if len(s.calls) == 0 {
		return ""
	}
	return text.Count(len(s.calls), "step")
}

// now returns the sub-agent's current activity; empty before its first step.
func (s *steps) now() string {
	if len(s.calls) == 0 {
		return ""
	}
	for _, c := range slices.Backward(s.calls) {
		if c.state == ToolRunning {
			const width = 90
			return Doing(c.name, c.target, width)
		}
	}
	return "thinking"
}

// stop marks unfinished steps as stopped.
func (s *steps) stop() {
	for _, c := range s.calls {
		c.Stop()
	}
}

// lines draws one line per step.
func (s *steps) lines(width int) []string {
	return clip(text.Of(s.calls, func(c *Tool) string { return c.line(width, c.ending(), false) }), width)
}

// nest marks the call as running a sub-agent.
func (t *Tool) nest() *steps {
	t.touch()
	return &t.steps
}

// StepStarted adds a step of the sub-agent.
func (t *Tool) StepStarted(id, name, target string, now time.Time) {
	s, c := t.nest(), NewTool(t.env, name)
	c.id = id
	c.Start(target, now)
	s.calls = append(s.calls, c)
}

// StepFinished sets the outcome of a step.
func (t *Tool) StepFinished(id, summary string, failed bool, d time.Duration) {
	for _, c := range slices.Backward(t.nest().calls) {
		if c.id == id && c.state == ToolRunning {
			c.Finish(summary, failed, d)
			return
		}
	}
}

// Doing describes a tool call in one line of about width cells: "reading Projects/Alpha.md".
func Doing(name, target string, width int) string {
	target = terminal.Line(target)
	verb := session.Verb(terminal.Line(name), false, target != "")
	if target == "" {
		return verb
	}
	return verb + " " + shorten(target, max(width-len(verb)-1, 8))
}

// subject returns the name of the note that a call acts on, or its target if that is something else: “rent” in Flat.
func subject(target string) string {
	if name, note := strings.CutSuffix(target, ".md"); note && !strings.ContainsAny(target, "→\"") {
		return path.Base(name)
	}
	if words, rest, quoted := strings.Cut(strings.TrimPrefix(target, `"`), `"`); quoted && target[0] == '"' {
		return "“" + words + "”" + rest
	}
	return target
}

// reads groups consecutive calls that change nothing. The first draws all of them in one line, except failed ones,
// which draw themselves.
type reads struct{ calls []*Tool }

// Together adds a call to the group of the calls directly above it if neither changes anything. above is the item
// before it.
func Together(above, below list.Item) {
	a, isTool := above.(*Tool)
	b, areTools := below.(*Tool)
	if !isTool || !areTools || a == b || b.group != nil || !a.looks() || !b.looks() {
		return
	}
	if a.group == nil {
		a.group = &reads{calls: []*Tool{a}}
	}
	b.group = a.group
	b.group.calls = append(b.group.calls, b)
	b.touch()
}

// looks reports whether the call only reads or searches.
func (t *Tool) looks() bool { return event.TraitsOf(t.name).Kind.Looks() }

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

// maxSubjects is the number of subjects that a group names of each tool.
const maxSubjects = 4

// line returns the calls in one line: "searched for “rent” · read Heron, Knee and 3 more".
func (g *reads) line(env *Env, calls []*Tool, width int) string {
	s := env.Styles
	marker := s.OK.Render("✓")
	var names, parts []string
	for _, t := range calls {
		if t.runs() {
			marker = s.Accent.Render(env.Spinner())
		}
		if !slices.Contains(names, t.name) {
			names = append(names, t.name)
		}
	}
	for _, name := range names {
		var subjects []string
		runs := false
		for _, t := range calls {
			if t.name != name {
				continue
			}
			runs = runs || t.runs()
			if of := subject(t.target); of != "" && !slices.Contains(subjects, of) {
				subjects = append(subjects, of)
			}
		}
		part := s.Muted.Render(session.Verb(name, !runs, len(subjects) > 0))
		parts = append(parts, strings.TrimSpace(part+" "+text.First(subjects, maxSubjects)))
	}
	return marker + " " + cells.Truncate(phrase.Join(parts...), textWidth(width), "…")
}

// lines draws the calls in one line and, if the first is unfolded, each with its result.
func (g *reads) lines(env *Env, calls []*Tool, width int) []string {
	out := []string{g.line(env, calls, width)}
	if !calls[0].open {
		return out
	}
	for _, t := range calls {
		room := textWidth(width)
		out = append(out, indent(append([]string{t.line(room, t.ending(), true)}, indent(t.details(textWidth(room), calls[0]))...))...)
	}
	return clip(out, width)
}
