package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"chatvault/conversation"
	"chatvault/internal/session"
)

// settleTime is how long `ask` waits at its end for the title of the conversation before, which
// it ended. What takes longer is made up for by the next chat.
const settleTime = 2 * time.Second

// askTitles is how many titles `ask` makes up for that earlier processes left undone, within
// settleTime: where there is no chat, nobody else does.
const askTitles = 1

// catchUp lets the background finish what a turn that went well has left to it, and earlier
// processes, as far as there is time. A signal ends the
// wait, and changes nothing of how the program ends.
func catchUp(a *session.Session, err error) {
	var e *exitError
	if err != nil && (!errors.As(err, &e) || e.status != exitWaiting) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a.CatchUp(ctx, askTitles)
}

// noConversations stand for those of a vault that has none.
type noConversations struct{}

func (noConversations) Recent(int) ([]conversation.Entry, error) { return nil, nil }

func (noConversations) Get(string) (*conversation.Conversation, error) { return nil, fs.ErrNotExist }

func (noConversations) Search(context.Context, string, int) ([]conversation.Hit, error) {
	return nil, nil
}
