package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/complete"
	"chatvault/tui/keys"
)

// droppedMsg brings what became of paths that were dropped.
type droppedMsg struct {
	pasted string // as it stands in the text
	refs   string // what takes its place; empty: it stays
	why    string // a word for the user; may be empty
}

// longPastes keeps long pastes aside, which Bubble Tea would take many seconds to read, and gives
// them for what it read instead.
type longPastes interface {
	Whole(pasted string) (text string, ok bool)
}

// wholePastes puts long pastes back in their places.
func wholePastes(in longPastes) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if k, ok := msg.(tea.KeyMsg); ok && k.Paste {
			if text, ok := in.Whole(string(k.Runes)); ok {
				k.Runes = []rune(strings.ToValidUTF8(text, ""))
				return k
			}
		}
		return msg
	}
}

// lastPaste is when something was pasted, and the composer's revision then.
type lastPaste struct {
	revision int
	at       time.Time
}

// partsWithin is within which time what is pasted belongs to the paste before: a terminal that
// does not mark pastes sends a long one in parts. Nobody pastes twice so quickly.
const partsWithin = 80 * time.Millisecond

// paste puts what was pasted into the composer: it never sends, whatever is in it. What turns out
// to be a file of the vault becomes a mention, or a link where it came as one.
func (m *Model) paste(k tea.KeyMsg) tea.Cmd {
	if m.composer.Searching() {
		m.composer.Key(k)
		return nil
	}
	m.closeCompletion()
	text, put := string(k.Runes), m.composer.Paste
	if p := m.lastPaste; p.revision == m.composer.Revision() && m.now().Sub(p.at) < partsWithin {
		put = m.composer.PasteMore
	}
	ok := put(text)
	m.lastPaste = lastPaste{m.composer.Revision(), m.now()}
	if !ok {
		return m.pass("Too long to paste: more than 8 MB. Save it as a note in the vault and ask about that.", 3*quitWindow)
	}
	m.markWritten()
	if cmd := m.locate(text); cmd != nil {
		return cmd
	}
	if !m.toldFolded && len(m.composer.Folds()) > 0 { // once
		m.toldFolded = true
		return m.pass("It is sent whole. "+m.composer.Keys().Unfold.Help().Key+" shows all of it, and so does pasting it again.", 3*quitWindow)
	}
	return nil
}

// locate looks for dropped files in the vault.
func (m *Model) locate(text string) tea.Cmd {
	dropped := complete.Dropped(text)
	if len(dropped) == 0 || m.o.Completing.Locate == nil {
		return nil
	}
	ctx, find := m.ctx, m.o.Completing.Locate
	return func() tea.Msg {
		msg := droppedMsg{pasted: strings.TrimRight(text, " \r\n")}
		if short := strings.TrimRight(text, "\r\n"); strings.HasSuffix(short, " ") {
			msg.pasted += " " // as terminals put behind what is dropped
		}
		var refs []string
		for _, d := range dropped {
			f, why := find(ctx, d.Text)
			switch {
			case f.Path == "":
				msg.why = why
				return msg // all of it stays
			case d.URL && !f.Folder:
				refs = append(refs, "[["+withoutMD(f.Path)+d.Anchor+"]]")
			case f.Folder:
				refs = append(refs, complete.Mention(f.Path+"/"))
			default:
				refs = append(refs, complete.Mention(f.Path))
			}
		}
		msg.refs = strings.Join(refs, " ") + " "
		return msg
	}
}

// located writes what was dropped as the vault calls it, if it still stands there.
func (m *Model) located(msg droppedMsg) tea.Cmd {
	if msg.refs == "" {
		if msg.why != "" {
			return m.pass(msg.why, 3*quitWindow)
		}
		return nil
	}
	_ = m.composer.ReplaceLast(msg.pasted, msg.refs)
	m.markWritten()
	return nil
}

// writingKey handles the keys of what is offered, and those of a search in what was sent before:
// Enter takes what was found and never sends it.
func (m *Model) writingKey(k tea.KeyMsg) (handled bool) {
	if m.completionKey(k) {
		return true
	}
	if !m.composer.Searching() || keys.Matches(k, m.keys.Stop) {
		return false
	}
	switch {
	case keys.Matches(k, m.keys.Send, m.keys.Hold):
		m.composer.TakeFound()
	case keys.Matches(k, m.keys.Clear):
		m.composer.LeaveSearch()
	case m.composer.Key(k):
	default: // it took what was found, and the key goes on
		return false
	}
	m.markWritten()
	return true
}
