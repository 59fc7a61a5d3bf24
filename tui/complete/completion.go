package complete

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Keys holds the bindings of an open completion; Esc closes it.
type Keys struct {
	Up, Down, Take key.Binding
}

// DefaultKeys returns the default bindings.
func DefaultKeys() Keys {
	return Keys{
		Up:   keys.Bind("↑", "previous suggestion", "up", "ctrl+p"),
		Down: keys.Bind("↓", "next suggestion", "down", "ctrl+n"),
		Take: keys.Bind("Tab, Enter", "accept the suggestion and keep typing", "tab", "enter"),
	}
}

const (
	maxOffered     = 50 // candidates
	maxOfferedRows = 8  // visible ones
)

// Commands provides the slash commands.
type Commands interface {
	// Items returns the commands as candidates.
	Items() []Item
	// Look checks for new commands.
	Look() tea.Cmd
}

// Completion is the list of candidates for the name being typed.
type Completion struct {
	ctx      context.Context
	text     *composer.Model
	vault    Vault
	commands Commands
	forms    func() []string // the engine's commands that a sentence can be; none with a model
	keys     Keys
	names    names

	trigger Trigger // Kind is None while closed
	hits    []Hit
	at      int // index of the chosen candidate; -1 if none is, and Enter sends
	first   int // first visible candidate
	tall    int // minimum number of rows while open

	line string // the text for which candidates were computed
	col  int

	shut Trigger // closed with Esc; stays closed for this name
}

// New returns a closed Completion.
func New(ctx context.Context, text *composer.Model, vault Vault, commands Commands, forms func() []string, k Keys) *Completion {
	return &Completion{
		ctx: ctx, text: text, vault: vault, commands: commands, forms: forms, keys: k,
		names: names{known: map[Kind]*Corpus{}},
	}
}

// Active reports whether candidates are offered.
func (c *Completion) Active() bool { return len(c.hits) > 0 }

// Chosen reports whether a candidate is chosen; otherwise Enter sends.
func (c *Completion) Chosen() bool { return c.at >= 0 }

// Suggest updates the candidates after a key that changed the text and returns the command that loads missing names.
// It offers nothing while the text is covered.
func (c *Completion) Suggest(k tea.KeyPressMsg, covered bool) tea.Cmd {
	_, wrote := keys.Text(k)
	if wrote = wrote || keys.Name(k) == "backspace"; !wrote && c.trigger.Kind == None {
		return nil
	}
	line, col, only := c.text.Line()
	t := At(line, col, only)
	if t.Kind == None && only && col == len(line) && len(c.formsOf(line)) > 0 {
		t = Trigger{Kind: Sentence, To: col, Query: line}
	}
	completes := t.Kind == Command || t.Kind == Sentence || t.Kind != None && c.vault != nil
	if !completes || covered {
		t = Trigger{}
	}
	if same := t.Kind == c.shut.Kind && t.From == c.shut.From; t.Kind != None && same {
		return nil // closed with Esc
	}
	c.shut = Trigger{}
	begins := t.Kind != c.trigger.Kind || t.From != c.trigger.From
	c.trigger, c.line, c.col = t, line, col
	var cmd tea.Cmd
	if begins {
		c.tall = 0
		cmd = c.loadNames()
	}
	c.offer()
	return cmd
}

// leastOfForm is the number of bytes typed before sentences are offered.
const leastOfForm = 3

// formsOf returns the sentences that begin with the typed text and are longer.
func (c *Completion) formsOf(typed string) []string {
	if len(typed) < leastOfForm {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.forms()), func(form string) bool {
		return len(form) <= len(typed) || !strings.EqualFold(form[:len(typed)], typed)
	})
}

// offer computes the candidates.
func (c *Completion) offer() {
	t := c.trigger
	c.hits, c.at, c.first = nil, 0, 0
	if t.Kind == None {
		c.tall = 0
		return
	}
	if t.Kind == Sentence {
		c.at = -1 // Enter sends the typed text
		for _, form := range c.formsOf(t.Query) {
			c.hits = append(c.hits, Hit{Item: Item{Text: form, Insert: form, Size: -1}})
		}
		return
	}
	c.hits = c.corpus(t).Match(t.Query, maxOffered)
	if len(c.hits) > 0 && strings.TrimRight(c.hits[0].Insert, " ") == strings.TrimRight(c.line[t.From:t.To], " ") {
		c.at = -1 // already typed in full
	}
	if t.Kind == Command && len(c.hits) == 1 && c.at < 0 {
		c.hits = nil
	}
}

// Keep closes the completion if the text has changed or is covered.
func (c *Completion) Keep(covered bool) {
	if c.trigger.Kind == None {
		return
	}
	if line, col, _ := c.text.Line(); line != c.line || col != c.col || covered {
		c.Close()
	}
}

