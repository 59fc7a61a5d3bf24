package pickers

import (
	"cmp"
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/dialog"
	"chatvault/tui/find"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Archive is what can be done with the vault's conversations.
type Archive interface {
	List(ctx context.Context) ([]session.Past, error)                   // the active one, then the newest first
	Search(ctx context.Context, query string) ([]session.Past, error)   // in all that was said, best first
	Read(ctx context.Context, id string) ([]session.HistoryItem, error) // all of one
	// Continue begins a conversation that continues one which has ended, and is it.
	Continue(ctx context.Context, id string) (session.Page, error)
	Rename(ctx context.Context, id, title string) error
	Delete(ctx context.Context, id string) error
	Export(ctx context.Context, id string) (path string, err error) // to a file of its own
}

// Conversations is those of the vault, looked through, read, renamed and deleted.
type Conversations struct {
	*Base
	Archive  Archive
	Column   Column
	Continue func(p session.Past) tea.Cmd // goes on with one
	Titled   func(p session.Past)         // one got another title
}

// Open is /conversations.
func (c *Conversations) Open() tea.Cmd { return c.list(c.Show) }

func (c *Conversations) list(show func(all []session.Past) tea.Cmd) tea.Cmd {
	return fetch(c.Base, "The conversations could not be read: ", c.Archive.List, show)
}

// Show lists them.
func (c *Conversations) Show(all []session.Past) tea.Cmd {
	foot := []string{
		"Type to filter, or ? and words to search all messages · Enter to open · Esc to close", "? searches messages · Enter to open · Esc to close",
		"Type to filter · Enter to open · Esc to close", "Enter to open · Esc to close",
	}
	p := dialog.NewPicker(c.env.Styles, "Conversations", "No conversations yet", c.rows(all, ""), foot)
	p.Searches(func(query string) any { return loop.Do(func() tea.Cmd { return c.Search(query) }) })
	c.browse(p)
	return nil
}

// rows lists them, as found by a query; empty: they were not searched for.
func (c *Conversations) rows(list []session.Past, query string) []dialog.Row {
	rows := make([]dialog.Row, len(list))
	for i, p := range list {
		rows[i] = dialog.Row{
			Label: phrase.Line(p.Name()), Right: c.size(p), Here: p.Here,
			Find: p.First + "\n" + p.Summary, Result: loop.Do(func() tea.Cmd { return c.Look(p, query) }), Stays: true,
		}
		for _, x := range p.Excerpts {
			rows[i].Below = append(rows[i].Below, phrase.Line(x))
		}
	}
	return rows
}

// size is how long a conversation was, and when or where it goes on.
func (c *Conversations) size(p session.Past) string {
	size := text.Count(p.Turns, "turn")
	switch {
	case p.Here:
		return size + " · now"
	case p.Elsewhere:
		return size + " · in another window"
	}
	return size + " · " + phrase.Time(cmp.Or(p.Ended, p.Last), c.env.Now())
}

// Search looks for words in all that was said; a search for what was typed before ends.
func (c *Conversations) Search(query string) tea.Cmd {
	if c.picker == nil {
		return nil
	}
	if c.cancel != nil {
		c.cancel()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.cancel = cancel
	p := c.picker
	search := func(context.Context) ([]session.Past, error) {
		defer cancel()
		return c.Archive.Search(ctx, query)
	}
	return loop.Then(ctx, search, func(found []session.Past, err error) tea.Cmd { return c.found(p, query, found, err) })
}

func (c *Conversations) found(p *dialog.Picker, query string, found []session.Past, err error) tea.Cmd {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	p.Found(query, c.rows(found, query))
	if err != nil {
		return c.Flash("Not searched: "+err.Error(), long)
	}
	return nil
}

// maxAbout is how much of a summary stands above what is read, in bytes.
const maxAbout = 2000

// Look reads a conversation, and where it was searched for, goes to what was.
func (c *Conversations) Look(p session.Past, query string) tea.Cmd {
	read := func(ctx context.Context) ([]session.HistoryItem, error) { return c.Archive.Read(ctx, p.ID) }
	return fetch(c.Base, "It could not be read: ", read, func(history []session.HistoryItem) tea.Cmd { return c.showOne(p, query, history) })
}

func (c *Conversations) showOne(p session.Past, query string, history []session.HistoryItem) tea.Cmd {
	if c.picker == nil {
		return nil // it was closed meanwhile
	}
	about := c.size(p)
	if p.Summary != "" {
		about += " — " + phrase.Head(p.Summary, maxAbout)
	}
	column := c.Column(history)
	r := dialog.NewReader(c.env.Styles, phrase.Line(p.Name()), about, column, c.choices(p), nil, c.Writing())
	if query != "" {
		r.Seek(find.NewWords(column, query))
	}
	c.read(r)
	return nil
}

func (c *Conversations) choices(p session.Past) []dialog.Choice {
	choices := []dialog.Choice{{Label: "Back", Safe: true}}
	add := func(can bool, label, short string, do loop.Do) {
		if can {
			choices = append(choices, dialog.Choice{Label: label, Short: short, Result: do, Stays: true})
		}
	}
	ended := !p.Ended.IsZero()
	add(!p.Here, "Continue it in a new conversation", "Continue it", func() tea.Cmd { return c.Continue(p) })
	add(true, "Rename it…", "Rename…", do(func() { c.AskName(p) }))
	add(true, "Export it to a file", "Export", func() tea.Cmd { return c.export(p) })
	add(ended, "Delete it…", "Delete…", do(func() { c.askToDelete(p) }))
	return choices
}

func (c *Conversations) export(p session.Past) tea.Cmd {
	export := func(ctx context.Context) (string, error) { return c.Archive.Export(ctx, p.ID) }
	return fetch(c.Base, notDone, export, func(path string) tea.Cmd { return c.Flash("Written to "+path, long) })
}

// notDone begins what is said of something that failed.
const notDone = "Not done: "

// AskName asks for another title of a conversation.
func (c *Conversations) AskName(p session.Past) {
	ask := dialog.NewAsk(c.env.Styles, "Rename this conversation", "What was it about, in a few words?", false, func(title string) any {
		return loop.Do(func() tea.Cmd { return c.rename(p, title) })
	}, nil, "Enter to rename · Esc to cancel", "Enter to rename")
	ask.Begin(p.Title)
	c.Push(ask)
}

func (c *Conversations) rename(p session.Past, title string) tea.Cmd {
	rename := func(ctx context.Context) (any, error) { return nil, c.Archive.Rename(ctx, p.ID, title) }
	return fetch(c.Base, notDone, rename, func(any) tea.Cmd {
		p.Title = title
		c.Titled(p)
		return c.changed("Renamed to “" + title + "”")
	})
}

func (c *Conversations) askToDelete(p session.Past) {
	c.Push(dialog.NewConfirm(c.env.Styles, "Delete this conversation?", "This cannot be undone.", phrase.Line(p.Name()), []dialog.Choice{
		{Label: "Delete it", Result: loop.Do(func() tea.Cmd { return c.remove(p) })}, {Label: "Keep it"},
	}, 1, nil, nil))
}

func (c *Conversations) remove(p session.Past) tea.Cmd {
	remove := func(ctx context.Context) (any, error) { return nil, c.Archive.Delete(ctx, p.ID) }
	return fetch(c.Base, notDone, remove, func(any) tea.Cmd { return c.changed("Deleted") })
}

// changed says what came of it, and shows the list as it is now.
func (c *Conversations) changed(done string) tea.Cmd {
	c.stopReading()
	return tea.Batch(c.Flash(done, sentence), c.list(func(all []session.Past) tea.Cmd {
		if c.picker != nil {
			c.picker.Refresh(c.rows(all, ""))
		}
		return nil
	}))
}
