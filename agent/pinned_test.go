package agent

import (
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/conversation"
)

// pinnedTo has a processor keep to a new conversation.
func pinnedTo(t *testing.T, h *harness) *harness {
	t.Helper()
	m := conversation.NewManager(h.root, conversation.Options{Pinned: conversation.NewID(time.Now())})
	if _, err := m.Pin(time.Now()); err != nil {
		t.Fatal(err)
	}
	h.opt.Conversations = m
	return h
}

// TestPinnedTurnsWaitForNobody: what goes on in one pinned conversation is nothing that another one
// waits for, or is told of.
func TestPinnedTurnsWaitForNobody(t *testing.T) {
	root := state(t)
	writing := func(e event.Event) bool { _, ok := e.(event.TextDelta); return ok }
	chat := start(t, root, box(), hang)
	chat.send("in the chat")
	chat.until(writing)
	first := pinnedTo(t, start(t, root, box(), hang, say("after the stop")))
	first.send("in the first window")
	first.until(writing)
	second := pinnedTo(t, start(t, root, box(), say("second"), say("third")))
	second.send("in the second window")
	if f := wait[event.TurnFinished](second); f.Response != "second" || f.ConversationID == first.opt.Conversations.Pinned() {
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
