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
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
)

func newConversationsDelete(s Streams, g *globals) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete ID…", Short: "Delete conversations for good",
		Long: `Delete conversations for good, with their branches. You are asked first; in scripts, use --yes.
The active conversation cannot be deleted; chatvault ask begins another one.`,
		Example: "  chatvault conversations delete 20261121-1531\n  chatvault conversations delete 20261121-1531 20261103-0912 --yes",
		Args:    argCount(1, math.MaxInt, "which conversation is to be deleted? chatvault conversations list shows their IDs; then: chatvault conversations delete ID"),
		RunE:    func(_ *cobra.Command, args []string) error { return conversationsDelete(s, g, args, yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func newConversationsClear(s Streams, g *globals) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "clear", Short: "Delete all conversations that have ended, for good", Args: cobra.NoArgs,
		Example: "  chatvault conversations clear\n  chatvault conversations clear --yes",
		RunE:    func(*cobra.Command, []string) error { return conversationsClear(s, g, yes) },
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func conversationsDelete(s Streams, g *globals, words []string, yes bool) error {
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
		if slices.Contains(ids, h.active) {
			return failure("%s is the active conversation, which the next message continues; nothing was deleted\nchatvault ask begins another one", h.active)
		}
		question := fmt.Sprintf("Delete %s? This cannot be undone.", nameOf(list[0]))
		if len(list) > 1 {
			question = fmt.Sprintf("%s\nDelete these %d conversations? This cannot be undone.", strings.Join(h.named(list), "\n"), len(list))
		}
		if err := s.consented(question, yes, "nothing was deleted"); err != nil {
			return err
		}
		left := session.Left(h.state)
		if _, err := h.EndLeft(time.Now(), "command", func(e conversation.Entry) bool { return left(e) && named(e) }); err != nil {
			return failure("%v", err)
		}
		for _, e := range list {
			if err := h.Delete(e.ID); err != nil {
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
	return fmt.Sprintf("“%s” (%s, %s)", excerpt(session.TitleOf(e), 60), e.Started.Local().Format(export.WhenLayout), count(e.Turns, "turn"))
}

func conversationsClear(s Streams, g *globals, yes bool) error {
	return withShelf(s, g, func(h *shelf) error {
		stays := ""
		if h.active != "" {
			stays = " The active one stays."
		}
		ended := len(h.which(func(e conversation.Entry) bool { return !e.Ended.IsZero() }))
		if ended == 0 {
			return s.say("No conversation has ended." + stays)
		}
		question := plural(ended, "Delete the one ended conversation?", fmt.Sprintf("Delete all %d ended conversations?", ended)) + " This cannot be undone." + stays
		if err := s.consented(question, yes, "nothing was deleted"); err != nil {
			return err
		}
		n, err := h.Clear()
		if err != nil {
			return failure("%s deleted; then: %v", count(n, "conversation"), err)
		}
		return s.say("Deleted " + count(n, "conversation") + "." + stays)
	})
}

// consented asks for consent unless yes is set. It returns the error kept if consent is not given.
func (s Streams) consented(question string, yes bool, kept string) error {
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
	return failure("%s", kept)
}
