package tui

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/complete"
	"chatvault/tui/composer"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// writing is the text that is being written, what is offered for it, and how it is kept.
type writing struct {
	composer   *composer.Model
	completion *complete.Completion // of a name that is being written
	attaching  *complete.Attaching  // what the text mentions
	lastPaste  lastPaste
	toldFolded bool // how a long paste is shown whole
	draft      *draft
	draftTimed bool
}

// What says how to go on while something is offered, and while what was sent is searched: the
// longest way first.
var (
	offeredHints = []string{"↑ ↓ choose · Enter to select · Esc to close", "↑ ↓ · Enter to select · Esc to close", "Enter to select · Esc"}
	writtenHints = []string{"↑ ↓ choose · Enter to send · Esc to close", "↑ ↓ · Enter to send · Esc to close", "Enter to send · Esc"}
	recallHints  = []string{"Ctrl+R earlier · Enter to select · Esc back to your text", "Ctrl+R · Enter to select · Esc back", "Enter to select · Esc"}
)

// writingHint is how to go on while something is offered, or searched; empty: nothing is.
func (m *Model) writingHint(width int) string {
	hints := offeredHints
	switch {
	case m.composer.Searching() && m.dialogs.Empty():
		hints = recallHints
	case !m.completion.Active(), m.find.Active():
		return ""
	case !m.completion.Chosen():
		hints = writtenHints
	}
	mark := ""
	if m.busy() {
		mark = m.styles.Accent.Render(m.env.Spinner()) + " "
		width -= 2
	}
	return mark + m.styles.Muted.Render(phrase.Fitting(hints, width))
}

// inputLines is the composer, with what is offered and what is attached above it.
func (m *Model) inputLines(width int) []string {
	if m.find.Active() {
		return m.find.Lines(width)
	}
	lines := m.composer.Lines()
	above := m.attaching.Lines(m.styles, width)
	offered := m.completion.Lines(m.styles, width, m.height-len(lines)-len(above)-3)
	if len(above)+len(offered) == 0 {
		return lines
	}
	out := make([]string, 0, len(offered)+len(above)+len(lines))
	return append(append(append(out, offered...), above...), lines...)
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
	m.completion.Close()
	text, put := string(k.Runes), m.composer.Paste
	if text == "" { // as terminals paste a clipboard that holds no text
		return m.pastePicture(false)
	}
	if p := m.lastPaste; p.revision == m.composer.Revision() && m.now().Sub(p.at) < partsWithin {
		put = m.composer.PasteMore
	}
	ok := put(text)
	m.lastPaste = lastPaste{m.composer.Revision(), m.now()}
	if !ok {
		return m.flash("Too long to paste: more than 8 MB. Save it as a note in the vault and ask about that.", 3*quitWindow)
	}
	m.markTyped()
	if cmd := m.locate(text); cmd != nil {
		return cmd
	}
	if !m.toldFolded && len(m.composer.Folds()) > 0 { // once
		m.toldFolded = true
		return m.flash("All of it is sent. "+m.composer.Keys().Unfold.Help().Key+" shows all of it, and so does pasting it again.", 3*quitWindow)
	}
	return nil
}

// pastePicture attaches the picture that the clipboard holds; asked says that the person meant one, and is
// told where there is none.
func (m *Model) pastePicture(asked bool) tea.Cmd {
	if m.o.Copying == nil || m.o.Completing == nil {
		return nil
	}
	ctx, from, vault := m.ctx, m.o.Copying, m.o.Completing
	return func() tea.Msg {
		data, err := from.Picture(ctx)
		if err != nil {
			if !asked {
				return nil
			}
			return hintMsg{chat.Sentence(err.Error())}
		}
		f, err := vault.Bring(ctx, "clipboard", data)
		if err != nil {
			return hintMsg{"The picture in the clipboard cannot be attached: " + err.Error()}
		}
		return loop.Do(func() tea.Cmd {
			m.completion.Close()
			_ = m.composer.Insert(complete.Mention(f.Path) + " ") // a text of 8 MB takes no more
			m.markTyped()
			return nil
		})
	}
}

// locate looks for dropped files in the vault, and writes them as the vault calls them.
func (m *Model) locate(text string) tea.Cmd {
	dropped := complete.Dropped(text)
	if len(dropped) == 0 || m.o.Completing == nil {
		return nil
	}
	ctx, vault := m.ctx, m.o.Completing
	pasted := strings.TrimRight(text, " \r\n") // as it stands in the text
	if short := strings.TrimRight(text, "\r\n"); strings.HasSuffix(short, " ") {
		pasted += " " // as terminals put behind what is dropped
	}
	return func() tea.Msg {
		var refs []string
		for _, d := range dropped {
			f, why := vault.Locate(ctx, d.Text)
			switch {
			case f.Path == "": // all of it stays
				if why == "" {
					return nil
				}
				return hintMsg{why}
			case d.URL && !f.Folder:
				refs = append(refs, "[["+complete.WithoutMD(f.Path)+d.Anchor+"]]")
			case f.Folder:
				refs = append(refs, complete.Mention(f.Path+"/"))
			default:
				refs = append(refs, complete.Mention(f.Path))
			}
		}
		return loop.Do(func() tea.Cmd {
			_ = m.composer.ReplaceLast(pasted, strings.Join(refs, " ")+" ") // if it still stands there
			m.markTyped()
			return nil
		})
	}
}

// writingKey handles the keys of what is offered, and those of a search in what was sent before:
// Enter takes what was found and never sends it.
func (m *Model) writingKey(k tea.KeyMsg) (handled bool) {
	if m.completion.Key(k) {
		m.markTyped()
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
	m.markTyped()
	return true
}

// offeredCommands are the commands as candidates of completion.
type offeredCommands struct{ m *Model }

// Look reads the vault's own anew.
func (o offeredCommands) Look() tea.Cmd { return o.m.lookForCustom(typedText{}) }

// Items are they, and the words that are typed after them as they are.
func (o offeredCommands) Items() []complete.Item {
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
		if !slices.ContainsFunc(out, func(it complete.Item) bool { return it.Text == name }) {
			out = append(out, item)
		}
	}
	literal := func(args string) bool { return args != "" && args == strings.ToLower(args) }
	for _, c := range o.m.commands {
		if !c.Needs && literal(c.Args) { // alone it does something else
			add(c.Name, "", c.Alone())
		}
		add(c.Name, c.Args, c.Does)
		for _, f := range c.More {
			if literal(f.Args) {
				add(c.Name, f.Args, f.Does)
			}
		}
	}
	return out
}
