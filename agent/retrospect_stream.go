package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
)

// telling publishes what a look back says as the model writes it.
type telling struct {
	publish             func(event.Event)
	conversation, title string

	whole string // as the model wrote it
	said  string // of that, what was published
}

func (t *telling) hear(e event.Event) {
	switch e := e.(type) {
	case event.TextDelta:
		t.whole += e.Text
		if more, ok := strings.CutPrefix(memory.Begun(t.whole), t.said); ok && more != "" {
			t.said += more
			t.publish(event.RetrospectionDelta{Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title, Text: more})
		}
	case event.Retry:
		t.cut("the model call failed and is made again")
	}
}

// cut says that there is no more of what was published.
func (t *telling) cut(why string) {
	if t.said != "" {
		t.publish(event.Retrospected{
			Meta: event.Meta{Time: time.Now()}, ConversationID: t.conversation, ConversationTitle: t.title,
			Content: strings.TrimSpace(t.said), Cut: why,
		})
	}
	t.whole, t.said = "", ""
}

// whyCut says why a look back ended before its end, for the user.
func whyCut(ctx context.Context, err error) string {
	var e *llm.Error
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopped):
		return "it was stopped"
	case errors.Is(cause, errShutdown):
		return "the program ended"
	case ctx.Err() != nil:
		return "it took too long"
	case errors.As(err, &e) && e.Message != "":
		return e.Message
	}
	return err.Error()
}
