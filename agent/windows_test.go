package agent

import (
	"os"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// openWindow starts a processor that has opened a new conversation.
func openWindow(t *testing.T, root *os.Root, replies ...reply) *harness {
	t.Helper()
	m := conversation.NewManager(root, conversation.Options{})
	if _, err := m.Open(conversation.NewID(time.Now()), time.Now()); err != nil {
		t.Fatal(err)
	}
	return startIn(t, root, m, box(), replies...)
}

// TestWindowLookupDoesNotBlock runs turns in several conversations: none waits for another one, or is told of its stops.
func TestWindowLookupDoesNotBlock(t *testing.T) {
	root := state(t)
	writing := func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok }
	chat := openWindow(t, root, hang)
	chat.send("in the chat")
	chat.until(writing)
	first := openWindow(t, root, hang, say("after the stop"))
	first.send("in the first window")
	first.until(writing)
	second := openWindow(t, root, say("second"), say("third"))
	second.send("in the second window")
	if f := wait[event.TurnFinished](second); f.Response != "second" || f.ConversationID == first.opt.Conversations.ID() {
		t.Errorf("%+v", f)
	}
	first.Stop()
	wait[event.TurnStopped](first)

	told := func(h *harness) bool {
		calls := h.model.calls()
		last := calls[len(calls)-1].Messages
		return strings.Contains(last[len(last)-1].Prompt(), "stopped the previous request")
	}
	second.send("more")
	if wait[event.TurnFinished](second); told(second) {
		t.Error("the second window is told of a stop in the first")
	}
	first.send("more")
	if wait[event.TurnFinished](first); !told(first) {
		t.Error("the first window is not told of its own stop")
	}
	if !chat.Busy() {
		t.Error("the chat's turn ended")
	}
}
