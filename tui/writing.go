package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/text"
	"chatvault/tui/complete"
	"chatvault/tui/dialog"
	"chatvault/tui/find"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// writing handles the text in the composer, its completions and its storage.
type writing struct {
	*shared
	questions *questions
	menu      *menu
	sending   *sending
	revising  *revising
	find      *find.Search

	draft *draft
}

// writingHint returns the hints for completion or the history search, or an empty string.
func (w *writing) writingHint(width int) string {
	if !w.menu.completion.Active() || w.find.Active() {
		return ""
	}
	hints := []string{"↑ ↓ choose", "Enter to select", "Esc to close"}
	if !w.menu.completion.Chosen() {
		hints[1] = "Enter to send"
	}
	mark := ""
	if w.busy() {
		mark = w.styles.Accent.Render(w.env.Spinner()) + " "
		width -= 2
	}
	return mark + w.styles.Muted.Render(phrase.Hints(hints, width))
}

// inputLines draws the composer with completions and attachments above it.
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

// paste inserts pasted text without ever sending it. A path or URL of a file in the vault becomes a mention or a
// link.
func (w *writing) paste(k tea.KeyPressMsg) tea.Cmd {
	w.menu.completion.Close()
	text := strings.ToValidUTF8(k.Text, "")
	if text == "" { // terminals paste nothing if the clipboard holds no text
		return w.pastePicture(false)
	}
	if dropped := complete.Dropped(text); len(dropped) > 0 && w.o.Completing != nil {
		return w.locate(text, dropped)
	}
	return w.insertPaste(text)
}

func (w *writing) insertPaste(text string) tea.Cmd {
	if !w.composer.Paste(text) {
		return w.flash("Too long to paste: more than 8 MB. Save it as a note in the vault and ask about that.", 3*quitWindow)
	}
	w.questions.markTyped()
	if w.composer.AfterPaste() {
		return w.flash("It is sent in full. "+w.keys.Writing.Unfold.Help().Key+" shows all of it, and so does pasting it again.", 3*quitWindow)
	}
	return nil
}

// pastePicture attaches the picture in the clipboard. asked reports whether the user requested that and should see an
// error.
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
			_ = w.composer.Insert(complete.Mention(f.Path) + " ") // fails only beyond 8 MB
			w.questions.markTyped()
			return nil
		})
	}
}

// locate inserts mentions or links for dropped files that are in the vault, or else the pasted text.
func (w *writing) locate(text string, dropped []complete.DroppedFile) tea.Cmd {
	why := ""
	find := func(ctx context.Context) (string, error) {
		var refs strings.Builder
		for _, d := range dropped {
			f, missing := w.o.Completing.Locate(ctx, d.Text)
			switch {
			case f.Path == "":
				why = missing
				return text, nil
			case d.URL && !f.Folder:
				refs.WriteString("[[" + complete.WithoutMD(f.Path) + "]] ")
			case f.Folder:
				refs.WriteString(complete.Mention(f.Path+"/") + " ")
			default:
				refs.WriteString(complete.Mention(f.Path) + " ")
			}
		}
		return refs.String(), nil
	}
	return loop.Then(w.ctx, find, func(text string, _ error) tea.Cmd {
		cmd := w.insertPaste(text)
		if why != "" {
			cmd = w.flash(why, 3*quitWindow)
		}
		return cmd
	})
}

// openHistory lists the texts sent before, newest first.
func (w *writing) openHistory() tea.Cmd {
	var rows []dialog.Row
	known := map[string]bool{}
	for at, sent := range slices.Backward(w.composer.History()) {
		if known[sent] {
			continue
		}
		known[sent] = true
		rows = append(rows, dialog.Row{Label: phrase.Line(sent), Find: text.Head(sent, 4000), Result: loop.Do(func() tea.Cmd {
			w.composer.Recall(at)
			w.questions.markTyped()
			return nil
		})})
	}
	w.dialogs.Push(dialog.NewPicker(w.styles, "What you sent", "Nothing yet", rows, []string{"Type to filter", "Enter to edit it", "Esc to close"}))
	return nil
}

// offeredCommands implements complete.Commands.
type offeredCommands struct{ *menu }

// Look reloads the vault's own commands.
func (o offeredCommands) Look() tea.Cmd { return o.lookForCustom() }

