package chat

import (
	"time"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
)

// Reasoning is the model's reasoning: one line with its duration. When unfolded, its text is shown.
type Reasoning struct {
	text  []byte
	safe  terminal.Sanitizer
	began time.Time
	took  time.Duration
	done  bool
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
	marker, said, took := s.Muted.Render("∴"), "Thought", r.took
	if !r.done {
		marker, said, took = s.Accent.Render(r.env.Spinner()), "Thinking…", r.env.Now().Sub(r.began).Truncate(time.Second)
	} else if took > 0 { // else it is of an earlier chat
		said += " for"
	}
	if took > 0 {
		said += " " + Duration(took)
	}
	head := marker + " " + s.Muted.Render(cells.Truncate(said, room, "…"))
	if !r.open {
		return []string{head}
	}
	lines, _ := excerpt(s, s.Muted, string(r.text), room, maxWholeLines)
	return append([]string{head}, indent(lines)...)
}
