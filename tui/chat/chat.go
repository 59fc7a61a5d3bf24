// Package chat holds what a transcript is made of: one kind of item a file. It
// promises that an item is drawn once for a width and what it holds, that text
// from outside was made safe before it is kept, and that of an item too long to be
// drawn at once the beginning shows, with how much more there is.
//
// Every item draws a marker in the first column and its text from the third, so
// that a transcript is aligned down the screen.
package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Indent is the width of the marker column, in cells.
const Indent = 2

// Env is what items are drawn with.
type Env struct {
	Styles *theme.Styles
	// Frame counts the spinner's steps; it stands still while nothing runs.
	Frame int
	// Details says that what is folded is shown whole: reasoning, the steps of sub-agents,
	// results, summaries.
	Details bool
	// DetailsKey is the key that shows and folds them, as a person reads it.
	DetailsKey string
	// Focused is the item that is selected; nil: none is.
	Focused list.Item
	// Now is what durations that go on are measured by.
	Now func() time.Time

	// Citations is what is known of where references lead; nil: they are not looked for.
	Citations *Citations

	renderers map[int]*markdown.Renderer
	look      int // counts the changes of Styles
}

// NewEnv makes the surroundings of a transcript.
func NewEnv(s *theme.Styles) *Env {
	return &Env{Styles: s, DetailsKey: "Ctrl+T", Now: time.Now, renderers: map[int]*markdown.Renderer{}}
}

// Renderer gives the Markdown renderer for text of the given width.
func (e *Env) Renderer(width int) *markdown.Renderer {
	r := e.renderers[width]
	if r == nil {
		if len(e.renderers) > 8 {
			clear(e.renderers) // a window being dragged passes many widths
		}
		styles := *e.Styles // it may draw off the screen's loop while these are changed
		r = markdown.NewRenderer(&styles, width)
		e.renderers[width] = r
	}
	return r
}

// Spinner is the present step of the spinner.
func (e *Env) Spinner() string {
	frames := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	return frames[e.Frame%len(frames)]
}

// Gap is the number of empty lines between two items: tool calls and reasoning
// stand together, everything else apart.
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

// clip cuts what is wider than the screen.
func clip(lines []string, width int) []string {
	for i, l := range lines {
		lines[i] = phrase.Fit(l, width)
	}
	return lines
}

// card is an item that keeps what it drew: for a width, in a theme, folded or not.
type card struct {
	env         *Env
	lines       []string
	width, look int
	valid       bool
	open        bool // as it was drawn: what can be folded was shown
	flipped     bool
	against     bool // Env.Details as it was flipped
}

func (c *card) get(width int, draw func(width int) []string) []string {
	if open := c.Unfolded(); !c.valid || c.width != width || c.look != c.env.look || c.open != open {
		c.open = open
		c.lines, c.width, c.look, c.valid = clip(draw(width), width), width, c.env.look, true
	}
	return c.lines
}

func (c *card) touch() { c.valid = false }

// Unfolded says whether what can be folded is shown: as of all items, unless it was flipped since.
func (c *card) Unfolded() bool {
	return c.env.Details != (c.flipped && c.env.Details == c.against)
}

// Flip shows what is folded, or folds it again.
func (c *card) Flip() {
	c.flipped, c.against = !c.flipped || c.env.Details != c.against, c.env.Details
}

// paint draws the item beside its sign, which lines begin with, in so much room.
func (c *card) paint(width int, draw func(s *theme.Styles, room int) []string) []string {
	return c.get(width, func(width int) []string { return draw(c.env.Styles, textWidth(width)) })
}

// marked puts a marker before the first line and aligns the others with it.
func marked(marker, rest string, lines []string) []string {
	return markdown.Prefix(slices.Clone(lines), marker, rest)
}

func textWidth(width int) int { return max(width-Indent, 1) }

// Duration shows how long something took: "400ms", "1.6s", "12s", "3m 05s".
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return strings.Replace(fmt.Sprintf("%.1fs", d.Seconds()), ".0s", "s", 1)
	case d < time.Minute:
		return d.Round(time.Second).String()
	}
	s := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%dm %02ds", s/60, s%60)
}

// shorten cuts text to width cells, from the middle where it is a path, so that
// a note's name stays.
func shorten(text string, width int) string {
	if ansi.StringWidth(text) <= width {
		return text
	}
	if width < 8 || !strings.Contains(text, "/") {
		return ansi.Truncate(text, width, "…")
	}
	head := width / 3
	tail := width - head - 1
	return ansi.Truncate(text, head, "") + "…" + ansi.TruncateLeft(text, ansi.StringWidth(text)-tail, "")
}

// Restyled says that Styles are others now, for what is drawn from here on.
func (e *Env) Restyled() {
	e.look++
	clear(e.renderers)
}
