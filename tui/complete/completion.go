package complete

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"chatvault/tui/composer"
	"chatvault/tui/keys"
)

// Keys are the keys of what completion offers; Esc closes it.
type Keys struct {
	Up, Down, Take key.Binding
}

// DefaultKeys are they where nothing else is bound.
func DefaultKeys() Keys {
	return Keys{
		Up:   keys.Bind("↑", "previous suggestion", "up", "ctrl+p"),
		Down: keys.Bind("↓", "next suggestion", "down", "ctrl+n"),
		Take: keys.Bind("Tab, Enter", "accept the suggestion and keep typing", "tab", "enter"),
	}
}

const (
	maxOffered     = 50 // candidates; typing on finds what is behind them
	maxOfferedRows = 8  // of them in sight
)

// Commands are the commands there are.
type Commands interface {
	// Items are they as candidates.
	Items() []Item
	// Look finds out whether there are others by now.
	Look() tea.Cmd
}

// Completion is what is offered for the name that is being written.
type Completion struct {
	ctx      context.Context
	text     *composer.Model
	vault    Vault
	commands Commands
	forms    func() []string // sentences that the engine understands; none where a model answers
	keys     Keys
	names    names

	trigger Trigger // Kind None: nothing is
	hits    []Hit
	at      int // the chosen one; -1: none is, and Enter sends
	first   int // the first in sight
	tall    int // rows, of which it takes no less while it is open

	line string // where it was worked out
	col  int

	shut Trigger // closed with Esc: it stays so while this is being written
}

// New offers nothing yet.
func New(ctx context.Context, text *composer.Model, vault Vault, commands Commands, forms func() []string, k Keys) *Completion {
	return &Completion{ctx: ctx, text: text, vault: vault, commands: commands, forms: forms, keys: k}
}

// Active says whether something is offered.
func (c *Completion) Active() bool { return len(c.hits) > 0 }

// Chosen says whether one of what is offered is chosen; else Enter sends.
func (c *Completion) Chosen() bool { return c.at >= 0 }

// Suggest works out what to offer after a key that wrote or deleted something, and has what is needed
// for it read; nothing is offered under something that covers the text.
func (c *Completion) Suggest(k tea.KeyPressMsg, covered bool) tea.Cmd {
	_, wrote := keys.Text(k)
	if wrote = wrote || keys.Name(k) == "backspace"; !wrote && c.trigger.Kind == None {
		return nil
	}
	line, col, only := c.text.Line()
	t := At(line, col, only)
	if t.Kind == None && only && col == len(line) {
		t = c.sentenceAt(line)
	}
	completes := t.Kind == Command || t.Kind == Sentence || t.Kind != None && c.vault != nil
	if !completes || c.text.Searching() || covered {
		t = Trigger{}
	}
	if same := t.Kind == c.shut.Kind && t.Start == c.shut.Start; t.Kind != None && same {
		return nil // it was closed
	}
	c.shut = Trigger{}
	begins := t.Kind != c.trigger.Kind || t.Start != c.trigger.Start
	c.trigger, c.line, c.col = t, line, col
	var cmd tea.Cmd
	if begins {
		c.tall = 0
		cmd = c.wantNames()
	}
	c.offer()
	return cmd
}

// leastOfForm is how many letters of a sentence are typed before forms are offered.
const leastOfForm = 3

// sentenceAt is a line that one of the forms begins with.
func (c *Completion) sentenceAt(line string) Trigger {
	if len(line) < leastOfForm || len(c.formsFor(line)) == 0 {
		return Trigger{}
	}
	return Trigger{Kind: Sentence, To: len(line), Query: line}
}

func (c *Completion) formsFor(typed string) []string {
	return slices.DeleteFunc(slices.Clone(c.forms()), func(form string) bool {
		return len(form) <= len(typed) || !strings.EqualFold(form[:len(typed)], typed)
	})
}

// offer finds the names that fit what is written.
func (c *Completion) offer() {
	t := c.trigger
	c.hits, c.at, c.first = nil, 0, 0
	if t.Kind == None {
		c.tall = 0
		return
	}
	if t.Kind == Sentence {
		c.at = -1 // Enter sends what was typed
		for _, form := range c.formsFor(t.Query) {
			c.hits = append(c.hits, Hit{Item: Item{Text: form, Insert: form, Size: -1}})
		}
		return
	}
	c.hits = c.corpus(t).Match(t.Query, maxOffered)
	if len(c.hits) > 0 && strings.TrimRight(c.hits[0].Insert, " ") == strings.TrimRight(c.line[t.From:t.To], " ") {
		c.at = -1 // it is written already
	}
	if t.Kind == Command && len(c.hits) == 1 && c.at < 0 {
		c.hits = nil
	}
}

// Keep closes what is offered when the text, or what covers it, is another by now.
func (c *Completion) Keep(covered bool) {
	if c.trigger.Kind == None {
		return
	}
	if line, col, _ := c.text.Line(); line != c.line || col != c.col || covered || c.text.Searching() {
		c.Close()
	}
}

// Close offers nothing any more.
func (c *Completion) Close() { c.trigger, c.hits, c.tall = Trigger{}, nil, 0 }

// Shut is Esc: nothing more is offered for what is being written.
func (c *Completion) Shut() {
	c.shut = c.trigger
	c.Close()
}

// CommandsChanged offers those that are new.
func (c *Completion) CommandsChanged() {
	if c.trigger.Kind == Command && c.at <= 0 {
		c.offer()
	}
}

// Key handles a key while something is offered.
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

// choose chooses the next candidate, or the one before, round the ends.
func (c *Completion) choose(n int) {
	if c.at < 0 && n < 0 {
		c.at = 0
	}
	c.at = (c.at + n + len(c.hits)) % len(c.hits)
}

// take writes the chosen candidate.
func (c *Completion) take() {
	t, h := c.trigger, c.hits[c.at]
	text := h.Insert
	if rest := c.line[t.To:]; strings.HasSuffix(text, " ") && rest != "" && !strings.HasPrefix(rest, " ") {
		// what follows is punctuation, or goes on by itself
		if r := []rune(rest)[0]; unicode.IsPunct(r) {
			text = strings.TrimRight(text, " ")
		}
	} else if strings.HasPrefix(rest, " ") {
		text = strings.TrimRight(text, " ")
	}
	c.text.Replace(t.From, t.To, text)
	c.Close()
}
