package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/conversation"
)

func newConversations(s Streams, g *globals) *cobra.Command {
	c := group("conversations", "Past conversations: read, search, export, delete",
		newConversationsList(s, g), newConversationsSearch(s, g), newConversationsExport(s, g),
		newConversationsDelete(s, g), newConversationsClear(s, g))
	c.Long = `Past conversations: read, search, export and delete them.

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
		if p.state == nil {
			return do(h)
		}
		h.Manager = conversation.NewManager(p.state, conversation.Options{
			IdleTimeout: time.Duration(p.config.IdleMinutes.V) * time.Minute,
			Warn:        s.warn,
		})
		var err error
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

// find returns the conversation named by an ID, a prefix of one, "active" or "last".
func (c catalog) find(word string) (conversation.Entry, error) {
	word = strings.ToLower(strings.TrimSpace(word))
	id := word
	switch {
	case word == "last" && len(c.entries) > 0:
		id = c.entries[0].ID
	case word == "active" && c.active == "":
		return conversation.Entry{}, failure("no conversation is active: the next message begins a new one; the newest is called \"last\"")
	case word == "active":
		id = c.active
	}
	var found []conversation.Entry
	for _, e := range c.entries {
		if e.ID == id {
			return e, nil
		}
		if id != "" && strings.HasPrefix(e.ID, id) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return conversation.Entry{}, failure("there is no conversation %q; chatvault conversations list shows what there is", word)
	case 1:
		return found[0], nil
	}
	return conversation.Entry{}, failure("%q is the beginning of %d conversations; give more of it", word, len(found))
}

// oneID validates the argument of a command on one conversation.
var oneID = argCount(1, 1, `which conversation? Give its ID, the beginning of it, "last" or "active"; chatvault conversations list shows them`)
