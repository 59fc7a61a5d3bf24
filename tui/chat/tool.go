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

// ToolState is where a tool call stands.
type ToolState int

// The states of a tool call.
const (
	ToolWriting ToolState = iota // the model is still writing the call
	ToolRunning
	ToolDone
	ToolFailed
	ToolStopped
)

// slow is what a tool call must take for its duration to be shown.
const slow = time.Second

// What is shown of a result among the details, in lines: a sub-agent's report was written to be
// read.
const (
	maxResult = 12
	maxReport = 60
)

// Tool is a tool call, one line; with its result, and the steps of a sub-agent, where details
// are shown.
type Tool struct {
	id       string // of a step
	name     string
	target   string
	summary  string
	state    ToolState
	bytes    int
	began    time.Time
	waits    bool          // for its turn to run
	written  bool          // the model has written the call
	waited   time.Duration // before it did
	duration time.Duration
	frame    int
	gone     bool
	steps    *steps // of the sub-agent it started
	outcome
	group *reads // the calls it is folded into a line with; nil: none
	all   bool   // of what is unfolded is to be shown, not the beginning alone
	cut   bool   // there is more than is shown, as drawn last
	dated
	card
}

// outcome is what a call was called with, and what came of it, for the details.
type outcome struct {
	arguments []argument
	result    excerpt // what it gave
	given     excerpt // the same as it came, where the diffs were taken out of result
	diffs     []diffExcerpt
}

// NewTool makes an item of a tool call that is being written.
func NewTool(env *Env, name string) *Tool {
	return &Tool{card: card{env: env}, name: terminal.Line(name)}
}

// Writing says how many bytes of arguments the model has written, and what the call acts on,
// where that is known already.
func (t *Tool) Writing(bytes int, target string) {
	t.bytes, t.target = bytes, terminal.Line(target)
	t.touch()
}

// Written says that the model has written the call, which waits for its turn to run.
func (t *Tool) Written() {
	if t.state == ToolWriting {
		t.written = true
		t.touch()
	}
}

// Start says that it runs, and on what.
func (t *Tool) Start(target string, now time.Time) {
	t.target, t.state, t.began = terminal.Line(target), ToolRunning, now
	t.touch()
}

// Called says what it was called with, a JSON object, for the details.
func (t *Tool) Called(arguments json.RawMessage) {
	t.arguments = argumentsOf(arguments)
	t.touch()
}

// Wait says that it waits until it may run: until its first step.
func (t *Tool) Wait() { t.waits = true }

// Finish says how it ended, after how long with the wait.
func (t *Tool) Finish(summary string, failed bool, d time.Duration) {
	t.summary, t.state, t.duration, t.waits = terminal.Line(summary), ToolDone, max(d-t.waited, 0), false
	if failed {
		t.state = ToolFailed
	}
	t.touch()
}

// Gave says what came of it, for the details.
func (t *Tool) Gave(result string) {
	limit := maxResult
	if t.steps != nil {
		limit = maxReport
	}
	t.diffs, t.given = nil, excerpt{}
	if event.TraitsOf(t.name).Edits { // of any other a diff is what a note holds
		t.given = newExcerpt(result, limit)
		result, t.diffs = withDiffs(t.env, result)
	}
	t.result = newExcerpt(result, limit)
	t.touch()
}

// Replaced shows among the details what it changed, as a unified diff; empty: nothing is known of
// that.
func (t *Tool) Replaced(diff string) {
	if diff == "" {
		return
	}
	_, t.diffs = withDiffs(t.env, diff)
	t.touch()
}

// Stop says that the turn was stopped before it ended; no effect afterwards.
func (t *Tool) Stop() {
	if t.state == ToolWriting || t.state == ToolRunning {
		t.state = ToolStopped
		t.steps.stop()
		t.touch()
	}
}

// Withdraw takes it off the screen: the model call that wrote it failed.
func (t *Tool) Withdraw() {
	t.gone = true
	t.touch()
}

// State is where it stands.
func (t *Tool) State() ToolState { return t.state }

// Target is what it acts on.
func (t *Tool) Target() string { return t.target }

// Folds says whether there is more of it, or of the calls it is folded with, to be shown.
func (t *Tool) Folds() bool {
	return t.steps != nil || t.result.text != "" || len(t.diffs) > 0 || len(t.arguments) > 0 || t.group.folded() != nil
}

// More says whether it is unfolded, and more of it can be shown.
func (t *Tool) More() bool { return t.Unfolded() && t.open && t.cut }

// ShowAll shows all that was kept of what came of it, until it is folded.
func (t *Tool) ShowAll() {
	t.all = true
	t.touch()
}

// touch has it drawn anew, and what it is folded with.
func (t *Tool) touch() {
	t.card.touch()
	if t.group != nil {
		for _, c := range t.group.calls {
			c.card.touch()
		}
	}
}

// runs says that it has not ended.
func (t *Tool) runs() bool { return t.state == ToolWriting || t.state == ToolRunning }

// Lines draws it.
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
			out = append(out, indent(t.inside(textWidth(width), t))...)
		}
		return out
	}
	// A task takes a line of its own: it would leave no room for what becomes of it.
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

// inside is what it was called with and what came of it; shown is the item that shows it, which is told
// where something is left out.
func (t *Tool) inside(width int, shown *Tool) []string {
	result, cut := t.result.draw(t.env, width, shown.all)
	diffs, cutDiffs := drawDiffs(t.env, t.diffs, width, shown.all)
	shown.cut = shown.cut || cut || cutDiffs
	return append(append(t.drawArguments(width), result...), diffs...)
}

// line is the call in one line: how it stands, its name, what it acts on, how it ended.
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
		end = byteCount(t.bytes) // that it grows matters more than the word for it
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

// ending is how the call ended, or how far it is.
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

// maxSteps is how many steps of a sub-agent are shown, in lines: the newest.
const maxSteps = 30

// steps are what a sub-agent does within a tool call. A nil one has none.
type steps struct {
	taken  int
	calls  []*Tool // the newest
	saying string  // what it does where it calls no tool
}

// count is how many steps were taken: "3 steps".
func (s *steps) count() string {
	if s == nil || s.taken == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", s.taken, text.Plural(s.taken, "step"))
}

// now is what the sub-agent does now.
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

// stop says that the turn was stopped.
func (s *steps) stop() {
	if s == nil {
		return
	}
	for _, c := range s.calls {
		c.Stop()
	}
}

// lines draws a line for each step.
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

// nest makes the call one of a sub-agent.
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

// Nest says that the call runs a sub-agent, and what that does where it calls no tool:
// "thinking", "trying again in 3s".
func (t *Tool) Nest(saying string) { t.nest().saying = terminal.Line(saying) }

// StepStarted says that the sub-agent began a step, and on what.
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

// StepFinished says how the step ended.
func (t *Tool) StepFinished(id, summary string, failed bool, d time.Duration) {
	for _, c := range slices.Backward(t.nest().calls) {
		if c.id == id && c.state == ToolRunning {
			c.Finish(summary, failed, d)
			return
		}
	}
}

// Doing puts a tool call into words, for one line of at most about width cells: "reading
// Projects/Alpha.md".
func Doing(name, target string, width int) string {
	target = terminal.Line(target)
	verb := session.Verb(terminal.Line(name), target != "")
	if target == "" {
		return verb
	}
	return verb + " " + shorten(target, max(width-len(verb)-1, 8))
}
