package pickers

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/find"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Lists shows the session's lists and their entries and runs the chosen actions.
type Lists struct {
	*Base
	Column  func(history []session.HistoryItem) *list.List // returns a column for a history
	GoOn    func(a session.Action) tea.Cmd                 // runs actions that change the chat itself
	Changes *Changes
	Titled  func(p session.Past) // called after a conversation was renamed

	of func(context.Context) (*session.List, error) // reads the open list
}

// Open reads and shows a list.
func (l *Lists) Open(of func(context.Context) (*session.List, error)) tea.Cmd {
	l.of = of
	return fetch(l.Base, "", of, l.Show)
}

// Show shows a list.
func (l *Lists) Show(of *session.List) tea.Cmd {
	if len(of.Items) == 0 {
		return l.Flash(of.None, sentence)
	}
	foot := []string{"Type to filter", "Enter to open", "Esc to close"}
	if of.Search != nil {
		foot = slices.Insert(foot, 1, "? and words to search all messages")
	}
	p := dialog.NewPicker(l.Env.Styles, of.Title, of.None, l.rows(of.Items, ""), foot)
	if of.Search != nil {
		p.Searches(func(query string) any { return loop.Do(func() tea.Cmd { return l.Search(of, query) }) })
	}
	l.browse(p)
	return nil
}

// rows returns the rows for items found by a query, which is empty without a search.
func (l *Lists) rows(items []session.Item, query string) []dialog.Row {
	rows := make([]dialog.Row, len(items))
	for i, it := range items {
		rows[i] = dialog.Row{
			ID: it.ID, Label: phrase.Line(it.Name), Right: l.facts(it), Below: text.Of(it.Below, phrase.Line), Here: it.Here, Find: it.Find,
			Result: loop.Do(func() tea.Cmd { return l.Look(it, query) }), Stays: true,
		}
		if len(it.Facts) > 0 {
			rows[i].Short = it.Facts[0]
		}
	}
	return rows
}

// facts returns the remarks shown next to an item's name.
func (l *Lists) facts(it session.Item) string {
	return phrase.Join(append(slices.Clone(text.Of(it.Facts, phrase.Line)), phrase.Time(it.Time, l.Env.Now()))...)
}

// Search searches the contents of all items. It cancels the search before.
func (l *Lists) Search(of *session.List, query string) tea.Cmd {
	if l.picker == nil {
		return nil
	}
	if l.cancel != nil {
		l.cancel()
	}
	ctx, cancel := context.WithCancel(l.Ctx)
	l.cancel = cancel
	p := l.picker
	search := func(context.Context) ([]session.Item, error) {
		defer cancel()
		return of.Search(ctx, query)
	}
	return loop.Then(ctx, search, func(found []session.Item, err error) tea.Cmd {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		p.Found(query, l.rows(found, query))
		if err != nil {
			return l.Flash("Not searched: "+err.Error(), long)
		}
		return nil
	})
}

// Look opens an item and scrolls to the first match of the query.
func (l *Lists) Look(it session.Item, query string) tea.Cmd {
	return fetch(l.Base, "It could not be read: ", it.Read, func(got session.Reading) tea.Cmd {
		if l.picker == nil {
			return nil // closed in the meantime
		}
		about := phrase.Join(got.About, l.facts(it))
		if got.Summary != "" {
			about += " — " + got.Summary
		}
		column := list.New(chat.Gap)
		if got.History != nil {
			column = l.Column(got.History)
		}
		for _, x := range got.Changes {
			column.Append(chat.NewChanged(l.Env, x.What, x.Note, x.Prose))
		}
		r := dialog.NewReader(l.Env.Styles, phrase.Line(it.Name), about, column, l.choices(got.Actions), nil, !l.Composer.Empty())
		if query != "" {
			r.Seek(find.NewWords(column, l.Env.Styles, query))
		}
		if len(got.Changes) > 0 {
			r.Fit()
		}
		l.read(r)
		return nil
	})
}

func (l *Lists) choices(actions []session.Action) []dialog.Choice {
	var choices []dialog.Choice
	for _, a := range actions {
		if a.Not == "" {
			choices = append(choices, dialog.Choice{
				Label: a.Label, Short: a.Short, Key: a.Key, Result: loop.Do(func() tea.Cmd { return l.Choose(a) }), Stays: a.Effect != session.EffectSwitch,
			})
		}
	}
	back := dialog.Choice{Label: "Back", Safe: true}
	if len(actions) > 0 && actions[0].Effect == session.EffectSwitch {
		return append(choices, back)
	}
	return append([]dialog.Choice{back}, choices...)
}

// Choose asks for the text or consent that an action needs and runs it.
func (l *Lists) Choose(a session.Action) tea.Cmd {
	do := func(text string) loop.Do { return func() tea.Cmd { return l.do(a, text) } }
	switch {
	case a.Effect != session.EffectNone && l.Busy():
		return l.Flash(turnRuns, sentence)
	case a.Asks != nil:
		ask := dialog.NewAsk(l.Env.Styles, a.Asks.Title, a.Asks.About, false, func(text string) any { return do(text) }, nil,
			"Enter to "+a.Verb, "Esc to cancel")
		ask.Begin(a.Asks.Begin)
		l.Dialogs.Push(ask)
		return nil
	case a.Consent != nil:
		c := a.Consent
		quoted := c.Items
		if c.Quoted != "" {
			quoted = append([]string{c.Quoted}, quoted...)
		}
		l.Dialogs.Push(dialog.NewConfirm(l.Env.Styles, c.Title, c.About, text.Of(quoted, phrase.Line), []dialog.Choice{{Label: c.Yes, Result: do("")}, {Label: c.No}}, 1, nil))
		return nil
	}
	return l.do(a, "")
}

func (l *Lists) do(a session.Action, text string) tea.Cmd {
	switch a.Effect {
	case session.EffectContinue, session.EffectSwitch:
		return l.GoOn(a)
	case session.EffectUndo:
		return l.Changes.undo(false, func(ctx context.Context) (session.Undone, error) {
			done, err := a.Do(ctx, text)
			return done.Undone, err
		})
	}
	work := func(ctx context.Context) (session.Done, error) { return a.Do(ctx, text) }
	return fetch(l.Base, "Not done: ", work, func(done session.Done) tea.Cmd {
		if done.Retitle != nil {
			l.Titled(*done.Retitle)
		}
		if !done.Changed {
			return l.Flash(done.Said, long)
		}
		l.stopReading()
		return tea.Batch(l.Flash(done.Said, sentence), fetch(l.Base, "", l.of, func(of *session.List) tea.Cmd {
			if l.picker != nil {
				l.picker.Refresh(l.rows(of.Items, ""))
			}
			return nil
		}))
	})
}
