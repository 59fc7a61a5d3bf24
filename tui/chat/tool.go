package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/safe"
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

// Tool is a tool call, one line.
type Tool struct {
	env      *Env
	name     string
	target   string
	summary  string
	state    ToolState
	bytes    int
	began    time.Time
	duration time.Duration
	frame    int
	gone     bool
	drawn
}

// NewTool makes an item of a tool call that is being written.
func NewTool(env *Env, name string) *Tool { return &Tool{env: env, name: safe.Line(name)} }

// Writing says how many bytes of arguments the model has written.
func (t *Tool) Writing(bytes int) {
	t.bytes = bytes
	t.touch()
}

// Start says that it runs, and on what.
func (t *Tool) Start(target string, now time.Time) {
	t.target, t.state, t.began = safe.Line(target), ToolRunning, now
	t.touch()
}

// Finish says how it ended.
func (t *Tool) Finish(summary string, failed bool, d time.Duration) {
	t.summary, t.state, t.duration = safe.Line(summary), ToolDone, d
	if failed {
		t.state = ToolFailed
	}
	t.touch()
}

// Stop says that the turn was stopped before it ended; no effect afterwards.
func (t *Tool) Stop() {
	if t.state == ToolWriting || t.state == ToolRunning {
		t.state = ToolStopped
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

// Lines draws the one line.
func (t *Tool) Lines(width int) []string {
	if (t.state == ToolWriting || t.state == ToolRunning) && t.frame != t.env.Frame {
		t.frame = t.env.Frame
		t.touch()
	}
	return t.get(width, t.draw)
}

func (t *Tool) draw(width int) []string {
	if t.gone {
		return nil
	}
	s := t.env.Styles
	var marker string
	end := t.summary
	switch t.state {
	case ToolWriting, ToolRunning:
		marker = s.Accent.Render(t.env.Spinner())
		if t.state == ToolWriting && t.bytes > 0 {
			end = fmt.Sprintf("writing, %s", byteCount(t.bytes))
		}
	case ToolDone:
		marker = s.OK.Render("✓")
	case ToolFailed:
		marker = s.Error.Render("✗")
	case ToolStopped:
		marker, end = s.Warn.Render("■"), "stopped"
	}
	if t.duration > slow {
		end = strings.TrimPrefix(end+" · "+Duration(t.duration), " · ")
	}
	room := textWidth(width)
	name := ansi.Truncate(t.name, room, "…")
	line := s.Muted.Render(name)
	room -= ansi.StringWidth(name)
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
	return []string{marker + " " + line}
}

func byteCount(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KB", float64(n)/1000)
}