// Items returns the commands and their literal arguments.
func (o offeredCommands) Items() []complete.Item {
	var out []complete.Item
	literal := func(args string) bool {
		return args != "" && args == strings.ToLower(args) && !strings.ContainsAny(args, "<[ ")
	}
	add := func(name, args, does string) {
		item := complete.Item{Text: name, Insert: "/" + name, Detail: does, Size: -1}
		if literal(args) {
			item.Text, item.Insert = name+" "+args, item.Insert+" "+args
		} else if args != "" {
			item.Insert, item.Detail = item.Insert+" ", args+" · "+does
		}
		if !slices.ContainsFunc(out, func(it complete.Item) bool { return it.Text == item.Text }) {
			out = append(out, item)
		}
	}
	for _, c := range o.commands {
		if !c.Needs && literal(c.Args) { // it does something else without arguments
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

// draftPause is the delay before a changed draft is saved. Text typed within it is lost if the process is killed.
const draftPause = 250 * time.Millisecond

// draft saves the text in the composer in the background. Saving always takes the newest text, so that an older one
// never overwrites it.
type draft struct {
	kept        Drafts       // nil if drafts are not saved
	text, saved atomic.Value // strings: the newest text, and the saved one
	saving      sync.Mutex
	timed       bool // a save is scheduled
}

// newDraft returns a draft without text.
func newDraft(kept Drafts) *draft {
	d := &draft{kept: kept}
	d.loaded("")
	return d
}

// loaded records a text that is already saved.
func (d *draft) loaded(text string) {
	d.text.Store(text)
	d.saved.Store(text)
}

// save saves the newest text unless it is already saved. It is a command that may run concurrently.
func (d *draft) save() tea.Msg {
	d.saving.Lock()
	defer d.saving.Unlock()
	if text, _ := d.text.Load().(string); d.kept != nil && text != d.saved.Load() {
		d.kept.Save(text)
		d.saved.Store(text)
	}
	return nil
}

// draftDue schedules saving the draft if it changed. After a message was stored, the draft is cleared at once, so
// that the text does not return as a draft.
func (w *writing) draftDue() tea.Cmd {
	d, text := w.draft, w.revising.written()
	switch {
	case d.kept == nil:
		return nil
	case text == "" && len(w.sending.unsaved()) == 0 && d.saved.Load() != "":
		return w.saveDraft()
	case d.timed || d.text.Load() == text:
		return nil
	}
	d.text.Store(text)
	d.timed = true
	return w.tick(draftPause, func(time.Time) tea.Msg { return loop.Do(w.saveDraft) })
}

func (w *writing) saveDraft() tea.Cmd {
	w.draft.timed = false
	w.draft.text.Store(w.revising.written())
	return w.draft.save
}

// DraftEditor opens a text in the user's editor, which takes over the terminal. The text is in a file of its own
// before the editor starts, so that it survives a crash. done must be called afterwards with whether the editor
// failed; it returns the file's content and removes the file.
type DraftEditor func(ctx context.Context, text string) (command tea.ExecCommand, done func(failed bool) (string, error), err error)

// editDraft opens the composer's text in the user's editor.
func (w *writing) editDraft() tea.Cmd {
	edit, ctx, before, save := w.o.EditDraft, w.ctx, w.composer.Value(), w.saveDraft()
	return func() tea.Msg {
		save()
		command, done, err := edit(ctx, before)
		if err != nil {
			return hintMsg{text.Capital(err.Error())}
		}
		return loop.Do(func() tea.Cmd {
			return tea.Exec(command, func(err error) tea.Msg {
				edited, readErr := done(err != nil)
				return loop.Do(func() tea.Cmd { return w.editedDraft(before, edited, cmp.Or(err, readErr)) })
			})
		})
	}
}

// editedDraft takes over the edited text, or keeps the old one on error.
func (w *writing) editedDraft(before, text string, err error) tea.Cmd {
	if err != nil {
		return w.flash("The editor failed; your text is unchanged: "+err.Error(), 3*quitWindow)
	}
	if !strings.HasSuffix(before, "\n") { // editors end a file with a line break
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	switch now := w.composer.Value(); {
	case text == before:
	case now != before: // a text was restored in the meantime
		w.composer.SetValue(below(text, now))
	default:
		w.composer.SetValue(text)
	}
	w.questions.markTyped()
	return nil
}
