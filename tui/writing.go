package tui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/text"
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

// What says how to go on while something is offered, and while what was sent is searched.
var (
	offeredHints = []string{"↑ ↓ choose", "Enter to select", "Esc to close"}
	writtenHints = []string{"↑ ↓ choose", "Enter to send", "Esc to close"}
	recallHints  = []string{"Ctrl+R earlier", "Enter to select", "Esc back"}
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
	return mark + m.styles.Muted.Render(phrase.Hints(hints, width))
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
func (m *Model) paste(k tea.KeyPressMsg) tea.Cmd {
	if m.composer.Searching() {
		m.composer.Key(k)
		return nil
	}
	m.completion.Close()
	text, put := strings.ToValidUTF8(k.Text, ""), m.composer.Paste
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
		return m.flash("All of it is sent. "+m.bound.Writing.Unfold.Help().Key+" shows all of it, and so does pasting it again.", 3*quitWindow)
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
			return hintMsg{text.Capital(err.Error())}
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
func (m *Model) writingKey(k tea.KeyPressMsg) (handled bool) {
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

// draftPause is how long after a change the draft is saved: what is lost when the process is
// killed.
const draftPause = 250 * time.Millisecond

// draft keeps what stands in the composer. Saving is slow and happens beside the screen's
// loop; whoever saves takes the newest text there is, so that an older one never wins.
type draft struct {
	kept Drafts // nil: nobody keeps it

	mu       sync.Mutex
	newest   string
	folds    []string // the pastes that show folded in it
	revision int      // of the composer that folds are of; the screen's own

	saving     sync.Mutex
	saved      string
	savedFolds bool // there are some
}

// set notes the text to save, and says whether it is another.
func (d *draft) set(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	changed := d.newest != text
	d.newest = text
	return changed
}

// loaded notes a text that is saved already.
func (d *draft) loaded(text string) {
	d.set(text)
	d.saving.Lock()
	defer d.saving.Unlock()
	d.saved = text
}

// flush saves what was noted last, unless it is saved.
func (d *draft) flush() {
	d.saving.Lock()
	defer d.saving.Unlock()
	d.mu.Lock()
	text, folds := d.newest, d.folds
	d.mu.Unlock()
	if d.kept == nil || text == d.saved {
		return
	}
	if len(folds) > 0 || d.savedFolds {
		d.kept.SaveFolds(folds)
		d.savedFolds = len(folds) > 0
	}
	d.kept.Save(text)
	d.saved = text
}

// stale says whether a text is saved that is not there any more, as far as nobody saves now.
func (d *draft) stale() bool {
	if !d.saving.TryLock() {
		return false
	}
	defer d.saving.Unlock()
	return d.saved != ""
}

// keepFolds notes which pastes show folded.
func (m *Model) keepFolds() {
	d, now := m.draft, m.composer.Revision()
	if d.kept == nil || d.revision == now {
		return
	}
	d.revision = now
	folds := m.composer.Folds()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.folds = folds
}

// draftDue says when the draft is to be saved, if it changed: at once where what was written is
// durable as a message, so that it does not come back as a draft.
func (m *Model) draftDue() tea.Cmd {
	m.keepFolds()
	if m.draft.kept != nil && m.written() == "" && len(m.unsaved()) == 0 && m.draft.stale() {
		m.draft.set("")
		return func() tea.Msg {
			m.draft.flush()
			return nil
		}
	}
	if m.draft.kept == nil || m.draftTimed || !m.draft.set(m.written()) {
		return nil
	}
	m.draftTimed = true
	return m.tick(draftPause, func(time.Time) tea.Msg { return loop.Do(m.saveDraft) })
}

func (m *Model) saveDraft() tea.Cmd {
	m.draftTimed = false
	m.draft.set(m.written())
	return func() tea.Msg {
		m.draft.flush()
		return nil
	}
}

// DraftEditor gives a text to the user's editor, which takes the terminal. The text is in a file of
// its own before the editor begins, so that nothing of it is lost however that ends. Done is called
// after it, with whether the editor failed, and gives what the file holds then; the file goes.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

// editText gives a text to the user's editor, and then gets what it left.
func (m *Model) editText(given string, then func(edited string, err error) tea.Cmd) tea.Cmd {
	edit, ctx := m.o.EditDraft, m.ctx
	return func() tea.Msg {
		command, done, err := edit(ctx, given)
		if err != nil {
			return hintMsg{text.Capital(err.Error())}
		}
		return loop.Do(func() tea.Cmd {
			return tea.Exec(command, func(err error) tea.Msg {
				edited, readErr := done(err != nil)
				if err == nil {
					err = readErr
				}
				return loop.Do(func() tea.Cmd { return then(edited, err) })
			})
		})
	}
}

// editDraft opens what is written in the user's editor.
func (m *Model) editDraft() tea.Cmd {
	if m.o.EditDraft == nil {
		return nil
	}
	m.draft.set(m.written())
	before, d := m.composer.Value(), m.draft
	open := m.editText(before, func(edited string, err error) tea.Cmd { return m.editedDraft(before, edited, err) })
	return func() tea.Msg {
		d.flush()
		return open()
	}
}

// editedDraft takes what the editor left. Where it failed, what was written stays.
func (m *Model) editedDraft(before, text string, err error) tea.Cmd {
	if err != nil {
		return m.flash("The editor failed; your text is unchanged: "+err.Error(), 3*quitWindow)
	}
	if !strings.HasSuffix(before, "\n") { // which editors put at the end of a file
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := m.composer.Value(); {
	case text == before:
	case now != before: // a text came back meanwhile
		m.composer.SetValue(below(text, now))
	default:
		m.composer.SetValue(text)
	}
	m.markTyped()
	return nil
}
