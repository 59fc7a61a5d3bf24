package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// undoTurn handles /undo for a turn, given by its id or a prefix of it, or for the last turn if id is empty.
func (l *lists) undoTurn(id string) tea.Cmd {
	if strings.ContainsAny(id, " \t\n") {
		return l.flash("/undo takes the id of one turn: “chatvault changes” lists them. /changes offers the turns to pick from", 3*quitWindow)
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
	redo = redo || u.Restored
	if redo {
		mark, title, next = "↻", "Restored", "/undo reverts it"
	}
	if len(u.Lines) == 0 {
		mark, title, next = "✗", "Nothing was undone", ""
		if redo {
			title = "Nothing was restored"
		}
	}
	if name := phrase.Line(u.Title); name != "" {
		title += ": “" + phrase.First(name) + "”"
	}
	var remarks []string
	if !redo && err == nil && len(u.Lines) == 0 && len(u.Left) > 0 {
		remarks = []string{"/changes lists every turn, shows what it did and undoes it"}
	}
	l.announce(chat.NewUndone(l.env, mark, title, u.Lines, u.Left, next, remarks...))
	if err != nil {
		l.appendItem(chat.NewError(l.env, "It ended in the middle: "+err.Error()))
	}
	if l.picker != nil {
		l.close() // makes the result visible
	}
	return nil
}
