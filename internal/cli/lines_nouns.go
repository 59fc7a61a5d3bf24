package cli

import (
	"context"

	"chatvault/agent"
	"chatvault/internal/session"
	"chatvault/tui"
)

// What the screen is given function by function, the chat as lines asks for by its nouns.

type lineChat struct {
	*agent.Processor
	o       tui.Options
	copying tui.Copying
}

func (c lineChat) Load(ctx context.Context) (session.Loaded, error)   { return c.o.Load(ctx) }
func (c lineChat) Custom(ctx context.Context) (session.Custom, error) { return c.o.Custom(ctx) }

type lineConversations struct{ lineChat }

func (c lineConversations) List(ctx context.Context) ([]session.Past, error) {
	return c.o.Conversations.List(ctx)
}

func (c lineConversations) Search(ctx context.Context, query string) ([]session.Past, error) {
	return c.o.Conversations.Search(ctx, query)
}

func (c lineConversations) Read(ctx context.Context, id string) ([]session.HistoryItem, error) {
	return c.o.Conversations.Read(ctx, id)
}

func (c lineConversations) Continue(ctx context.Context, id string) (session.Page, error) {
	return c.o.Conversations.Continue(ctx, id)
}

func (c lineConversations) Rename(ctx context.Context, id, title string) error {
	return c.o.Conversations.Rename(ctx, id, title)
}

func (c lineConversations) Delete(ctx context.Context, id string) error {
	return c.o.Conversations.Delete(ctx, id)
}

func (c lineConversations) Export(ctx context.Context, id string) (string, error) {
	return c.o.Conversations.Export(ctx, id)
}

func (c lineConversations) History(ctx context.Context) ([]session.HistoryItem, error) {
	return c.o.History(ctx)
}

func (c lineConversations) Transcript(ctx context.Context) (string, error) {
	return c.copying.Transcript(ctx)
}

func (c lineConversations) Fork(ctx context.Context, id string) (session.Moved, error) {
	return c.o.Fork(ctx, id)
}

func (c lineConversations) Branches(ctx context.Context) ([]session.Branch, error) {
	return c.o.Branches(ctx)
}

func (c lineConversations) Switch(ctx context.Context, id string) (session.Moved, error) {
	return c.o.Switch(ctx, id)
}

func (c lineConversations) New(ctx context.Context) error { return c.o.NewConversation(ctx) }
func (c lineConversations) Compact() error                { return c.o.Compact() }
func (c lineConversations) Retrospect() error             { return c.o.Retrospect() }

func (c lineConversations) ExportActive(ctx context.Context, file string) (string, error) {
	return c.o.Export(ctx, file)
}

type lineChanges struct{ tui.Changes }

func (c lineChanges) List(ctx context.Context) ([]session.ChangedTurn, error) {
	return c.Changes.List(ctx)
}

func (c lineChanges) Show(ctx context.Context, id string) ([]session.ShownChange, error) {
	return c.Changes.Show(ctx, id)
}

func (c lineChanges) Undo(ctx context.Context, id string) (session.Undone, error) {
	return c.Changes.Undo(ctx, id)
}

func (c lineChanges) Redo(ctx context.Context) (session.Undone, error) { return c.Changes.Redo(ctx) }

type lineInbox struct{ o tui.Options }

func (i lineInbox) List(ctx context.Context) ([]session.Unfinished, error) {
	return i.o.Unfinished(ctx)
}
func (i lineInbox) Retry(ctx context.Context, id string) error { return i.o.Retry(ctx, id) }
func (i lineInbox) Drop(ctx context.Context, id string) error  { return i.o.Drop(ctx, id) }

type lineSettings struct{ o tui.Options }

func (s lineSettings) List(ctx context.Context) ([]session.Setting, []string) {
	return s.o.Settings.List(ctx)
}

func (s lineSettings) Set(ctx context.Context, key string, typed *string, inVault bool) (string, error) {
	return s.o.Settings.Set(ctx, key, typed, inVault)
}

func (s lineSettings) Architecture(text string) (session.SettingChange, error) {
	return s.o.Architecture(text)
}

type lineTrust struct{ t *tui.Trust }

func (t lineTrust) Look(ctx context.Context) (what, whole string, err error) { return t.t.Look(ctx) }
func (t lineTrust) Answer(agreed bool) error                                 { return t.t.Answer(agreed) }

type lineRouting struct{ r *tui.Routing }

func (r lineRouting) On() error { return r.r.On() }
func (r lineRouting) Off()      { r.r.Off() }

type lineCopying struct{ c tui.Copying }

func (c lineCopying) Copy(ctx context.Context, text string) (session.Copied, error) {
	return c.c.Copy(ctx, text)
}
