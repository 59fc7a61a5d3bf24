package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/markdown"
)

// selectedKeyMap is the keys that mean something for the selected item.
type selectedKeyMap struct {
	Before, After, Note, NextNote, NoteBefore, Fold, Copy, CopyCode, Edit, Again, Open key.Binding
}

func defaultSelectedKeyMap() selectedKeyMap {
	bind := func(help, desc string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
	}
	return selectedKeyMap{
		Before:     bind("↑", "select what is above", "up"),
		After:      bind("↓", "select what is below", "down"),
		Note:       bind("Enter", "show the note it refers to, else unfold it or fold it", "enter"),
		NextNote:   bind("Tab", "choose the next note it refers to", "tab", "right"),
		NoteBefore: bind("Shift+Tab", "choose the note before", "shift+tab", "left"),
		Fold:       bind("Space", "unfold it, then all of it, or fold it", " "),
		Copy:       bind("y", "copy it as it was written", "y"),
		CopyCode:   bind("c", "copy a block of code of it; again or a number: another", "c"),
		Edit:       bind("e", "edit your message, which is sent as a new branch; of an answer, the note in the editor", "e"),
		Again:      bind("r", "try this turn again, as a new branch", "r"),
		Open:       bind("o", "open the note in Obsidian", "o"),
	}
}

// copying is the block of code that was copied last of the selected item.
type copying struct {
	item list.Item
	at   int // from 0
}

// actOnSelected handles the keys that mean something for the selected item.
func (m *Model) actOnSelected(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	on := m.selectedKeys
	switch {
	case keys.Matches(k, on.Before):
		m.selectStep(-1)
	case keys.Matches(k, on.After):
		m.selectStep(1)
	case keys.Matches(k, on.NextNote):
		return true, m.chooseStep(1)
	case keys.Matches(k, on.NoteBefore):
		return true, m.chooseStep(-1)
	case keys.Matches(k, on.Note):
		return true, m.enterSelected()
	case keys.Matches(k, on.Fold):
		return true, m.foldSelected()
	case keys.Matches(k, on.Copy):
		return true, m.copySelected()
	case keys.Matches(k, on.CopyCode):
		return true, m.copyNextCode()
	case keys.Matches(k, on.Edit):
		return true, m.editSelected()
	case keys.Matches(k, on.Again):
		return true, m.againSelected()
	case keys.Matches(k, on.Open):
		if c, ok := m.chosen(); ok && m.o.Citing.Open != nil {
			return true, m.openNote(openNoteMsg{c})
		}
		return true, m.pass("Nothing here refers to a note", quitWindow)
	default:
		return m.codeByNumber(k)
	}
	return true, nil
}

// enterSelected shows the note that is chosen; an item that refers to none is unfolded or folded.
func (m *Model) enterSelected() tea.Cmd {
	if c, ok := m.chosen(); ok && m.o.Citing.Preview != nil {
		return m.preview(c)
	}
	if foldable(m.selection.item) {
		return m.foldSelected()
	}
	return m.pass("Nothing here refers to a note", quitWindow)
}

// foldable says whether something of an item is folded, or can be.
func foldable(it list.Item) bool {
	f, ok := it.(chat.Foldable)
	return ok && f.Folds()
}

// foldSelected shows what is folded of the selected item, or folds it again.
func (m *Model) foldSelected() tea.Cmd {
	if !foldable(m.selection.item) {
		return m.pass("Nothing of this is folded", quitWindow)
	}
	m.flip(m.selection.item)
	m.list.Reveal(m.selection.item, 0, len(m.selection.item.Lines(m.list.Width())))
	return nil
}

// flip unfolds an item, shows all of one of which a part is shown, or folds it; what is being read
// stays in its place.
func (m *Model) flip(it list.Item) {
	if l, ok := it.(chat.Lengthy); ok && l.More() {
		m.redraw(l.ShowAll)
		return
	}
	if f, ok := it.(chat.Foldable); ok {
		m.redraw(f.Flip)
	}
}

// copySelected copies what the selected item was made of.
func (m *Model) copySelected() tea.Cmd {
	text, whole := chat.Source(m.selection.item, m.list.Width())
	what := called(m.selection.item)
	if !whole {
		what = "the beginning of " + what
	}
	return m.copyText(what, text)
}

// called names an item in words.
func called(it list.Item) string {
	switch it.(type) {
	case *chat.User:
		return "your message"
	case *chat.Assistant:
		return "the answer"
	case *chat.Message:
		return "what the agent said"
	case *chat.Tool:
		return "the tool's result"
	case *chat.Reasoning:
		return "the reasoning"
	case *chat.Retrospection:
		return "the look back"
	case *chat.Compaction, *chat.Boundary, *chat.Continued:
		return "the summary"
	case *chat.Tasks:
		return "the steps"
	case *chat.Error:
		return "the error"
	}
	return "this"
}

// codeOf are the blocks of code of an item.
func codeOf(it list.Item) []markdown.Code {
	switch it.(type) {
	case *chat.User, *chat.Assistant, *chat.Message, *chat.Retrospection:
		text, _ := it.(chat.Sourced).Raw()
		return markdown.CodeBlocks(text)
	}
	return nil
}

// copyNextCode copies the first block of code of the selected item, the next one where it was
// copied from just before, round the end.
func (m *Model) copyNextCode() tea.Cmd {
	code := codeOf(m.selection.item)
	if len(code) == 0 {
		return m.pass("There is no block of code in this", quitWindow)
	}
	at := 0
	if m.copiedCode.item == m.selection.item {
		at = (m.copiedCode.at + 1) % len(code)
	}
	return m.copyCode(code, at)
}

