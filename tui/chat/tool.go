package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/phrase"
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
	waits    bool          // it is queued
	written  bool          // the arguments are complete
	waited   time.Duration // time spent in the queue
	duration time.Duration
	frame    int
	gone     bool
	steps    *steps // of the sub-agent it started
	outcome
	group *reads // the calls it is grouped with, or nil
	all   bool   // show everything when unfolded, not only the beginning
	cut   bool   // something was omitted when last drawn
	dated
	card
}

// outcome holds the arguments and the result.
type outcome struct {
	arguments []argument
	result    excerpt // the result without its diffs
	given     excerpt // the original result, if it contained diffs
	diffs     []diffExcerpt
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

// Written marks the arguments as complete; the call now waits to run.
func (t *Tool) Written() {
	if t.state == ToolWriting {
		t.written = true
		t.touch()
	}
}

// Start marks the call as running on a target.
func (t *Tool) Start(target string, now time.Time) {
	t.target, t.state, t.began = terminal.Line(target), ToolRunning, now
	t.touch()
}

// Called sets the arguments, a JSON object.
func (t *Tool) Called(arguments json.RawMessage) {
	t.arguments = argumentsOf(arguments)
	t.touch()
}

// Wait marks the call as queued until its first step.
func (t *Tool) Wait() { t.waits = true }

// Finish sets the outcome; d includes the time in the queue.
func (t *Tool) Finish(summary string, failed bool, d time.Duration) {
	t.summary, t.state, t.duration, t.waits = terminal.Line(summary), ToolDone, max(d-t.waited, 0), false
	if failed {
		t.state = ToolFailed
	}
	t.touch()
}

// Gave sets the result.
func (t *Tool) Gave(result string) {
	limit := maxResult
	if t.steps != nil {
		limit = maxReport
	}
	t.diffs, t.given = nil, excerpt{}
	if event.TraitsOf(t.name).Edits { // in other results a diff is part of a note
		t.given = newExcerpt(result, limit)
		result, t.diffs = withDiffs(t.env, result)
	}
	t.result = newExcerpt(result, limit)
	t.touch()
}

// Replaced shows a unified diff of the changes made; an empty one is ignored.
func (t *Tool) Replaced(diff string) {
	if diff == "" {
		return
	}
	_, t.diffs = withDiffs(t.env, diff)
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

// Target returns what the call acts on.
func (t *Tool) Target() string { return t.target }

// Folds reports whether the call, or one grouped with it, has details.
func (t *Tool) Folds() bool {
	return t.steps != nil || t.result.text != "" || len(t.diffs) > 0 || len(t.arguments) > 0 || t.group.folded() != nil
}

// More implements Lengthy.
func (t *Tool) More() bool { return t.Unfolded() && t.open && t.cut }

// ShowAll implements Lengthy.
func (t *Tool) ShowAll() {
	t.all = true
	t.touch()
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
	if t.frame != t.env.Frame && (t.runs() || t.group != nil && slices.ContainsFunc(t.group.calls, (*Tool).runs)) {
		t.frame = t.env.Frame
		t.card.touch()
	}
	return t.get(width, t.draw)
}

func (t *Tool) draw(width int) []string {
	t.all, t.cut = t.all && t.open, false
	if t.gone {
		return nil
	}
	if all := t.group.folded(); slices.Contains(all, t) {
		if all[0] != t {
			return nil
		}
		return t.group.lines(t.env, all, width, t)
	}
	if t.steps == nil {
		out := []string{t.line(width, t.ending())}
		if t.open {
			out = append(out, indent(t.detailLines(textWidth(width), t))...)
		}
		return out
	}
	// A sub-agent's task takes a line of its own, to leave space for its progress.
	s := t.env.Styles
	out := []string{t.line(width, ""), "  " + s.Muted.Render(ansi.Truncate("└ "+t.ending(), textWidth(width), "…"))}
	if t.open {
		out = append(out, indent(t.steps.lines(t.env, textWidth(width)))...)
		var lines []string
		lines, t.cut = t.result.draw(t.env, textWidth(width), t.all)
		out = append(out, indent(lines)...)
	}
	return out
}

// detailLines returns the arguments and the result. It sets cut of shown, the item that draws them, if anything was
// omitted.
func (t *Tool) detailLines(width int, shown *Tool) []string {
	result, cut := t.result.draw(t.env, width, shown.all)
	diffs, cutDiffs := drawDiffs(t.env, t.diffs, width, shown.all)
	shown.cut = shown.cut || cut || cutDiffs
	return append(append(t.drawArguments(width), result...), diffs...)
}

// line returns the call in one line: state, name, target, outcome.
func (t *Tool) line(width int, end string) string {
	s := t.env.Styles
	var marker string
	switch t.state {
	case ToolWriting, ToolRunning:
		marker = s.Accent.Render(t.env.Spinner())
		if t.waits || t.state == ToolWriting && t.written {
			marker = s.Muted.Render("·")
		}
	case ToolDone:
		marker = s.OK.Render("✓")
	case ToolFailed:
		marker = s.Error.Render("✗")
	case ToolStopped:
		marker = s.Warn.Render("■")
	}
	room := textWidth(width)
	name := ansi.Truncate(t.name, room, "…")
	line := s.Muted.Render(name)
	room -= ansi.StringWidth(name)
	if t.state == ToolWriting && !t.written && end != "" && ansi.StringWidth(end)+3 > room/2 {
		end = byteCount(t.bytes) // the growing size matters more than its label
	}
	if t.target != "" && room > 3 {
		reserve := min(ansi.StringWidth(end)+3, room/2)
		target := shorten(t.target, room-1-reserve)
		line += " " + target
		room -= 1 + ansi.StringWidth(target)
	}
	if end != "" && room > 3 {
		style := s.Muted
		if t.state == ToolFailed {
			style = s.Error
		}
		line += style.Render(" · " + ansi.Truncate(end, room-3, "…"))
	}
	return marker + " " + line
}

// ending returns the outcome or the progress of the call.
func (t *Tool) ending() string {
	took := ""
	parts := []string{t.steps.count()}
	switch t.state {
	case ToolWriting:
		if t.written {
			parts = append(parts, "waiting its turn")
		} else if t.bytes > 0 {
			parts = append(parts, "writing, "+byteCount(t.bytes))
		}
	case ToolRunning:
		if t.waits {
			return "waiting for another to finish"
		}
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

func byteCount(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1000)
}

// maxSteps is the number of a sub-agent's newest steps that are shown.
const maxSteps = 30

// steps are the actions of a sub-agent within a tool call. A nil *steps has none.
type steps struct {
	taken  int
	calls  []*Tool // the newest
	saying string  // activity while no tool is called
}

// count returns the number of steps: "3 steps".
func (s *steps) count() string {
	if s == nil || s.taken == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", s.taken, text.Plural(s.taken, "step"))
}

// now returns the sub-agent's current activity.
func (s *steps) now() string {
	if s == nil {
		return ""
	}
	for _, c := range slices.Backward(s.calls) {
		if c.state == ToolRunning {
			const width = 90
			return Doing(c.name, c.target, width)
		}
	}
	return s.saying
}

// stop marks unfinished steps as stopped.
func (s *steps) stop() {
	if s == nil {
		return
	}
	for _, c := range s.calls {
		c.Stop()
	}
}

// lines draws one line per step.
func (s *steps) lines(env *Env, width int) []string {
	if s == nil {
		return nil
	}
	var out []string
	if earlier := s.taken - len(s.calls); earlier > 0 {
		out = append(out, env.Styles.Muted.Render(fmt.Sprintf("… %d earlier %s", earlier, text.Plural(earlier, "step"))))
	}
	for _, c := range s.calls {
		out = append(out, c.line(width, c.ending()))
	}
	return clip(out, width)
}

// nest marks the call as running a sub-agent.
func (t *Tool) nest() *steps {
	if t.steps == nil {
		t.steps = &steps{saying: "thinking"}
	}
	if t.waits {
		t.waits, t.waited = false, t.env.Now().Sub(t.began)
		t.began = t.env.Now()
	}
	t.touch()
	return t.steps
}

// Nest sets the sub-agent's activity while it calls no tool: "thinking", "trying again in 3s".
func (t *Tool) Nest(saying string) { t.nest().saying = terminal.Line(saying) }

// StepStarted adds a step of the sub-agent.
func (t *Tool) StepStarted(id, name, target string, now time.Time) {
	s := t.nest()
	s.taken++
	c := NewTool(t.env, name)
	c.id = id
	c.Start(target, now)
	s.calls = append(s.calls, c)
	if len(s.calls) > maxSteps {
		s.calls = slices.Delete(s.calls, 0, len(s.calls)-maxSteps)
	}
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
	verb := session.Verb(terminal.Line(name), target != "")
	if target == "" {
		return verb
	}
	return verb + " " + shorten(target, max(width-len(verb)-1, 8))
}
