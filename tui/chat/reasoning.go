package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Reasoning is the model's reasoning: one line with its duration and, while it streams, its newest words. When
// unfolded, its text is shown.
type Reasoning struct {
	text   []byte   // the beginning
	left   int      // number of bytes not kept
	newest string   // the end
	rows   []string // text as wrapped under the conditions in wraps
	wraps  wrapping
	safe   terminal.Sanitizer
	began  time.Time
	took   time.Duration
	done   bool
	frame  int
	dated
	card
}

// NewReasoning returns empty reasoning, which takes no space.
func NewReasoning(env *Env, now time.Time) *Reasoning {
	return &Reasoning{card: card{env: env}, began: now}
}

// Append adds a piece of the streamed text.
func (r *Reasoning) Append(piece string) {
	if r.empty() {
		r.touch()
	}
	r.add(r.safe.Write(piece))
}

func (r *Reasoning) add(text string) {
	kept := text
	if room := maxReasoning - len(r.text); r.left > 0 {
		kept = ""
	} else if len(text) > room {
		kept = strings.ToValidUTF8(text[:room], "")
	}
	r.text = append(r.text, kept...)
	r.left += len(text) - len(kept)
	r.newest += text
	r.newest = r.newest[max(len(r.newest)-maxNewest, 0):]
}

const (
	// maxReasoning bounds the kept text, in bytes.
	maxReasoning = 128 << 10
	// maxNewest bounds the text searched for the newest words, in bytes.
	maxNewest = 512
)

// wrapping is the cache key of wrapped text.
type wrapping struct {
	size, width int
	open        string
}

// wrapped returns the lines of the text, cached between frames.
func (r *Reasoning) wrapped(w wrapping) []string {
	if r.wraps != w {
		r.rows, r.wraps = markdown.Wrap(string(r.text), w.open, w.width), w
	}
	return r.rows
}

func (r *Reasoning) empty() bool { return len(r.text) == 0 }

// Finish marks the reasoning as complete.
func (r *Reasoning) Finish(now time.Time) {
	if !r.done {
		r.add(r.safe.Flush())
		r.done, r.took = true, now.Sub(r.began)
		r.touch()
	}
}

// Withdraw removes the reasoning.
func (r *Reasoning) Withdraw() {
	*r = Reasoning{card: card{env: r.env}, began: r.began, done: true}
}

// Folds reports whether there is any text.
func (r *Reasoning) Folds() bool { return !r.empty() }

// Lines implements list.Item.
func (r *Reasoning) Lines(width int) []string {
	if !r.done && r.frame != r.env.Frame {
		r.frame = r.env.Frame
		r.touch()
	}
	return r.get(width, r.draw)
}

func (r *Reasoning) draw(width int) []string {
	if r.empty() {
		return nil
	}
	s, room := r.env.Styles, textWidth(width)
	head := s.Muted.Render("∴ " + ansi.Truncate("Thought for "+Duration(r.took), room, "…"))
	if !r.done {
		head = s.Accent.Render(r.env.Spinner()) + " " + s.Muted.Render(r.progress(room))
	}
	if !r.open {
		return []string{head}
	}
	out := append([]string{head}, indent(r.wrapped(wrapping{len(r.text), room, theme.Open(s.Muted)}))...)
	if r.left > 0 {
		out = append(out, "  "+s.Muted.Render(fmt.Sprintf("… %s more", byteCount(r.left))))
	}
	return out
}

// progress returns the elapsed time and the newest words.
func (r *Reasoning) progress(room int) string {
	text := "Thinking…"
	if d := r.env.Now().Sub(r.began).Truncate(time.Second); d > 0 {
		text += " " + Duration(d)
	}
	newest := r.newest[strings.LastIndexByte(strings.TrimRight(r.newest, " \n"), '\n')+1:]
	newest = strings.Join(strings.Fields(strings.ToValidUTF8(newest, "")), " ")
	const gap, least = 2, 12
	left := room - ansi.StringWidth(text) - gap
	if r.open || newest == "" || left < least {
		return ansi.Truncate(text, room, "")
	}
	if w := ansi.StringWidth(newest); w > left {
		newest = "…" + ansi.TruncateLeft(newest, w-left+1, "")
	}
	return text + strings.Repeat(" ", gap) + newest
}
