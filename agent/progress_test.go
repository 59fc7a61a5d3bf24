package agent

import (
	"context"
	"encoding/json"
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/tools"
)

// A message to the user completes a turn only where nothing was done since: one that said what
// was about to be done is no answer.
func TestEmptyStepAfterAMessage(t *testing.T) {
	const told = `{"message":"There are two notes."}`
	look := use("look", `{}`)
	nothing := say("")
	for _, c := range []struct {
		name    string
		replies []reply
		reason  event.StopReason
		calls   int
	}{
		{"at once", []reply{use(sendMessage, told), nothing}, event.StopCompleted, 2},
		{"beside a look", []reply{use("look", `{}`, sendMessage, told), nothing}, event.StopCompleted, 2},
		{"before a look", []reply{use(sendMessage, told), look, nothing, nothing}, event.StopNoProgress, 4},
		{"before a look, then an answer", []reply{use(sendMessage, told), look, nothing, say("Two.")}, event.StopCompleted, 4},
		{"a look between empty steps", []reply{nothing, look, nothing, look, nothing, say("Two.")}, event.StopCompleted, 6},
		{"nothing at all", []reply{nothing}, event.StopNoProgress, 2},
	} {
		h := start(t, state(t), box(fakeTool{name: "look", readOnly: true, call: func(context.Context, json.RawMessage) tools.Result { return tools.Result{Text: "seen"} }}), c.replies...)
		h.send("what is there")
		f := wait[event.TurnFinished](h)
		if f.StopReason != c.reason || len(h.model.calls()) != c.calls {
			t.Errorf("%s: ended %s after %d calls, want %s after %d", c.name, f.StopReason, len(h.model.calls()), c.reason, c.calls)
		}
		for _, turn := range h.turns() {
			for _, m := range turn.Messages {
				if m.Role == conversation.RoleAssistant && m.Content == "" && len(m.ToolCalls) == 0 {
					t.Errorf("%s: an empty answer is recorded", c.name)
				}
			}
		}
		h.stop()
	}
}

// What the user sends into a turn wants an answer of its own: one that was given before is none.
func TestEmptyStepAfterAFoldedMessage(t *testing.T) {
	var h *harness
	folded := false
	h = start(t, state(t), box(),
		func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if !folded {
				folded = true
				h.send("and the drafts?")
			}
			use(sendMessage, `{"message":"There are two notes."}`)(ctx, req, yield)
		}, say(""), say("No drafts."))
	h.send("what is there")
	if f := wait[event.TurnFinished](h); f.Response != "No drafts." || len(h.model.calls()) != 3 {
		t.Errorf("%+v after %d calls", f, len(h.model.calls()))
	}
}
