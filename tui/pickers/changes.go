package pickers

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

// Changes undoes and restores changes of the vault.
type Changes struct {
	*Base
	Log     session.ChangeLog
	undoing bool // an undo or redo is running
}

// Undo handles /undo for a turn, given by its id or a prefix of it, or for the last turn if id is empty.
func (c *Changes) Undo(id string) tea.Cmd {
	if strings.ContainsAny(id, " \t\n") {
		return c.Flash("/undo takes the id of one turn: “chatvault changes” lists them. /changes offers the turns to pick from", long)
	}
	return c.undo(false, func(ctx context.Context) (session.Undone, error) { return c.Log.Undo(ctx, id) })
}

// Redo handles /redo.
func (c *Changes) Redo() tea.Cmd { return c.undo(true, c.Log.Redo) }

// undo runs an undo or redo. It refuses while a turn is running.
func (c *Changes) undo(redo bool, work func(context.Context) (session.Undone, error)) tea.Cmd {
	switch {
	case c.Busy():
		return c.Flash(turnRuns, sentence)
	case c.undoing:
		return c.Flash("Changes are already being undone", sentence)
	}
	c.undoing = true
	return loop.Then(c.Ctx, work, func(u session.Undone, err error) tea.Cmd { return c.undone(u, redo, err) })
}

// undone shows the result.
func (c *Changes) undone(u session.Undone, redo bool, err error) tea.Cmd {
	c.undoing = false
	c.Env.Citations.Invalidate()
	if err != nil && len(u.Lines)+len(u.Left) == 0 {
		return c.Flash(text.Capital(err.Error()), long)
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
	c.Announce(chat.NewUndone(c.Env, mark, title, u.Lines, u.Left, next, remarks...))
	if err != nil {
		c.Say(chat.NewError(c.Env, "It ended in the middle: "+err.Error()))
	}
	if c.picker != nil {
		c.Stop() // makes the result visible
	}
	return nil
}
