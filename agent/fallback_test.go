package agent

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// A provider that took over goes on answering; the chosen one is tried again ten minutes later, and at once if it is
// chosen again.
func TestFallbackContinuesTheConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := failWith(llm.Error{Kind: llm.KindAuth, Status: 401, Message: "bad key"})
		second := &fakeModel{t: t, replies: []reply{say("two")}}
		root := state(t)
		h := start(t, root, box(), down, say("one"), down, say("one"))
		defer h.stop()
		h.opt.Fallback = []llm.Provider{named{second, "second"}}
		var told []string
		ask := func() string {
			h.send("go on")
			f := wait[event.TurnFinished](h)
			for _, e := range h.seen {
				switch e := e.(type) {
				case event.FellBack:
					told = append(told, "fell back to "+e.To)
				case event.TurnStarted:
					told = append(told, "tries "+e.Provider)
				case event.Notice:
					told = append(told, e.Text)
				}
			}
			h.seen = nil
			return f.Response
		}
		step := func(after time.Duration, answer string, calls int, want ...string) {
			t.Helper()
			time.Sleep(after)
			told = nil
			if got := ask(); got != answer || len(h.model.calls()) != calls || !slices.Equal(told, want) {
				t.Errorf("answered %q after %d calls of the first, told %q; want %q after %d, told %q", got, len(h.model.calls()), told, answer, calls, want)
			}
		}
		const took = "fake failed (auth_error (HTTP 401): bad key). second takes over."
		step(0, "two", 1, "tries fake", "fell back to second", took)
		step(5*time.Minute, "two", 1, "tries second")
		step(4*time.Minute, "two", 1, "tries second")
		step(time.Minute, "one", 2, "tries fake")
		step(0, "two", 3, "tries fake", "fell back to second", took)
		time.Sleep(time.Second)
		h.SetProvider(h.model)
		step(0, "one", 4, "tries fake")
	})
}
