package chat

import (
	"strings"
	"time"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
)

// Reasoning is the model's reasoning: one line with its duration and, while it streams, its newest words. When
// unfolded, its text is shown.
type Reasoning struct {
	text  []byte
	safe  terminal.Sanitizer
	began time.Time
	took  time.Duration
	done  bool
	dated
	card
}

// maxNewest bounds the text searched for the newest words, in bytes.
const maxNewest = 512

// NewReasoning returns empty reasoning, which takes no space.
func NewReasoning(env *Env, now time.Time) *Reasoning {
	return &Reasoning{card: card{env: env}, began: now}
}

// Append adds a piece of the streamed text.
func (r *Reasoning) Append(piece string) {
	if r.empty() {
		r.touch()
	}
	r.text = append(r.text, r.safe.Write(piece)...)
}

func (r *Reasoning) empty() bool { return len(r.text) == 0 }

// Finish marks the reasoning as complete.
func (r *Reasoning) Finish(now time.Time) {
	if !r.done {
		r.text = append(r.text, r.safe.Flush()...)
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
	r.animate(!r.done)
	return r.get(width, nil, r.draw)
}

func (r *Reasoning) draw(width int) []string {
	if r.empty() {
		return nil
	}
	s, room := r.env.Styles, textWidth(width)
	said := "Thought"
	if r.took > 0 { // else it is of an earlier chat
		said += " for " + Duration(r.took)
	}
	head := s.Muted.Render("∴ " + cells.Truncate(said, room, "…"))
	if !r.done {
		head = s.Accent.Render(r.env.Spinner()) + " " + s.Muted.Render(r.progress(room))
	}
	if !r.open {
		return []string{head}
	}
	lines, _ := excerpt(s, s.Muted, string(r.text), room, maxWholeLines)
	return append([]string{head}, indent(lines)...)
}

// progress returns the elapsed time and the newest words.
func (r *Reasoning) progress(room int) string {
	said := "Thinking…"
	if d := r.env.Now().Sub(r.began).Truncate(time.Second); d > 0 {
		said += " " + Duration(d)
	}
	newest := strings.TrimRight(strings.ToValidUTF8(string(r.text[max(len(r.text)-maxNewest, 0):]), ""), " \n")
	newest = text.OneLine(newest[strings.LastIndexByte(newest, '\n')+1:])
	const gap, least = 2, 12
	left := room - cells.Width(said) - gap
	if r.open || newest == "" || left < least {
		return cells.Truncate(said, room, "")
	}
	if w := cells.Width(newest); w > left {
		newest = "…" + cells.TruncateLeft(newest, w-left+1, "")
	}
	return said + strings.Repeat(" ", gap) + newest
}
