package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/text"
)

func newConversationsDelete(s Streams, g *globals) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "delete ID", Short: "Delete a conversation for good", Args: oneID,
		Long: `Delete a conversation for good, with its branches and unfinished messages. You are asked first;
in scripts, use --yes. The active conversation cannot be deleted; chatvault ask begins another one.`,
		Example: "  chatvault conversations delete 20261121-1531",
		RunE:    func(_ *cobra.Command, args []string) error { return conversationsDelete(s, g, args[0], yes) },
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

func conversationsDelete(s Streams, g *globals, word string, yes bool) error {
	return withShelf(s, g, func(h *shelf) error {
		e, err := h.find(word)
		switch {
		case err != nil:
			return err
		case e.ID == h.active:
			return failure("%s is the active conversation, which the next message continues; nothing was deleted\nchatvault ask begins another one", e.ID)
		}
		if err := s.consented(fmt.Sprintf("Delete %s? This cannot be undone.", nameOf(e)), yes, "nothing was deleted"); err != nil {
			return err
		}
		if err := session.Delete(h.Dir(), e.ID); err != nil {
			return failure("conversation %s was not deleted: %v", e.ID, err)
		}
		return s.say("Deleted: " + nameOf(e))
	})
}

// nameOf returns a conversation's name in a sentence.
func nameOf(e conversation.Entry) string {
	return fmt.Sprintf("“%s” (%s, %s)", text.Excerpt(session.TitleOf(e), 60), e.Started.Local().Format(export.WhenLayout), text.Count(e.Turns, "turn"))
}

func conversationsClear(s Streams, g *globals, yes bool) error {
	return withShelf(s, g, func(h *shelf) error {
		ended := 0
		for _, e := range h.entries {
			if !e.Ended.IsZero() {
				ended++
			}
		}
		if ended == 0 {
			return s.say("No conversation has ended.")
		}
		if err := s.consented("Delete "+text.Count(ended, "ended conversation")+"? This cannot be undone.", yes, "nothing was deleted"); err != nil {
			return err
		}
		n, err := h.Clear()
		if err != nil {
			return failure("%s deleted; then: %v", text.Count(n, "conversation"), err)
		}
		return s.say("Deleted " + text.Count(n, "conversation") + ".")
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
	if s.confirmed(s.Err, question+" [y/N] ") {
		return nil
	}
	return failure("%s", kept)
}
