package tui

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/text"
	"chatvault/tui/complete"
	"chatvault/tui/find"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// writing is the text that is being written, what is offered for it, and how it is kept.
type writing struct {
	*shared
	questions *questions
	menu      *menu
	sending   *sending
	revising  *revising
	find      *find.Search

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
func (w *writing) writingHint(width int) string {
	hints := offeredHints
	switch {
	case w.composer.Searching() && w.dialogs.Empty():
		hints = recallHints
	case !w.menu.completion.Active(), w.find.Active():
		return ""
	case !w.menu.completion.Chosen():
		hints = writtenHints
	}
	mark := ""
	if w.busy() {
		mark = w.styles.Accent.Render(w.env.Spinner()) + " "
		width -= 2
	}
	return mark + w.styles.Muted.Render(phrase.Hints(hints, width))
}

// inputLines is the composer, with what is offered and what is attached above it.
func (w *writing) inputLines(width int) []string {
	if w.find.Active() {
		return w.find.Lines(width)
	}
	lines := w.composer.Lines()
	above := w.sending.attaching.Lines(w.styles, width)
	offered := w.menu.completion.Lines(w.styles, width, w.height-len(lines)-len(above)-3)
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
func (w *writing) paste(k tea.KeyPressMsg) tea.Cmd {
	if w.composer.Searching() {
		w.composer.Key(k)
		return nil
	}
	w.menu.completion.Close()
	text, put := strings.ToValidUTF8(k.Text, ""), w.composer.Paste
	if text == "" { // as terminals paste a clipboard that holds no text
		return w.pastePicture(false)
	}
	if p := w.lastPaste; p.revision == w.composer.Revision() && w.now().Sub(p.at) < partsWithin {
		put = w.composer.PasteMore
	}
	ok := put(text)
	w.lastPaste = lastPaste{w.composer.Revision(), w.now()}
	if !ok {
		return w.flash("Too long to paste: more than 8 MB. Save it as a note in the vault and ask about that.", 3*quitWindow)
	}
	w.questions.markTyped()
	if cmd := w.locate(text); cmd != nil {
		return cmd
	}
	if !w.toldFolded && w.composer.Folded() { // once
		w.toldFolded = true
		return w.flash("All of it is sent. "+w.keys.Writing.Unfold.Help().Key+" shows all of it, and so does pasting it again.", 3*quitWindow)
	}
	return nil
}

// pastePicture attaches the picture that the clipboard holds; asked says that the person meant one, and is
// told where there is none.
func (w *writing) pastePicture(asked bool) tea.Cmd {
	if w.o.Copying == nil || w.o.Completing == nil {
		return nil
	}
	ctx, from, vault := w.ctx, w.o.Copying, w.o.Completing
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
			w.menu.completion.Close()
			_ = w.composer.Insert(complete.Mention(f.Path) + " ") // a text of 8 MB takes no more
			w.questions.markTyped()
			return nil
		})
	}
}

// locate looks for dropped files in the vault, and writes them as the vault calls them.
func (w *writing) locate(text string) tea.Cmd {
	dropped := complete.Dropped(text)
	if len(dropped) == 0 || w.o.Completing == nil {
		return nil
	}
	ctx, vault := w.ctx, w.o.Completing
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
			_ = w.composer.ReplaceLast(pasted, strings.Join(refs, " ")+" ") // if it still stands there
			w.questions.markTyped()
			return nil
		})
	}
}

// writingKey handles the keys of what is offered, and those of a search in what was sent before:
// Enter takes what was found and never sends it.
func (w *writing) writingKey(k tea.KeyPressMsg) (handled bool) {
	if w.menu.completion.Key(k) {
		w.questions.markTyped()
		return true
	}
	if !w.composer.Searching() || keys.Matches(k, w.keys.Stop) {
		return false
	}
	switch {
	case keys.Matches(k, w.keys.Send, w.keys.Hold):
		w.composer.TakeFound()
	case keys.Matches(k, w.keys.Clear):
		w.composer.LeaveSearch()
	case w.composer.Key(k):
	default: // it took what was found, and the key goes on
		return false
	}
	w.questions.markTyped()
	return true
}

// offeredCommands are the commands as candidates of completion.
type offeredCommands struct{ *menu }

// Look reads the vault's own anew.
func (o offeredCommands) Look() tea.Cmd { return o.lookForCustom(typedText{}) }

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
	for _, c := range o.commands {
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

	newest atomic.Value // string

	saving sync.Mutex
	saved  string
}

// set notes the text to save, and reports whether it is another.
func (d *draft) set(text string) bool {
	was, _ := d.newest.Swap(text).(string)
	return was != text
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
	if text, _ := d.newest.Load().(string); d.kept != nil && text != d.saved {
		d.kept.Save(text)
		d.saved = text
	}
}

// stale says whether a text is saved that is not there any more, as far as nobody saves now.
func (d *draft) stale() bool {
	if !d.saving.TryLock() {
		return false
	}
	defer d.saving.Unlock()
	return d.saved != ""
}

// draftDue says when the draft is to be saved, if it changed: at once where what was written is
// durable as a message, so that it does not come back as a draft.
func (w *writing) draftDue() tea.Cmd {
	if w.draft.kept != nil && w.revising.written() == "" && len(w.sending.unsaved()) == 0 && w.draft.stale() {
		w.draft.set("")
		return func() tea.Msg {
			w.draft.flush()
			return nil
		}
	}
	if w.draft.kept == nil || w.draftTimed || !w.draft.set(w.revising.written()) {
		return nil
	}
	w.draftTimed = true
	return w.tick(draftPause, func(time.Time) tea.Msg { return loop.Do(w.saveDraft) })
}

func (w *writing) saveDraft() tea.Cmd {
	w.draftTimed = false
	w.draft.set(w.revising.written())
	return func() tea.Msg {
		w.draft.flush()
		return nil
	}
}

// DraftEditor gives a text to the user's editor, which takes the terminal. The text is in a file of
// its own before the editor begins, so that nothing of it is lost however that ends. Done is called
// after it, with whether the editor failed, and gives what the file holds then; the file goes.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

// editText gives a text to the user's editor, and then gets what it left.
func (w *writing) editText(given string, then func(edited string, err error) tea.Cmd) tea.Cmd {
	edit, ctx := w.o.EditDraft, w.ctx
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
func (w *writing) editDraft() tea.Cmd {
	if w.o.EditDraft == nil {
		return nil
	}
	w.draft.set(w.revising.written())
	before, d := w.composer.Value(), w.draft
	open := w.editText(before, func(edited string, err error) tea.Cmd { return w.editedDraft(before, edited, err) })
	return func() tea.Msg {
		d.flush()
		return open()
	}
}

// editedDraft takes what the editor left. Where it failed, what was written stays.
func (w *writing) editedDraft(before, text string, err error) tea.Cmd {
	if err != nil {
		return w.flash("The editor failed; your text is unchanged: "+err.Error(), 3*quitWindow)
	}
	if !strings.HasSuffix(before, "\n") { // which editors put at the end of a file
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := w.composer.Value(); {
	case text == before:
	case now != before: // a text came back meanwhile
		w.composer.SetValue(below(text, now))
	default:
		w.composer.SetValue(text)
	}
	w.questions.markTyped()
	return nil
}