// Close closes the completion.
func (c *Completion) Close() { c.trigger, c.hits, c.tall = Trigger{}, nil, 0 }

// Shut handles Esc: it closes the completion for the name being typed.
func (c *Completion) Shut() {
	c.shut = c.trigger
	c.Close()
}

// CommandsChanged offers new commands.
func (c *Completion) CommandsChanged() {
	if c.trigger.Kind == Command {
		c.offer()
	}
}

// Key handles a key while candidates are offered.
func (c *Completion) Key(k tea.KeyPressMsg) (handled bool) {
	if !c.Active() || keys.IsPaste(k) {
		return false
	}
	switch {
	case keys.Matches(k, c.keys.Up):
		c.choose(-1)
	case keys.Matches(k, c.keys.Down):
		c.choose(1)
	case c.at < 0 && c.trigger.Kind == Sentence && keys.Name(k) == "tab":
		c.at = 0
		c.take()
	case keys.Matches(k, c.keys.Take) && c.at >= 0:
		c.take()
	default:
		return false
	}
	return true
}

// choose chooses the next or previous candidate, wrapping around.
func (c *Completion) choose(n int) {
	if c.at < 0 && n < 0 {
		c.at = 0
	}
	c.at = (c.at + n + len(c.hits)) % len(c.hits)
}

// take inserts the chosen candidate.
func (c *Completion) take() {
	t, h := c.trigger, c.hits[c.at]
	text := h.Insert
	if r, _ := utf8.DecodeRuneInString(c.line[t.To:]); r == ' ' || unicode.IsPunct(r) { // no second space is needed
		text = strings.TrimRight(text, " ")
	}
	c.text.Replace(t.From, t.To, text)
	c.Close()
}

// Lines draws the candidates in at most room rows. While open it does not shrink, so that the text above stays in
// place.
func (c *Completion) Lines(s *theme.Styles, width, room int) []string {
	room = min(room, maxOfferedRows)
	if !c.Active() || room < 1 {
		return nil
	}
	n := min(len(c.hits), room)
	c.first = max(0, min(c.first, len(c.hits)-n))
	if c.at >= 0 {
		c.first = max(min(c.first, c.at), c.at-n+1)
	}
	c.tall = min(max(c.tall, n), room)
	out := make([]string, c.tall-n, c.tall)
	const least = 11 // minimum width of the second column
	column := 0      // where it starts
	for _, h := range c.hits {
		column = min(max(column, cells.Width(terminal.Line(h.Text))+4), max(width-2-least, least))
	}
	for i := c.first; i < c.first+n; i++ {
		row := c.row(s, c.hits[i], i == c.at, column, width)
		if i == c.at {
			row = s.Filled(row, width)
		}
		out = append(out, row)
	}
	return out
}

func (c *Completion) row(s *theme.Styles, h Hit, chosen bool, column, width int) string {
	mark := "  "
	if chosen {
		mark = s.AccentBold.Render("▸") + " "
	}
	room := width - 2
	detail := terminal.Line(h.Detail)
	if h.Size >= 0 {
		detail = phrase.Bytes(h.Size)
	}
	sign := map[Kind]string{Command: "/", Tag: "#"}[c.trigger.Kind]
	if detail == "" {
		return mark + c.name(s, h, chosen, sign, room)
	}
	name := cells.Pad(c.name(s, h, chosen, sign, column-2), column)
	return cells.Truncate(mark+name+s.Muted.Render(cells.Truncate(detail, max(room-column, 0), "…")), width, "")
}

// name draws a name with muted folders and highlighted typed letters. A long name is cut at the start.
func (c *Completion) name(s *theme.Styles, h Hit, chosen bool, sign string, room int) string {
	plain := s.Text
	if chosen {
		plain = s.Bold
	}
	text, at, folders := terminal.Line(Composed(h.Text)), h.At, ""
	if slash := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/') + 1; c.trigger.Kind != Tag && c.trigger.Kind != Heading {
		n := utf8.RuneCountInString(text[:slash])
		typed := slices.IndexFunc(at, func(i int) bool { return i >= n }) // the first in the name
		if typed < 0 {
			typed = len(at)
		}
		folders, text = lipgloss.StyleRunes(text[:slash], at[:typed], s.AccentBold, s.Muted), text[slash:]
		at = slices.Clone(at[typed:])
		for i := range at {
			at[i] -= n
		}
	}
	name := folders + lipgloss.StyleRunes(text, at, s.AccentBold, plain)
	if over := cells.Width(sign+name) - room; over > 0 {
		name = cells.TruncateLeft(name, over+1, s.Muted.Render("…"))
	}
	return s.Muted.Render(sign) + name
}
