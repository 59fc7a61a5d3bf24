package session

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/internal/base/text"
)

// Begun reports whether work on the message began.
func (u Unfinished) Begun() bool { return u.Attempts > 0 || u.LastError != "" || u.ToolsRan }

// Resumes reports whether a message can be run again without asking: the user sent it less than fresh ago in this
// conversation, and the program exited before any tool ran.
func (u Unfinished) Resumes(now time.Time, fresh time.Duration) bool {
	direct := u.Message.Source == event.SourceDirect || u.Message.Source == ""
	return u.Same && direct && !u.ToolsRan && u.Attempts <= 1 && u.LastError == "" && now.Sub(u.Message.Time) < fresh
}

// Stands describes the message's state in a few words.
func (u Unfinished) Stands() string {
	how := "cut short as chatvault ended"
	switch {
	case !u.Begun():
		how = "still queued as chatvault ended"
	case u.LastError != "":
		how, _, _ = strings.Cut(text.OneLine(u.LastError), ". ")
		how = strings.TrimSuffix(how, ".")
	}
	if u.ToolsRan {
		how += ", after it changed something"
	}
	if u.Where != "" {
		how += ", " + u.Where
	}
	return how
}

// Did describes the changes of the message's turns, or returns "" if there can be none.
func (u Unfinished) Did() string {
	switch {
	case !u.ToolsRan:
		return ""
	case len(u.Changes) == 0:
		return "A note may have been changed when it ended: check before you retry."
	}
	return "It had " + text.First(u.Changes, 3) + " by then: that is not done again."
}

// InboxActions list unfinished messages and act on them. Their errors are sentences for the user.
type InboxActions interface {
	// List returns them, oldest first: those left by processes that ended, and those that failed in this one.
	List(ctx context.Context) ([]Unfinished, error)
	Retry(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
	// Open switches the chat to the conversation of a message and returns its last page.
	Open(ctx context.Context, id string) (Page, error)
}

// ListInbox returns the list of unfinished messages.
func ListInbox(ctx context.Context, in InboxActions) (*List, error) {
	all, err := in.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("the inbox could not be read: %w", err)
	}
	return &List{
		Name: "inbox", Title: "Unfinished messages", None: "There are no unfinished messages", Main: "retry",
		Items: listItems(all, func(u Unfinished) Item { return UnfinishedItem(in, u) }),
	}, nil
}

// UnfinishedItem returns the item of an unfinished message.
func UnfinishedItem(in InboxActions, u Unfinished) Item {
	name := text.Excerpt(u.Message.Text, 60)
	remove := func(edit bool, said string) func(context.Context, string) (Done, error) {
		return func(ctx context.Context, _ string) (Done, error) {
			return Done{Said: said, Removed: &u, Edit: edit, Changed: true}, in.Drop(ctx, u.Message.ID)
		}
	}
	actions := []Action{
		{Verb: "retry", Label: "Try it now", Usual: !u.ToolsRan, Do: func(context.Context, string) (Done, error) {
			return Done{Retry: &u}, nil
		}},
		{Verb: "edit", Label: "Edit it", Screen: true, Do: remove(true, "")},
		{Verb: "drop", Label: "Discard it", Do: remove(false, "Discarded: “"+name+"”")},
	}
	return Item{
		ID: u.Message.ID, Name: name, Below: []string{text.Capital(u.Stands())}, Find: text.Head(u.Message.Text, maxAbout),
		Read: func(context.Context) (Reading, error) {
			sent := HistoryItem{Role: HistoryUser, Content: u.Message.Text, Plan: u.Message.Mode == event.ModePlan}
			history := []HistoryItem{sent}
			if u.LastError != "" {
				history = append(history, HistoryItem{Role: HistoryError, Content: u.LastError})
			}
			about := text.Join(" ", text.Sentence(text.Capital(u.Stands())), u.Did())
			return Reading{About: about, History: history, Actions: actions}, nil
		},
	}
}

// Inbox holds the accepted messages that are not finished, of ended processes and of this one.
type Inbox struct {
	processor     *agent.Processor
	conversations *Conversations
	state         *os.Root
	log           *slog.Logger
	here          bool // only of the current conversation
}

// Recover returns the messages that earlier processes left, without those whose permanent failure a command reported,
// and warnings about invalid ones. It is called once, at the start.
func (b *Inbox) Recover() ([]Unfinished, []string, error) {
	pending, warnings, err := b.processor.Recover()
	return b.unfinished(slices.DeleteFunc(pending, func(p inbox.Entry) bool { return p.Reported })), warnings, err
}

// Retry runs a message again in its conversation.
func (b *Inbox) Retry(_ context.Context, id string) error {
	return b.processor.Retry(id)
}

// Open pins the session to the conversation of a message and returns the end of it.
func (b *Inbox) Open(_ context.Context, id string) (Page, error) {
	e, err := inbox.Open(b.state).Load(id)
	if err == nil {
		err = b.processor.GoTo(e)
	}
	if err != nil {
		return Page{}, err
	}
	c, err := b.conversations.manager.Active()
	if c == nil || err != nil {
		return Page{}, err
	}
	return b.conversations.lastPage(c), nil
}

// Drop removes a message.
func (b *Inbox) Drop(_ context.Context, id string) error {
	return b.processor.Drop(id)
}

// List returns the unfinished messages, oldest first.
func (b *Inbox) List(context.Context) ([]Unfinished, error) {
	pending, warnings, err := b.processor.Unfinished()
	for _, w := range warnings {
		b.log.Warn("the inbox is not all well", "text", w)
	}
	return b.unfinished(pending), err
}

func (b *Inbox) unfinished(pending []inbox.Entry) []Unfinished {
	var list []Unfinished
	for _, p := range pending {
		if p.LastError == inbox.EndedFirst { // an orderly exit that interrupted the turn
			p.LastError = ""
		}
		u := Unfinished{
			Message: p.Inbound, Attempts: p.Attempts, ToolsRan: p.ToolsRan, Changes: p.Changes, LastError: p.LastError, LastTried: p.LastTried,
		}
		switch at, err := b.processor.Where(p); {
		case err != nil:
			u.Where = err.Error()
		case at.Here:
			u.Same = at.Same
		case at.Conversation != nil:
			u.Where = "in “" + TitleOf(at.Conversation.Entry()) + "”"
		default:
			u.Where = "in a conversation of its own"
		}
		if !b.here || u.Where == "" {
			list = append(list, u)
		}
	}
	return list
}

// unsentDraft returns the draft unless it has been sent: a killed process may not have removed the draft of a message in
// the inbox.
func unsentDraft(draft string, pending []Unfinished) string {
	text := strings.TrimSpace(draft)
	for _, p := range pending {
		if strings.TrimSpace(p.Message.Text) == text {
			return ""
		}
	}
	return draft
}
