package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/phrase"
)

// viKey handles the keys of vi outside of insert mode: commands on the text, or on the transcript while the composer is
// empty.
func (m *Model) viKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	free := m.dialogs.Empty()
	selects := free && m.selection.Active()
	if m.composer.Mode() == "" || !selects && !m.composer.Commanding() || keys.IsPaste(k) {
		return false, nil
	}
	name, pending, page := keys.Name(k), m.composer.Pending(), m.list.Page()
	if selects {
		pending = m.leader
	}
	m.leader = ""
	if by := map[string]int{"ctrl+d": page / 2, "ctrl+u": -page / 2, "ctrl+f": page, "ctrl+b": -page}[name]; free && by != 0 {
		m.talk.scroll(by)
		return true, nil
	}
	if selects || free && m.composer.Empty() && (pending == "" || pending == "g") {
		if handled, cmd := m.transcriptKey(pending+name, selects); handled || selects {
			if !selects {
				m.composer.Escape()
			}
			return handled, cmd
		}
	}
	if m.composer.Empty() && m.composer.Pending() == "" && (m.pickKey(k) || m.markNumber(name)) {
		return true, nil
	}
	copied, handled := m.composer.Command(k)
	if handled {
		m.begun = !m.composer.Commanding()
		m.markTyped()
	}
	if p := m.composer.Pending(); p == `"+` || p == `"*` {
		cmd = tea.ReadClipboard
	}
	if copied != "" {
		cmd = m.copyText("the text", copied)
	}
	return handled, cmd
}

// transcriptKey handles keys that move in the transcript, or select in it.
func (m *Model) transcriptKey(typed string, selects bool) (handled bool, cmd tea.Cmd) {
	s, l := m.selection, m.list
	switch typed {
	case "j", "k":
		if n := map[string]int{"j": 1, "k": -1}[typed]; selects {
			s.Step(n)
		} else {
			m.talk.scroll(n)
		}
	case "g":
		if m.leader = typed; !selects {
			return false, nil
		}
	case "gg", "G":
		n := map[string]int{"gg": 1, "G": -1}[typed]
		switch it := l.Next(nil, n, chat.Selectable); {
		case selects && it != nil:
			s.Select(it)
		case n > 0:
			m.talk.home()
		default:
			l.End()
		}
	case "v", "V":
		if !selects {
			s.Step(-1)
		}
		if s.Active() {
			s.Extend()
		}
	case "y":
		if !s.Extended() {
			return false, nil
		}
		text, called := s.Source()
		s.Leave()
		return true, m.copyText(called, text)
	case "/", "?":
		s.Leave()
		m.backward = typed == "?"
		return true, m.find.Open()
	case "n", "N":
		n := 1
		if m.backward != (typed == "N") {
			n = -1
		}
		return true, m.find.Again(n)
	default:
		return false, nil
	}
	return true, nil
}

// keptKey handles a key while the matches of a search are kept: other keys than n and N end it.
func (m *Model) keptKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	if name := keys.Name(k); name == "n" || name == "N" {
		return m.transcriptKey(name, false)
	}
	if !keys.Matches(k, m.keys.Stop, m.keys.SelectUp, m.keys.SelectDown) {
		m.find.Close()
	}
	return false, nil
}

// viMode describes the mode and the keys of an incomplete command for the status line.
func (m *Model) viMode(width int) string {
	mode := string(m.composer.Mode())
	if mode == "" || width < 30 {
		return ""
	}
	return m.styles.Muted.Render(phrase.Join(cells.Truncate(m.composer.Pending(), width/4, "…"), mode))
}

// viHelp describes the keys of vi.
var viHelp = dialog.Section{Title: "Vi keys", Entries: []dialog.Entry{
	{Name: "Esc", Does: "normal mode; a running turn stops at once"},
	{Name: "i a I A o O", Does: "insert"},
	{Name: "d c y > < gu gU g~", Does: "operators, with a motion or an object (iw ip i\" i( …) or doubled"},
	{Name: "v V", Does: "select characters or lines; messages, when the text is empty"},
	{Name: "u Ctrl+R .", Does: "undo, redo, repeat"},
	{Name: "\"+", Does: "the clipboard"},
	{Name: "j k gg G", Does: "scroll, when the text is empty; so do Ctrl+D, U, F and B"},
	{Name: "/ ? n N", Does: "search the text, or the conversation when it is empty"},
}}
