package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/theme"
)

// Reasoning is the model's reasoning: a line that says for how long, with the newest words of it
// while it goes on; the whole of it where details are shown.
type Reasoning struct {
	text   flow
	newest string // the end of the text, where the flow keeps the beginning alone
	safe   terminal.Sanitizer
	began  time.Time
	took   time.Duration
	done   bool
	frame  int
	dated
	card
}

// NewReasoning begins reasoning that takes no room until there is some.
func NewReasoning(env *Env, now time.Time) *Reasoning {
	return &Reasoning{card: card{env: env}, began: now}
}

// Append adds a piece.
func (r *Reasoning) Append(piece string) {
	if r.empty() {
		r.touch()
	}
	r.add(r.safe.Write(piece))
}

func (r *Reasoning) add(text string) {
	r.text.add(text)
	if r.text.left > 0 {
		r.newest += text
		if n := len(r.newest) - maxNewest; n > 0 {
			r.newest = r.newest[n:]
		}
	}
}

// maxNewest is how much of the end is looked at for the newest words, in bytes.
const maxNewest = 512

func (r *Reasoning) empty() bool { return len(r.text.text) == 0 }

// Finish says that it ended.
func (r *Reasoning) Finish(now time.Time) {
	if !r.done {
		r.add(r.safe.Flush())
		r.done, r.took = true, now.Sub(r.began)
		r.touch()
	}
}

// Withdraw takes it back.
func (r *Reasoning) Withdraw() {
	*r = Reasoning{card: card{env: r.env}, began: r.began, done: true}
}

// Folds says whether there is any.
func (r *Reasoning) Folds() bool { return !r.empty() }

// Lines draws it.
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
	open := theme.Open(s.Muted)
	out := append([]string{head}, indent(r.text.draw(room, open))...)
	if r.text.left > 0 {
		out = append(out, "  "+s.Muted.Render(fmt.Sprintf("… %s more", byteCount(r.text.left))))
	}
	return out
}

// progress is for how long it has gone on, and its newest words.
func (r *Reasoning) progress(room int) string {
	text := "Thinking…"
	if d := r.env.Now().Sub(r.began).Truncate(time.Second); d > 0 {
		text += " " + Duration(d)
	}
	newest := r.text.last(maxNewest)
	if r.text.left > 0 {
		newest = r.newest[strings.LastIndexByte(strings.TrimRight(r.newest, " \n"), '\n')+1:]
	}
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
