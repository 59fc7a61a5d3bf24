// Package chat provides the items of a transcript, one kind per file. An item is drawn once per width and content;
// untrusted text is sanitized before it is stored; and of a text too long to draw, the beginning is shown with the
// amount omitted.
//
// Every item draws a marker in the first column and its text from the third, so that the transcript is aligned.
package chat

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Indent is the width of the marker column, in cells.
const Indent = 2

// Env is the state shared by all items.
type Env struct {
	Styles *theme.Styles
	// Frame counts the spinner's steps; it does not advance while nothing runs.
	Frame int
	// Details unfolds all items: reasoning, the steps of sub-agents, results, summaries.
	Details bool
	// Now is the clock for running durations.
	Now func() time.Time

	// Citations resolves references to notes; nil disables them.
	Citations *Citations

	renderer *markdown.Renderer // the last one
	look     int                // counts the changes of Styles
}

// NewEnv returns an Env with the given styles.
func NewEnv(s *theme.Styles) *Env {
	return &Env{Styles: s, Now: time.Now}
}

// Renderer returns the Markdown renderer for a width.
func (e *Env) Renderer(width int) *markdown.Renderer {
	if e.renderer == nil || e.renderer.Width() != width {
		e.renderer = markdown.NewRenderer(e.Styles, width)
	}
	return e.renderer
}

// Spinner returns the spinner's current frame.
func (e *Env) Spinner() string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return frames[e.Frame%len(frames)]
}

// Gap returns the number of empty lines between two items: none between tool calls and reasoning, one otherwise.
func Gap(above, below list.Item) int {
	if step(above) && step(below) {
		return 0
	}
	return 1
}

func step(it list.Item) bool {
	switch it.(type) {
	case *Tool, *Reasoning, *Notice:
		return true
	}
	return false
}

// clip truncates lines to the width.
func clip(lines []string, width int) []string {
	for i, l := range lines {
		lines[i] = cells.Truncate(l, width, "")
	}
	return lines
}

// card caches an item's lines by width, theme and fold state.
type card struct {
	env         *Env
	lines       []string
	width, look int
	frame       int
	valid       bool
	data        any  // comparable: what was drawn
	open        bool // unfolded when drawn
	flipped     bool
	against     bool // Env.Details when flipped
}

// get returns the lines at a width. They are drawn again if data, a comparable value, has changed.
func (c *card) get(width int, data any, draw func(width int) []string) []string {
	if open := c.Unfolded(); !c.valid || c.data != data || c.width != width || c.look != c.env.look || c.open != open {
		c.open, c.data = open, data
		c.lines, c.width, c.look, c.valid = clip(draw(width), width), width, c.env.look, true
	}
	return c.lines
}

// touch causes the item to be drawn again.
func (c *card) touch() { c.valid = false }

// animate redraws a running item at each step of the spinner.
func (c *card) animate(runs bool) {
	if runs && c.frame != c.env.Frame {
		c.frame, c.valid = c.env.Frame, false
	}
}

// Unfolded reports whether the item is unfolded: as Env.Details says, unless it was flipped since that last changed.
func (c *card) Unfolded() bool {
	return c.env.Details != (c.flipped && c.env.Details == c.against)
}

// whole reports whether the item was unfolded alone, and so shows all.
func (c *card) whole() bool { return c.open && !c.env.Details }

// Flip folds or unfolds this item alone.
func (c *card) Flip() {
	c.flipped, c.against = !c.flipped || c.env.Details != c.against, c.env.Details
	c.touch()
}

// page collects the lines of an item next to the marker column.
type page struct {
	*theme.Styles
	room  int // width in cells
	lines []string
}

// text adds a wrapped text. An empty one adds nothing.
func (p *page) text(style lipgloss.Style, text string) {
	if text != "" {
		p.lines = append(p.lines, markdown.Wrap(text, theme.Open(style), p.room)...)
	}
}

// line adds a text truncated to one line.
func (p *page) line(style lipgloss.Style, text string) {
	p.lines = append(p.lines, style.Render(cells.Truncate(text, p.room, "…")))
}

// list adds untrusted texts, each after a marker.
func (p *page) list(marker string, texts []string) {
	for _, t := range texts {
		p.lines = append(p.lines, marked(marker+" ", "  ", markdown.Wrap(terminal.Line(t), "", max(p.room-2, 1)))...)
	}
}

// beside adds a quiet text to the last line and reports whether it fits.
func (p *page) beside(text string) bool {
	last := len(p.lines) - 1
	fits := last >= 0 && text != "" && cells.Width(p.lines[last])+cells.Width(text)+3 <= p.room
	if fits {
		p.lines[last] += p.Muted.Render(" · " + text)
	}
	return fits
}

// paint draws the item next to a marker, which draw returns.
func (c *card) paint(width int, data any, draw func(p *page) (marker string)) []string {
	return c.get(width, data, func(width int) []string {
		p := page{Styles: c.env.Styles, room: textWidth(width)}
		return marked(draw(&p)+" ", "  ", p.lines)
	})
}

// report is an item that does not change.
type report struct {
	draw func(p *page) (marker string)
	card
}

func newReport(env *Env, draw func(p *page) (marker string)) report {
	return report{draw: draw, card: card{env: env}}
}

func (r *report) Lines(width int) []string { return r.paint(width, nil, r.draw) }

// marked puts a marker before the first line and aligns the others with its text.
func marked(marker, rest string, lines []string) []string {
	return markdown.Prefix(slices.Clone(lines), marker, rest)
}

func textWidth(width int) int { return max(width-Indent, 1) }

// Duration formats a duration: "400ms", "1.6s", "12s", "3m5s".
func Duration(d time.Duration) string {
	unit := time.Second
	switch {
	case d < time.Second:
		unit = time.Millisecond
	case d < 10*time.Second:
		unit = 100 * time.Millisecond
	}
	return d.Round(unit).String()
}

// shorten truncates text to width cells. It cuts paths in the middle to keep the note's name.
func shorten(text string, width int) string {
	if cells.Width(text) <= width {
		return text
	}
	if width < 8 || !strings.Contains(text, "/") {
		return cells.Truncate(text, width, "…")
	}
	head := width / 3
	tail := width - head - 1
	return cells.Truncate(text, head, "") + "…" + cells.TruncateLeft(text, cells.Width(text)-tail, "")
}

// Restyled must be called after Styles changed; items are then redrawn.
func (e *Env) Restyled() {
	e.look++
	e.renderer = nil
}
