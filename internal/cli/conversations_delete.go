package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/session"
	"chatvault/internal/session/telling"
)

type deleteOptions struct{ yes, end bool }

func newConversationsDelete(s Streams, g *globals) *cobra.Command {
	var o deleteOptions
	c := &cobra.Command{
		Use: "delete ID…", Short: "Delete conversations for good",
		Long: `Delete conversations for good, with their branches. You are asked first; where nobody can be
asked, say --yes. The active conversation is deleted only with --end, which ends it.`,
		Example:           "  chatvault conversations delete 20261121-1531\n  chatvault conversations delete 20261121-1531 20261103-0912 --yes",
		Args:              argCount(1, math.MaxInt, "which conversation is to be deleted? chatvault conversations list shows their IDs; then: chatvault conversations delete ID"),
		ValidArgsFunction: completeIDs(s, g, true),
		RunE:              func(_ *cobra.Command, args []string) error { return conversationsDelete(s, g, args, o) },
	}
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&o.end, "end", false, "end the active conversation first, if it is among them")
	return c
}

func newConversationsClear(s Streams, g *globals) *cobra.Command {
	var yes, all bool
	c := &cobra.Command{
		Use: "clear", Short: "Delete all conversations that have ended, for good", Args: cobra.NoArgs,
		Example: "  chatvault conversations clear\n  chatvault conversations clear --all --yes",
		RunE:    func(*cobra.Command, []string) error { return conversationsClear(s, g, yes, all) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.Flags().BoolVar(&all, "all", false, "the active one, too, which ends it")
	return c
}

func conversationsDelete(s Streams, g *globals, words []string, o deleteOptions) error {
	return withShelf(s, g, func(h *shelf) error {
		var ids []string
		for _, word := range words {
			e, err := h.find(word)
			if err != nil {
				return err
			}
			ids = append(ids, e.ID)
		}
		named := func(e conversation.Entry) bool { return slices.Contains(ids, e.ID) }
		list := h.which(named)
		active := slices.Contains(ids, h.active)
		if active && !o.end {
			return failure("%s is the active conversation, which the next message continues; nothing was deleted\nTo end it and delete it: chatvault conversations delete --end %s", h.short[h.active], h.short[h.active])
		}
		question := fmt.Sprintf("Delete %s? This cannot be undone.", nameOf(list[0]))
		if len(list) > 1 {
			question = fmt.Sprintf("%s\nDelete these %d conversations? This cannot be undone.", strings.Join(h.named(list), "\n"), len(list))
		}
		if err := s.consented(question, o.yes); err != nil {
			return err
		}
		if err := h.endLeft(active, named); err != nil {
			return err
		}
		for _, e := range list {
			err := h.Delete(e.ID)
			if err != nil {
				return failure("conversation %s was not deleted: %v", e.ID, err)
			}
			if err := s.say("Deleted: " + nameOf(e)); err != nil {
				return err
			}
		}
		return nil
	})
}

// nameOf returns a conversation's name in a sentence.
func nameOf(e conversation.Entry) string {
	return fmt.Sprintf("“%s” (%s, %s)", excerpt(session.TitleOf(e), 60), e.Started.Local().Format(telling.WhenLayout), count(e.Turns, "turn"))
}

// endLeft ends the named conversations that are open nowhere. active requires that the active one is.
func (h *shelf) endLeft(active bool, named func(conversation.Entry) bool) error {
	left := session.Left(h.state)
	if active && !left(conversation.Entry{ID: h.active}) {
		return failure("it is open in another chatvault; nothing was deleted. Close that, and try again")
	}
	if _, err := h.EndLeft(time.Now(), "command", func(e conversation.Entry) bool { return left(e) && named(e) }); err != nil {
		return failure("%v", err)
	}
	return nil
}

func conversationsClear(s Streams, g *globals, yes, all bool) error {
	return withShelf(s, g, func(h *shelf) error {
		ended, stays := len(h.which(func(e conversation.Entry) bool { return !e.Ended.IsZero() })), ""
		question := "Delete all conversations, the active one included? This cannot be undone."
		if all = all && ended < len(h.entries); !all {
			if h.active != "" {
				stays = " The active one stays."
			}
			if ended == 0 {
				return s.say("No conversation has ended." + stays)
			}
			question = plural(ended, "Delete the one ended conversation?", fmt.Sprintf("Delete all %d ended conversations?", ended)) +
				" This cannot be undone." + stays
		}
		if err := s.consented(question, yes); err != nil {
			return err
		}
		if all { // what is open in a window stays
			if err := h.endLeft(h.active != "", func(conversation.Entry) bool { return true }); err != nil {
				return err
			}
		}
		n, err := h.Clear()
		if err != nil {
			return failure("%s deleted; then: %v", count(n, "conversation"), err)
		}
		return s.say("Deleted " + count(n, "conversation") + "." + stays)
	})
}

// consented asks for consent unless yes is set. It returns an error if consent is not given.
func (s Streams) consented(question string, yes bool) error {
	if yes {
		return nil
	}
	if !s.attended() {
		return usageError("%s\nNobody can be asked here; use --yes", question)
	}
	switch agreed, err := s.confirmed(s.Err, question+" [y/N] "); {
	case agreed:
		return nil
	case err != nil && !errors.Is(err, io.EOF):
		return failure("your answer could not be read: %v", err)
	}
	return failure("nothing was deleted")
}
