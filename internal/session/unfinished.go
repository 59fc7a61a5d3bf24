package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/internal/text"
)

// Begun says whether work on a message began.
func (u Unfinished) Begun() bool { return u.Attempts > 0 || u.LastError != "" || u.ToolsRan }

// Resumes says whether a message can be run again without a word: the user typed it a moment ago in the
// conversation as it stands here, and the program ended before any tool ran.
func (u Unfinished) Resumes(now time.Time, fresh time.Duration) bool {
	direct := u.Message.Source == event.SourceDirect || u.Message.Source == ""
	return u.Same && direct && !u.ToolsRan && u.Attempts <= 1 && u.LastError == "" && now.Sub(u.Message.Time) < fresh
}

// Stands says in a few words how it stands.
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

// Did says what the message's turns are known to have changed.
func (u Unfinished) Did() string {
	if len(u.Changes) == 0 {
		return "A note may have been changed when it ended: check before you retry."
	}
	const shown = 3
	done := strings.Join(u.Changes[:min(len(u.Changes), shown)], ", ")
	if more := len(u.Changes) - shown; more > 0 {
		done += fmt.Sprintf(" and %d more", more)
	}
	return "It had " + done + " by then: that is not done again."
}

// Inbox holds the messages that were accepted and not finished: those of processes that ended and those
// that failed in this one.
type Inbox struct {
	processor     *agent.Processor
	conversations *Conversations
	state         *os.Root
	log           *slog.Logger
}

// Recover returns what earlier processes left, once, at the start, without what failed for good in a command that
// reported it; what is wrong with any is told as warnings.
func (b *Inbox) Recover() ([]Unfinished, []string, error) {
	pending, warnings, err := b.processor.Recover()
	return b.unfinished(slices.DeleteFunc(pending, func(p inbox.Entry) bool { return p.Reported })), warnings, err
}

// Retry has one worked on again, in its conversation. Its error says in plain words why it could not be.
func (b *Inbox) Retry(_ context.Context, id string) error {
	return b.plainly(id, b.processor.Retry(id))
}

// Open has the session keep to the conversation of one from now on, and returns the end of it.
func (b *Inbox) Open(_ context.Context, id string) (Page, error) {
	e, err := inbox.Open(b.state).Load(id)
	if err == nil {
		err = b.processor.GoTo(e)
	}
	if err != nil {
		return Page{}, b.plainly(id, err)
	}
	c, err := b.conversations.manager.Current()
	if c == nil || err != nil {
		return Page{}, err
	}
	return b.conversations.lastPage(c)
}

// Drop forgets one.
func (b *Inbox) Drop(_ context.Context, id string) error {
	return b.plainly(id, b.processor.Drop(id))
}

// List are the unfinished messages as they are now, oldest first.
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
		if p.LastError == inbox.EndedFirst { // in order, and in the middle all the same
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
		list = append(list, u)
	}
	return list
}

// Again is Retry where nobody else can have offered it.
func (a *Session) Again(id string) error { return a.processor.Retry(id) }

// plainly says why a message could not be retried or dropped where that is no fault: another
// chat had offered it, too.
func (b *Inbox) plainly(id string, err error) error {
	if err == nil {
		return nil
	}
	in := inbox.Open(b.state)
	p, loadErr := in.Load(id)
	switch {
	case errors.Is(loadErr, fs.ErrNotExist):
		return errors.New("it has been finished or removed")
	case loadErr == nil && in.Others(p):
		return errors.New("another open chatvault window has taken it")
	}
	return err
}

// unsent is a draft, unless it was sent: a process that is killed may have had no time left to
// forget the draft of a message that is in the inbox by then.
func unsent(draft string, pending []Unfinished) string {
	text := strings.TrimSpace(draft)
	for _, p := range pending {
		if strings.TrimSpace(p.Message.Text) == text {
			return ""
		}
	}
	return draft
}
