package pickers

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Column makes a column of what was said.
type Column func(history []session.HistoryItem) *list.List

// Branches is where a conversation went.
type Branches struct {
	*Base
	// Of gives them, the active one first.
	Of interface {
		Branches(ctx context.Context) ([]session.Branch, error)
	}
	Switch func(id string) tea.Cmd
	Column Column
	Makes  bool // a branch can be made, by /edit
}

// Open is /branches.
func (b *Branches) Open() tea.Cmd {
	return fetch(b.Base, "The branches could not be read: ", b.Of.Branches, b.Show)
}

// Show lists them.
func (b *Branches) Show(all []session.Branch) tea.Cmd {
	if len(all) < 2 {
		hint := "This conversation has no branches"
		if b.Makes {
			hint += "; /edit makes one: it edits and resends an earlier message"
		}
		return b.Flash(hint, sentence)
	}
	rows := make([]dialog.Row, len(all))
	for i, x := range all {
		rows[i] = dialog.Row{Label: branchName(x), Right: b.size(x), Here: x.Active, Result: do(func() { b.Read(x) }), Stays: true}
	}
	b.browse(dialog.NewPicker(b.env.Styles, "Branches of this conversation", "", rows, []string{
		"● current · Enter to open · Esc to close", "Enter to open · Esc to close",
	}))
	return nil
}

func branchName(b session.Branch) string {
	if b.First == "" {
		return "(nothing sent in it yet)"
	}
	return phrase.Line(b.First)
}

func (b *Branches) size(x session.Branch) string {
	return phrase.Join(text.Count(x.Turns, "turn"), phrase.Time(x.Ended, b.env.Now()))
}

// Read shows what is different in a branch.
func (b *Branches) Read(x session.Branch) {
	choices := []dialog.Choice{
		{Label: "Switch to it: the conversation continues from there", Short: "Switch to it", Result: loop.Do(func() tea.Cmd { return b.Switch(x.ID) })},
		{Label: "Back", Safe: true},
	}
	about := "It was left: " + b.size(x)
	if x.Active {
		choices, about = choices[1:], "The current one: "+b.size(x)
	}
	b.read(dialog.NewReader(b.env.Styles, branchName(x), about, b.Column(x.History), choices, nil, b.Writing()))
}
