package tui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/complete"
	"chatvault/tui/keys"
)

// completionKeys are the keys of what completion offers; Esc closes it.
type completionKeys struct {
	Up, Down, Take key.Binding
}

func defaultCompletionKeys() completionKeys {
	bind := keys.Bind
	return completionKeys{
		Up:   bind("↑", "what is offered before", "up", "ctrl+p"),
		Down: bind("↓", "what is offered next", "down", "ctrl+n"),
		Take: bind("Tab, Enter", "take what is offered; typing goes on", "tab", "enter"),
	}
}

const (
	maxOffered     = 50 // candidates; typing on finds what is behind them
	maxOfferedRows = 8  // of them in sight
)

// completion is what is offered for the name that is being written.
type completion struct {
	keys    completionKeys
	trigger complete.Trigger // Kind None: nothing is
	hits    []complete.Hit
	at      int // the chosen one; -1: none is, and Enter sends
	first   int // the first in sight
	tall    int // rows, of which it takes no less while it is open

	line string // where it was worked out
	col  int

	shut  complete.Trigger // closed with Esc: it stays so while this is being written
	names names
}

// completing says whether something is offered.
func (m *Model) completing() bool { return len(m.completion.hits) > 0 }

// suggest works out what to offer after a key that wrote or deleted something, and has what is
// needed for it read.
func (m *Model) suggest(k tea.KeyMsg) tea.Cmd {
	c := &m.completion
	_, wrote := keys.Text(k)
	if wrote = wrote || k.Type == tea.KeyBackspace; !wrote && c.trigger.Kind == complete.None {
		return nil
	}
	line, col, only := m.composer.Line()
	t := complete.At(line, col, only)
	if !m.completes(t.Kind) || m.composer.Searching() || !m.dialogs.Empty() {
		t = complete.Trigger{}
	}
	if same := t.Kind == c.shut.Kind && t.Start == c.shut.Start; t.Kind != complete.None && same {
		return nil // it was closed
	}
	c.shut = complete.Trigger{}
	if t.Kind != c.trigger.Kind || t.Start != c.trigger.Start {
		c.tall = 0
	}
	c.trigger, c.line, c.col = t, line, col
	cmd := m.wantNames()
	m.offer()
	return cmd
}

// completes says whether a kind of name can be completed here.
func (m *Model) completes(k complete.Kind) bool {
	switch k {
	case complete.Command:
		return true
	case complete.Note, complete.File:
		return m.o.Completing.Files != nil
	case complete.Tag:
		return m.o.Completing.Said != nil
	case complete.Heading:
		return m.o.Completing.Headings != nil
	}
	return false
}

// offer finds the names that fit what is written.
func (m *Model) offer() {
	c := &m.completion
	t := c.trigger
	c.hits, c.at, c.first = nil, 0, 0
	if t.Kind == complete.None {
		c.tall = 0
		return
	}
	c.hits = m.corpus(t).Match(t.Query, maxOffered)
	if len(c.hits) > 0 && strings.TrimRight(c.hits[0].Insert, " ") == strings.TrimRight(c.line[t.From:t.To], " ") {
		c.at = -1 // it is written already
	}
	if t.Kind == complete.Command && len(c.hits) == 1 && c.at < 0 {
		c.hits = nil
	}
}

// keepCompletion closes what is offered when the text, or what lies over it, is another by now.
func (m *Model) keepCompletion() {
	c := &m.completion
	if c.trigger.Kind == complete.None {
		return
	}
	if line, col, _ := m.composer.Line(); line != c.line || col != c.col || !m.dialogs.Empty() || m.composer.Searching() {
		m.closeCompletion()
	}
}

func (m *Model) closeCompletion() {
	c := &m.completion
	c.trigger, c.hits, c.tall = complete.Trigger{}, nil, 0
}

// shutCompletion is Esc: nothing more is offered for what is being written.
func (m *Model) shutCompletion() {
	m.completion.shut = m.completion.trigger
	m.closeCompletion()
}

// completionKey handles a key while something is offered.
func (m *Model) completionKey(k tea.KeyMsg) (handled bool) {
	c := &m.completion
	if !m.completing() || k.Paste {
		return false
	}
	switch {
	case keys.Matches(k, c.keys.Up):
		m.chooseOffered(-1)
	case keys.Matches(k, c.keys.Down):
		m.chooseOffered(1)
	case keys.Matches(k, c.keys.Take) && c.at >= 0:
		m.takeOffered()
	default:
		return false
	}
	return true
}

// chooseOffered chooses the next candidate, or the one before, round the ends.
func (m *Model) chooseOffered(n int) {
	c := &m.completion
	if c.at < 0 && n < 0 {
		c.at = 0
	}
	c.at = (c.at + n + len(c.hits)) % len(c.hits)
}

// takeOffered writes the chosen candidate.
func (m *Model) takeOffered() {
	c := &m.completion
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
	m.composer.Replace(t.From, t.To, text)
	m.closeCompletion()
	m.markWritten()
}

// commandNames are the commands as candidates.
func commandNames(commands []command) []complete.Item {
	var out []complete.Item
	add := func(name, args, does string) {
		if args != "" && args == strings.ToLower(args) && !strings.ContainsAny(args, "<[ ") { // a word that is typed as it is
			name, args = name+" "+args, ""
		}
		item := complete.Item{Text: name, Insert: "/" + name, Detail: does, Size: -1}
		if args != "" {
			item.Insert += " "
			item.Detail = args + " · " + does
		}
		if !slices.ContainsFunc(out, func(o complete.Item) bool { return o.Text == name }) {
			out = append(out, item)
		}
	}
	literal := func(args string) bool { return args != "" && args == strings.ToLower(args) }
	for _, c := range commands {
		if c.run != nil && literal(c.args) { // alone it does something else
			does := c.does
			for _, more := range c.more {
				if more.args == "" {
					does = more.does
				}
			}
			add(c.name, "", does)
		}
		add(c.name, c.args, c.does)
		for _, more := range c.more {
			if literal(more.args) {
				add(c.name, more.args, more.does)
			}
		}
	}
	return out
}
