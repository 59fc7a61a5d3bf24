package chat

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Foldable is an item of which something is kept folded.
type Foldable interface {
	list.Item
	// Folds says whether there is anything to show or to fold.
	Folds() bool
	// Flip shows what is folded of this item alone, or folds it again; Unfolded says whether it is shown.
	Flip()
	Unfolded() bool
}

// foldState is whether an item is folded: as all are, unless it was flipped since.
type foldState struct {
	env     *Env
	flipped bool
	against bool // Env.Details as it was flipped
}

// Unfolded says whether what can be folded is shown.
func (f *foldState) Unfolded() bool {
	return f.env.Details != (f.flipped && f.env.Details == f.against)
}

// Flip shows what is folded, or folds it again.
func (f *foldState) Flip() {
	f.flipped, f.against = !f.flipped || f.env.Details != f.against, f.env.Details
}

// folding keeps what an item drew that looks different when details are shown.
type folding struct {
	drawn
	foldState
	open bool // as it was drawn
}

func newFolding(env *Env) folding { return folding{foldState: foldState{env: env}} }

// lines draws the item, unless it is drawn for this width, folded or not as it is now.
func (f *folding) lines(width int, draw func(width int) []string) []string {
	if open := f.Unfolded(); f.open != open {
		f.open = open
		f.touch()
	}
	return f.get(width, draw)
}

// indent puts lines under the text of an item.
func indent(lines []string) []string { return marked("  ", "  ", lines) }

// excerpt is the beginning of a text that is shown among the details: a number of lines, and
// how many are left out.
type excerpt struct {
	text  string // as it came
	limit int    // lines
	more  int    // lines that were not even kept
	short bool   // not all was kept
}

// Lengthy is a Foldable of which, unfolded, a part is shown first.
type Lengthy interface {
	Foldable
	// More says whether it is unfolded, and there is more of it to be shown than is.
	More() bool
	// ShowAll shows all that was kept of it, until it is folded.
	ShowAll()
}

// maxExcerpt bounds what is kept of a text that is shown among the details, in bytes: a note as the
// agent reads it in one step, by default.
const maxExcerpt = 128 << 10

// newExcerpt keeps the beginning of text.
func newExcerpt(text string, limit int) excerpt {
	e := excerpt{text: strings.Trim(text, "\n"), limit: limit}
	if e.short = len(e.text) > maxExcerpt; e.short {
		e.more = strings.Count(e.text[maxExcerpt:], "\n")
		e.text = strings.Clone(strings.ToValidUTF8(e.text[:maxExcerpt], ""))
	}
	return e
}

// draw gives the lines, quietly: about as many as its limit, or all that were kept. cut says that some
// of those are left out.
func (e excerpt) draw(env *Env, width int, all bool) (out []string, cut bool) {
	if e.text == "" {
		return nil, false
	}
	limit, rest := e.limit, e.text
	if all {
		limit = maxWholeLines
	}
	for rest != "" && len(out) < limit {
		line, after, _ := strings.Cut(rest, "\n")
		if most := (limit - len(out) + 1) * width * utf8.UTFMax; len(line) > most { // no more of it is shown
			line = strings.ToValidUTF8(line[:most], "")
		}
		wrapped := markdown.Wrap(terminal.Text(line), theme.Open(env.Styles.Muted), width)
		out = append(out, wrapped...)
		rest = after
	}
	cut = rest != "" || len(out) > limit
	more := e.more
	if rest != "" {
		more += strings.Count(rest, "\n") + 1
	}
	left := ""
	if e.short && rest == "" {
		left = "…"
	}
	if len(out) > limit {
		out, left = out[:limit], "…"
	}
	switch {
	case more == 1:
		left = "… 1 more line"
	case more > 1:
		left = fmt.Sprintf("… %d more lines", more)
	}
	if left != "" {
		out = append(out, env.Styles.Muted.Render(ansi.Truncate(left, width, "")))
	}
	return out, cut && !all
}
