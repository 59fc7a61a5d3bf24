package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
)

func newConversations(s Streams, g *globals) *cobra.Command {
	c := group("conversations", "Past conversations: read, search, continue, export, delete",
		newConversationsList(s, g), newConversationsShow(s, g), newConversationsSearch(s, g), newConversationsContinue(s, g), newConversationsExport(s, g),
		newConversationsDelete(s, g), newConversationsClear(s, g))
	c.Long = `Past conversations: read, search, continue, export and delete them.

Where an ID is asked for, its first characters will do, as far as no other conversation has
them too; "active" is the conversation that goes on with the next message, "last" the newest.`
	return c
}

// shelf holds a vault's conversations, for commands that do not use the agent.
type shelf struct {
	*place
	*conversation.Manager // nil if there is no conversation yet
	catalog
}

// withShelf runs do with the open conversations.
func withShelf(s Streams, g *globals, do func(*shelf) error) error {
	return withPlace(s, g, func(p *place) error {
		h := &shelf{place: p}
		history, err := home.OpenHistory(p.config, p.Dir(), false)
		if errors.Is(err, fs.ErrNotExist) {
			return do(h)
		}
		if err != nil {
			return failure("%v", err)
		}
		defer func() { _ = history.Close() }()
		h.Manager = conversation.NewManager(history, conversation.Options{
			IdleTimeout: time.Duration(p.config.IdleMinutes.V) * time.Minute,
			Warn:        s.warn,
		})
		if h.catalog, err = catalogOf(h.Manager); err != nil {
			return failure("%v", err)
		}
		return do(h)
	})
}

// catalog lists the conversations, newest first.
type catalog struct {
	entries []conversation.Entry
	active  string // ID of the last used one that has not ended; empty if there is none
}

func catalogOf(m *conversation.Manager) (c catalog, err error) {
	if c.entries, err = m.List(); err != nil {
		return c, err
	}
	slices.SortStableFunc(c.entries, func(a, b conversation.Entry) int { return b.Started.Compare(a.Started) })
	var last time.Time
	for _, e := range c.entries {
		if e.Ended.IsZero() && e.Last.After(last) {
			c.active, last = e.ID, e.Last
		}
	}
	return c, nil
}

// which returns the conversations for which is returns true.
func (c catalog) which(is func(conversation.Entry) bool) (found []conversation.Entry) {
	for _, e := range c.entries {
		if is(e) {
			found = append(found, e)
		}
	}
	return found
}

// The words that name a conversation without its ID.
const (
	wordActive = "active"
	wordLast   = "last"
)

// find returns the conversation named by an ID, a prefix of one, "active" or "last".
func (c catalog) find(word string) (conversation.Entry, error) {
	word = strings.ToLower(strings.TrimSpace(word))
	switch {
	case len(c.entries) == 0:
		return conversation.Entry{}, failure("there are no conversations in this vault yet")
	case word == wordLast:
		return c.entries[0], nil
	case word == wordActive && c.active == "":
		return conversation.Entry{}, failure("no conversation is active: the next message begins a new one; the newest is called %q", wordLast)
	case word == wordActive:
		word = c.active
	}
	if i := slices.IndexFunc(c.entries, func(e conversation.Entry) bool { return e.ID == word }); i >= 0 {
		return c.entries[i], nil
	}
	found := c.which(func(e conversation.Entry) bool { return word != "" && strings.HasPrefix(e.ID, word) })
	switch len(found) {
	case 0:
		return conversation.Entry{}, failure("there is no conversation %q; chatvault conversations list --all shows what there is", word)
	case 1:
		return found[0], nil
	}
	return conversation.Entry{}, failure("%q is the beginning of %d conversations; give more of it:\n%s", word, len(found), strings.Join(c.named(found), "\n"))
}

// maxNamed is the maximum number of conversations or turns named in a message.
const maxNamed = 10

// named returns a line for each conversation.
func (c catalog) named(list []conversation.Entry) []string {
	return firstLines(text.Of(list, func(e conversation.Entry) string {
		return e.ID + "  " + excerpt(session.TitleOf(e), 60)
	}))
}

// firstLines indents lines and truncates them to maxNamed.
func firstLines(lines []string) []string {
	if more := len(lines) - maxNamed; more > 1 {
		lines = append(lines[:maxNamed:maxNamed], fmt.Sprintf("… and %d more", more))
	}
	return text.Of(lines, func(line string) string { return "  " + line })
}

// told returns the conversation that a word names.
func (h *shelf) told(word string) (*conversation.Conversation, error) {
	e, err := h.find(word)
	if err != nil {
		return nil, err
	}
	c, err := h.Get(e.ID)
	if err != nil {
		return nil, failure("conversation %s cannot be read: %v", e.ID, err)
	}
	return c, nil
}

// oneID validates the argument of a command on one conversation.
func oneID(does string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return usageError("which conversation is to be %s? One ID, its beginning, %q or %q; chatvault conversations list shows them\nRun '%s --help' for usage.",
			does, wordLast, wordActive, c.CommandPath())
	}
}

func newConversationsContinue(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "continue ID", Short: "Continue a conversation that has ended", Args: oneID("continued"),
		Long: `Go on with a conversation that ended: it is the active one again, and the one that was active ends.`,
		Example: `  chatvault conversations continue 20261103-0912
  chatvault ask -c "and how high is the gate?"`,
		RunE: func(_ *cobra.Command, args []string) error { return conversationsContinue(s, g, args[0]) },
	}
}

func conversationsContinue(s Streams, g *globals, word string) error {
	var e conversation.Entry
	err := withShelf(s, g, func(h *shelf) (err error) {
		e, err = h.find(word)
		switch {
		case err != nil:
			return err
		case e.ID == h.active:
			return failure("%s is the active conversation: chatvault ask -c \"…\" continues it", e.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	a, err := open(s, g, session.Options{Name: "conversations", LeaveGoal: true})
	if err != nil {
		return err
	}
	defer a.Close()
	if _, err := a.Conversations.Continue(context.Background(), e.ID); err != nil {
		return failure("conversation %s was not continued: %v", e.ID, err)
	}
	if _, err := fmt.Fprintf(s.Out, "Continued: %s\nContinue it: chatvault ask -c \"…\"\n", nameOf(e)); err != nil {
		return err
	}
	catchUp(s, a, nil)
	return nil
}
