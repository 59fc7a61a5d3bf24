package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/find"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// lists shows the session's lists and their items above the chat, and runs the chosen actions. One list is open at a
// time. Reads and writes run in the background.
type lists struct {
	*shared
	talk     *talk
	sending  *sending
	revising *revising
	engine   *engine

	of      func(context.Context) (*session.List, error) // reads the open list
	picker  *dialog.Picker
	reader  *dialog.Reader // an item of the list, opened above it
	undoing bool           // an undo or redo is running
	next    string         // the folder of the vault to open after this chat; empty for none
}

// fetch reads in the background. If that fails, the status line shows failed and the error.
func fetch[T any](s *shared, failed string, read func(context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	return loop.Then(s.ctx, read, func(got T, err error) tea.Cmd {
		switch {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return s.flash(text.Capital(failed+err.Error()), 3*quitWindow)
		}
		return then(got)
	})
}

// open reads and shows a list.
func (l *lists) open(of func(context.Context) (*session.List, error)) tea.Cmd {
	return fetch(l.shared, "", of, func(got *session.List) tea.Cmd {
		l.of = of
		return l.show(got, "")
	})
}

// show shows a list with a filter text.
func (l *lists) show(of *session.List, filter string) tea.Cmd {
	if len(of.Items) == 0 {
		return l.flash(of.None, 2*quitWindow)
	}
	p := l.newPicker(of)
	p.Write(filter)
	l.close()
	l.picker = p
	l.dialogs.Push(p)
	var cmds []tea.Cmd
	if len(of.Warnings) > 0 {
		cmds = append(cmds, l.flash(phrase.Line(of.Warnings[0]), 3*quitWindow))
	}
	for _, load := range of.Load {
		cmds = append(cmds, func() tea.Msg {
			load(l.ctx)
			return loop.Do(func() tea.Cmd {
				p.Refresh(l.rows(of, of.Update(), ""))
				return nil
			})
		})
	}
	return tea.Batch(cmds...)
}

func (l *lists) newPicker(of *session.List) *dialog.Picker {
	foot := []string{"Type to filter", "Enter to open"}
	switch {
	case of.Hints != nil:
		foot = of.Hints
	case of.Items[0].Read == nil:
		foot[1] = "Enter to select"
	case of.Search != nil:
		foot = slices.Insert(foot, 1, "? and words to search all messages")
	}
	p := dialog.NewPicker(l.styles, of.Title, of.None, l.rows(of, of.Items, ""), append(slices.Clone(foot), "Esc to close"))
	if of.Search != nil {
		p.Searches(func(query string) any { return loop.Do(func() tea.Cmd { return l.search(of, query) }) })
	}
	if of.Other != nil {
		p.Other(loop.Do(l.other))
	}
	return p
}

// other shows the open list for its other scope.
func (l *lists) other() tea.Cmd {
	return fetch(l.shared, "", l.of, func(of *session.List) tea.Cmd {
		l.of = of.Other
		return l.refresh("")
	})
}

// refresh reads the open list again or, with a filter text, opens it again.
func (l *lists) refresh(filter string) tea.Cmd {
	return fetch(l.shared, "", l.of, func(of *session.List) tea.Cmd {
		switch {
		case filter != "":
			return l.show(of, filter)
		case len(of.Items) == 0:
			l.close()
		case l.picker != nil:
			l.picker.Title(of.Title)
			l.picker.Refresh(l.rows(of, of.Items, ""))
		}
		return nil
	})
}

// close closes the list and its item.
func (l *lists) close() {
	l.closeItem()
	if l.picker != nil {
		l.dialogs.Remove(l.picker)
	}
	l.picker = nil
}

func (l *lists) closeItem() {
	if l.reader != nil {
		l.dialogs.Remove(l.reader)
		l.reader = nil
	}
}

// rows returns the rows for items found by a query, which is empty without a search.
func (l *lists) rows(of *session.List, items []session.Item, query string) []dialog.Row {
	rows := make([]dialog.Row, len(items))
	for i, it := range items {
		rows[i] = dialog.Row{
			ID: it.ID, Label: phrase.Line(it.Name), Right: l.facts(it), Below: text.Of(it.Below, phrase.Line), Here: it.Here, Find: it.Find,
			Group: it.Group, Value: it.Value, Set: it.Set, Note: it.Note,
			Result: loop.Do(func() tea.Cmd { return l.pick(it, query) }), Stays: !of.Once || it.Do.Not != "",
		}
		if it.Reset != nil {
			rows[i].Reset = loop.Do(func() tea.Cmd { return l.choose(*it.Reset) })
		}
	}
	return rows
}

// facts returns the remarks shown next to an item's name.
func (l *lists) facts(it session.Item) string {
	return phrase.Join(append(text.Of(it.Facts, phrase.Line), phrase.Time(it.Time, l.now()))...)
}

// search searches the contents of all items.
func (l *lists) search(of *session.List, query string) tea.Cmd {
	p := l.picker
	if p == nil {
		return nil
	}
	search := func(ctx context.Context) ([]session.Item, error) { return of.Search(ctx, query) }
	return loop.Then(l.ctx, search, func(found []session.Item, err error) tea.Cmd {
		p.Found(query, l.rows(of, found, query))
		if err != nil && !errors.Is(err, context.Canceled) {
			return l.flash("Not searched: "+err.Error(), 3*quitWindow)
		}
		return nil
	})
}

// pick opens an item and scrolls to the first match of the query, or does its action.
func (l *lists) pick(it session.Item, query string) tea.Cmd {
	if it.Read == nil {
		return l.choose(*it.Do)
	}
	return fetch(l.shared, "It could not be read: ", it.Read, func(got session.Reading) tea.Cmd {
		about := phrase.Join(got.About, l.facts(it))
		if got.Summary != "" {
			about += " — " + got.Summary
		}
		column := list.New(chat.Gap)
		column.Append(l.talk.historyItems(got.History)...)
		for _, x := range got.Changes {
			column.Append(chat.NewChanged(l.env, x.What, x.Note, x.Prose))
		}
		l.closeItem()
		l.reader = dialog.NewReader(l.styles, phrase.Line(it.Name), about, column, l.choices(got.Actions), nil, !l.composer.Empty())
		if query != "" {
			l.reader.Seek(find.NewWords(column, l.styles, query))
		}
		l.dialogs.Push(l.reader)
		return nil
	})
}

// choices returns the possible actions and the way back. The first is marked: the usual action or, without one, the way
// back.
func (l *lists) choices(actions []session.Action) []dialog.Choice {
	var choices []dialog.Choice
	for _, a := range actions {
		if a.Not == "" {
			choices = append(choices, dialog.Choice{
				Label: a.Label, Key: a.Key, Result: loop.Do(func() tea.Cmd { return l.choose(a) }), Stays: a.Effect != session.EffectSwitch,
			})
		}
	}
	back := dialog.Choice{Label: "Back", Safe: true}
	if slices.ContainsFunc(actions, func(a session.Action) bool { return a.Usual }) {
		return append(choices, back)
	}
	return append([]dialog.Choice{back}, choices...)
}

// choose asks for the text or consent that an action needs and runs it.
func (l *lists) choose(a session.Action) tea.Cmd {
	switch {
	case a.Not != "":
		return l.flash(a.Not, 3*quitWindow)
	case a.Effect != session.EffectNone && l.busy():
		return l.flash(turnRuns, 2*quitWindow)
	case a.Choices != nil:
		l.dialogs.Push(l.newPicker(a.Choices))
		return nil
	case a.Asks != nil:
		return l.ask(a, a.Asks.Begin, "")
	case a.Consent != nil:
		c := a.Consent
		quoted := c.Items
		if c.Quoted != "" {
			quoted = append([]string{c.Quoted}, quoted...)
		}
		l.dialogs.Push(dialog.NewConfirm(l.styles, c.Title, c.About, text.Of(quoted, phrase.Line), []dialog.Choice{
			{Label: c.Yes, Result: loop.Do(func() tea.Cmd { return l.do(a, "") })}, {Label: c.No},
		}, 1, nil))
		return nil
	}
	return l.do(a, "")
}

// ask asks for the text of an action; wrong is the error of the previous attempt.
func (l *lists) ask(a session.Action, begin, wrong string) tea.Cmd {
	ask := dialog.NewAsk(l.styles, a.Asks.Title, a.Asks.About, a.Asks.Masked, func(text string) any {
		return loop.Do(func() tea.Cmd { return l.do(a, text) })
	}, nil, "Enter to "+a.Verb, "Esc to cancel")
	if !a.Asks.Masked {
		ask.Begin(begin)
	}
	ask.Say(text.Capital(wrong))
	l.dialogs.Push(ask)
	return nil
}

// do runs an action.
func (l *lists) do(a session.Action, text string) tea.Cmd {
	work := func(ctx context.Context) (session.Done, error) { return a.Do(ctx, text) }
	switch a.Effect {
	case session.EffectContinue, session.EffectSwitch:
		return l.revising.goOn(a)
	case session.EffectUndo:
		return l.undo(false, func(ctx context.Context) (session.Undone, error) {
			done, err := work(ctx)
			return done.Undone, err
		})
	}
	return loop.Then(l.ctx, work, func(done session.Done, err error) tea.Cmd {
		switch {
		case err != nil && a.Asks != nil:
			return l.ask(a, text, err.Error())
		case err != nil:
			return l.flash("Not done: "+err.Error(), 3*quitWindow)
		}
		return l.done(done)
	})
}

// done shows the result of an action.
func (l *lists) done(done session.Done) tea.Cmd {
	var keep tea.Cmd
	switch {
	case done.Retry != nil:
		l.close()
		return l.retry(*done.Retry)
	case done.Vault != "":
		return l.leaveFor(done.Vault)
	case done.Model != nil:
		done.Said = phrase.Join(l.engine.useModel(*done.Model), done.Said)
	case done.Setting != nil:
		l.settingCounts(done.Setting)
	case done.Retitle != nil:
		p := done.Retitle
		l.talk.conversationTitled(event.ConversationTitled{ID: p.ID, Title: p.Title, Summary: p.Summary})
	case done.Removed != nil:
		if keep = l.takenFromInbox(*done.Removed, done.Edit); done.Edit {
			l.close()
			return keep
		}
		done.Said += " · ↑ brings its text back"
	}
	if !done.Changed {
		return l.flash(done.Said, 3*quitWindow)
	}
	l.closeItem()
	if done.Long {
		l.announce(chat.NewNotice(l.env, done.Said))
		return l.refresh(done.Filter)
	}
	return tea.Batch(keep, l.flash(done.Said, 3*quitWindow), l.refresh(done.Filter))
}

// vault handles /vault: it opens the vault in a folder or lists the vaults.
func (l *lists) vault(dir string) tea.Cmd {
	if dir != "" {
		return l.choose(session.SwitchVault(dir, l.o.Vaults.Find))
	}
	return l.open(func(ctx context.Context) (*session.List, error) { return session.ListVaults(ctx, l.o.Vaults) })
}

// leaveFor ends this chat to open another vault, unless a turn has begun in the meantime.
func (l *lists) leaveFor(folder string) tea.Cmd {
	if l.busy() {
		return l.flash(turnRuns, 2*quitWindow)
	}
	l.next = folder
	return func() tea.Msg { return quitMsg{} }
}

// undoTurn handles /undo for a turn, given by its id or a prefix of it, for the last turn if id is empty, or for
// everything since a time.
func (l *lists) undoTurn(id string) tea.Cmd {
	from, err := session.SinceTime(id, time.Now())
	switch {
	case err == nil:
		return fetch(l.shared, "", func(ctx context.Context) (session.Action, error) { return session.UndoSince(ctx, l.o.Changes, from) }, l.choose)
	case strings.ContainsAny(id, ": \t\n"): // no turn's id does
		return l.flash(text.Capital(err.Error()), 3*quitWindow)
	}
	return l.undo(false, func(ctx context.Context) (session.Undone, error) { return l.o.Changes.Undo(ctx, id) })
}

// redo handles /redo.
func (l *lists) redo() tea.Cmd { return l.undo(true, l.o.Changes.Redo) }

// undo runs an undo or redo. It refuses while a turn is running.
func (l *lists) undo(redo bool, work func(context.Context) (session.Undone, error)) tea.Cmd {
	switch {
	case l.busy():
		return l.flash(turnRuns, 2*quitWindow)
	case l.undoing:
		return l.flash("Changes are already being undone", 2*quitWindow)
	}
	l.undoing = true
	return loop.Then(l.ctx, work, func(u session.Undone, err error) tea.Cmd { return l.undone(u, redo, err) })
}

// undone shows the result.
func (l *lists) undone(u session.Undone, redo bool, err error) tea.Cmd {
	l.undoing = false
	l.env.Citations.Invalidate()
	if err != nil && len(u.Lines)+len(u.Left) == 0 {
		return l.flash(text.Capital(err.Error()), 3*quitWindow)
	}
	mark, title, next := "↺", "Undone", "/redo restores it"
	if redo = redo || u.Restored; redo {
		mark, title, next = "↻", "Restored", "/undo reverts it"
	}
	if len(u.Lines) == 0 {
		mark, title, next = "✗", "Nothing was "+strings.ToLower(title), ""
	}
	if name := phrase.Line(u.Title); name != "" {
		title += ": “" + phrase.First(name) + "”"
	}
	l.announce(chat.NewUndone(l.env, mark, title, u.Lines, u.Left, next))
	if err != nil {
		l.appendItem(chat.NewError(l.env, "It ended in the middle: "+err.Error()))
	}
	if l.picker != nil {
		l.close() // makes the result visible
	}
	return nil
}