// codeByNumber copies a block of code of the selected item by its number, where it has several.
func (m *Model) codeByNumber(k tea.KeyMsg) (handled bool, cmd tea.Cmd) {
	n, err := strconv.Atoi(keys.Name(k))
	if err != nil || n < 1 || n > 9 {
		return false, nil
	}
	code := codeOf(m.selection.item)
	if len(code) < 2 {
		return false, nil
	}
	if n > len(code) {
		return true, m.pass(fmt.Sprintf("There are %d blocks of code in this", len(code)), quitWindow)
	}
	return true, m.copyCode(code, n-1)
}

func (m *Model) copyCode(code []markdown.Code, at int) tea.Cmd {
	m.copiedCode = copying{m.selection.item, at}
	what := "the code"
	if len(code) > 1 {
		what = fmt.Sprintf("code block %d of %d", at+1, len(code))
	}
	return m.copyText(what+inLanguage(code[at]), code[at].Text)
}

// editSelected edits the selected message of the user's; of anything else, the note it refers to.
func (m *Model) editSelected() tea.Cmd {
	if u, ok := m.selection.item.(*chat.User); ok {
		return m.lookForTurn(u, false)
	}
	if c, ok := m.chosen(); ok && m.o.Citing.Edit != nil {
		return m.editCited(c)
	}
	return m.pass("What is yours to edit are your own messages, and the notes an answer refers to", quitWindow)
}

// againSelected tries the turn again that the selected item belongs to.
func (m *Model) againSelected() tea.Cmd {
	it := m.selection.item
	for it != nil {
		if u, ok := it.(*chat.User); ok {
			return m.lookForTurn(u, true)
		}
		it = m.list.Next(it, -1, func(it list.Item) bool {
			switch it.(type) {
			case *chat.User, *chat.Earlier, *chat.Boundary:
				return true
			}
			return false
		})
		if _, ok := it.(*chat.User); !ok {
			break
		}
	}
	return m.pass("No message of yours is known that this came of", quitWindow)
}

// offer is what a key does for the selected item, in long and in short words.
type offer struct {
	key, long, short string
}

// offersSelected are what can be done with the selected item, what is wanted most first.
func (m *Model) offersSelected() []offer {
	it, on := m.selection.item, m.selectedKeys
	var out []offer
	add := func(b key.Binding, long, short string) {
		if k := keys.First(b, ""); b.Enabled() && k != "" {
			out = append(out, offer{k, long, short})
		}
	}
	cites := m.cites()
	folds := "unfolds"
	if f, ok := it.(chat.Unfoldable); ok && f.Unfolded() {
		folds = "folds"
	}
	if l, ok := it.(chat.Lengthy); ok && l.More() {
		folds = "shows all"
	}
	switch {
	case len(cites) > 0:
		add(on.Note, "shows the note", "note")
	case foldable(it):
		add(on.Note, folds, folds)
	}
	if m.o.Copying.Copy != nil {
		add(on.Copy, "copies", "copy")
		switch n := len(m.codeSelected()); {
		case n > 1:
			add(on.CopyCode, fmt.Sprintf("code 1–%d", n), fmt.Sprintf("code 1–%d", n))
		case n > 0:
			add(on.CopyCode, "code", "code")
		}
	}
	if len(cites) > 0 {
		if len(cites) > 1 {
			add(on.NextNote, "next", "next")
		}
		if m.o.Citing.Edit != nil {
			add(on.Edit, "edits the note", "edit")
		}
		if m.o.Citing.Open != nil {
			add(on.Open, "Obsidian", "Obsidian")
		}
		if foldable(it) {
			add(on.Fold, folds, folds)
		}
	}
	if _, yours := it.(*chat.User); yours && m.canEdit() {
		add(on.Edit, "edits", "edit")
	}
	if m.canEdit() {
		switch it.(type) {
		case *chat.User, *chat.Assistant, *chat.Error, *chat.Stopped:
			add(on.Again, "tries again", "again")
		}
	}
	return out
}

// selectedForms says how to go on while something is selected, the longest way of saying it first:
// in long words, in short ones, and with what is wanted least left out. The way back stays.
func (m *Model) selectedForms() []string {
	const back = "Esc back"
	move := keys.First(m.keys.SelectUp, "") + " ↓ move"
	var long, short []string
	for _, o := range m.offersSelected() {
		long = append(long, o.key+" "+o.long)
		short = append(short, o.key+" "+o.short)
	}
	line := func(parts []string, more ...string) string {
		return strings.Join(append(slices.Clone(parts), more...), " · ")
	}
	forms := []string{line(long, move, back), line(long, back), line(short, move, back)}
	for n := len(short); n >= 0; n-- {
		forms = append(forms, line(short[:n], back))
	}
	return forms
}

// codeSelected are the blocks of code of the selected item, looked for once.
func (m *Model) codeSelected() []markdown.Code {
	text := 0
	if s, ok := m.selection.item.(interface{ Size() int }); ok {
		text = s.Size()
	}
	if c := &m.codeSeen; c.item != m.selection.item || c.size != text {
		c.item, c.size, c.code = m.selection.item, text, codeOf(m.selection.item)
	}
	return m.codeSeen.code
}

// codeSeen is the code that was found in an item of a size.
type codeSeen struct {
	item list.Item
	size int
	code []markdown.Code
}
