package chat

import (
	"fmt"
	"slices"
	"time"

	"chatvault/internal/terminal"
)

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
	switch {
	case s == nil, s.taken == 0:
		return ""
	case s.taken == 1:
		return "1 step"
	}
	return fmt.Sprintf("%d steps", s.taken)
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
	if earlier := s.taken - len(s.calls); earlier == 1 {
		out = append(out, env.Styles.Muted.Render("… 1 earlier step"))
	} else if earlier > 1 {
		out = append(out, env.Styles.Muted.Render(fmt.Sprintf("… %d earlier steps", earlier)))
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
