package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"chatvault/conversation"
	"chatvault/internal/session"
)

func newConversationsContinue(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "continue ID", Short: "Continue a conversation that has ended, in a new one", Args: oneID("continued"),
		Long: `Go on with a conversation that ended: a new one begins, which carries its summary and its last
messages, and is active then. The active one ends. What is continued stays as it is.`,
		Example: `  chatvault conversations continue 20261103-0912
  chatvault ask -c "and how high is the gate?"`,
		ValidArgsFunction: completeIDs(s, g, false),
		RunE:              func(_ *cobra.Command, args []string) error { return conversationsContinue(s, g, args[0]) },
	}
}

func conversationsContinue(s Streams, g *globals, word string) error {
	var e conversation.Entry
	err := withShelf(s, g, func(h *shelf) error {
		c, err := h.catalog()
		if err != nil {
			return err
		}
		e, err = c.find(word)
		switch {
		case err != nil:
			return err
		case e.ID == c.active:
			return failure("%s is the active conversation: chatvault ask -c \"…\" continues it", c.short[e.ID])
		case e.Ended.IsZero():
			return failure("%s has not ended, so it cannot be continued in another one", c.short[e.ID])
		}
		return nil
	})
	if err != nil {
		return err
	}
	a, err := open(s, g, session.Options{Name: "conversations", Place: session.Apart, LeaveGoal: true})
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
	catchUp(a, nil)
	return nil
}
