package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Preview shows a note that was cited. It scrolls; its letters scroll as in pagers or open the note
// elsewhere, and only while nothing is being written: all other text goes on to the composer.
type Preview struct {
	styles *theme.Styles
	reading
	o PreviewOptions
}

// PreviewOptions is what a preview is made from. Title, Path and Note are text from outside.
type PreviewOptions struct {
	Title  string // the note's name
	Path   string // and where it is, with what of it is shown: "Recipes/Tart.md:12"
	Note   string // a quiet line below: what should be known of it; may be empty
	Column *list.List
	// Place scrolls to what was asked for; it is called whenever the column is drawn, until the
	// reader scrolls.
	Place func(height int)
	// Writing says that something is being written below.
	Writing func() bool
	// Edit and Open are the results of e and o; nil: there is no such key. Next and Before are
	// those of Tab and Shift+Tab.
	Edit, Open, Next, Before any
	OpenName                 string // what o opens it in
}

// NewPreview makes a preview.
func NewPreview(s *theme.Styles, o PreviewOptions) *Preview {
	o.Title, o.Path, o.Note = terminal.Line(o.Title), terminal.Line(o.Path), terminal.Line(o.Note)
	return &Preview{styles: s, reading: reading{column: o.Column}, o: o}
}

// Key handles a key.
func (p *Preview) Key(k tea.KeyPressMsg) Outcome {
	writing := p.o.Writing()
	name := keys.Name(k)
	if _, text := keys.Text(k); text && writing {
		return Outcome{Typed: true}
	} else if text {
		return p.letter(k)
	}
	if scrolls(p, k) {
		return Outcome{}
	}
	switch name {
	case "esc":
		return Outcome{Closed: true}
	case "up":
		p.Scroll(-1)
		return Outcome{}
	case "down":
		p.Scroll(1)
		return Outcome{}
	case "ctrl+up", "ctrl+down":
		return Outcome{Closed: true, Typed: true} // on through the transcript
	}
	if writing {
		return Outcome{Typed: true}
	}
	if toEnd(p, k) {
		return Outcome{}
	}
	switch name {
	case "tab", "right":
		return Outcome{Result: p.o.Next}
	case "shift+tab", "left":
		return Outcome{Result: p.o.Before}
	case "enter", "ctrl+c":
		return Outcome{Closed: true}
	}
	return Outcome{}
}

// letter handles a letter while nothing is being written.
func (p *Preview) letter(k tea.KeyPressMsg) Outcome {
	results := map[string]any{"e": p.o.Edit, "o": p.o.Open, "n": p.o.Next, "N": p.o.Before}
	name := keys.Name(k)
	switch {
	case results[name] != nil:
		return Outcome{Result: results[name]}
	case name == "q":
		return Outcome{Closed: true}
	case pagerKey(p, k):
		return Outcome{}
	}
	return Outcome{Typed: true}
}

// Lines draws it.
func (p *Preview) Lines(width, height int) []string {
	s := p.styles
	inner := sheetWidth(width, readerWidth)
	framed := width >= narrowest && height >= frameLines+5
	room := roomIn(height, framed)
	about := func(int) []string {
		if p.o.Note == "" {
			return nil
		}
		note := markdown.Wrap(p.o.Note, theme.Open(s.Warn), inner)
		return note[:min(len(note), 2)]
	}
	lines := p.draw(s, inner, room, p.head(inner), about, nil, p.foot(), func(room int) []string {
		if !p.moved && p.o.Place != nil {
			p.o.Place(room)
		}
		return p.column.Lines()
	})
	return enclose(s, lines, inner, height, framed)
}

// head is the note's name, and where it is.
func (p *Preview) head(inner int) string {
	s := p.styles
	title := ansi.Truncate(p.o.Title, inner, "…")
	room := inner - ansi.StringWidth(title) - 2
	path := p.o.Path
	if w := ansi.StringWidth(path); w > room {
		if room < 8 {
			return s.AccentBold.Render(title)
		}
		path = "…" + ansi.TruncateLeft(path, w-room+1, "")
	}
	return phrase.Spread(s.AccentBold.Render(title), s.Muted.Render(path), inner)
}

func (p *Preview) foot() []string {
	if p.o.Writing() {
		return []string{"↑ ↓ PgUp PgDn scroll · Enter to send your text · Esc back", "↑ ↓ scroll · Esc back"}
	}
	var tail []string
	short := ""
	if p.o.Edit != nil {
		tail, short = append(tail, "e editor"), short+" · e"
	}
	if p.o.Open != nil {
		tail, short = append(tail, "o "+p.o.OpenName), short+" · o"
	}
	if p.o.Next != nil {
		tail = append(tail, "Tab next note")
	}
	tail = append(tail, "Esc back")
	return []string{
		"j k d u scroll · " + strings.Join(tail, " · "),
		"↑ ↓ scroll · " + strings.Join(tail, " · "),
		"↑ ↓" + short + " · Esc back",
	}
}
