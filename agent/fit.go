package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/window"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// view selects what of the history and the record is sent if they are too long.
type view struct {
	*run
	window.Shortener
	sent    int  // estimated tokens of the last request
	shown   bool // deltas of the last attempt were published
	refused bool // the provider refused the request as too long, and it is tried once more
}

// room returns the room in the answering provider's window.
func (v *view) room() window.Room { return v.windows.Room(v.Provider, v.configuredWindow()) }

// configuredWindow returns the configured window of the answering provider; zero if there is none.
func (v *view) configuredWindow() int {
	if v.Provider.Name() != v.windowOf.Name() { // another took over, or this is a sub-agent's
		return 0
	}
	return v.Window
}

// messages returns the messages of the next model call.
func (v *view) messages() []llm.Message { return v.Apply(v.whole()) }

// whole returns the messages of the next call before results are shortened.
func (v *view) whole() []llm.Message {
	var system []llm.Message
	if v.System != "" {
		system = []llm.Message{{Role: llm.RoleSystem, Content: v.System}}
	}
	return slices.Concat(system, history.Join(v.Past), v.Request, history.Messages(v.out.Messages))
}

// total estimates the next request.
func (v *view) total() int {
	return v.tokens(llm.Request{Messages: v.messages(), Tools: v.acts.specs()})
}

// tokens estimates a request as the model that answers now is sent it.
func (v *view) tokens(req llm.Request) int {
	req.Messages = v.model.seen(req.Messages)
	return window.RequestTokens(req)
}

// repeats reports whether repeating a call of the tool gives the same result without side effects. A sub-agent's
// report differs each time.
func (v *view) repeats(tool string) bool {
	t, known := v.box.Lookup(tool)
	return known && t.ReadOnly() && !tools.TraitsOf(tool).Delegates
}

// alters reports whether a tool may change the vault.
func (v *view) alters(tool string) bool {
	t, known := v.box.Lookup(tool)
	traits := tools.TraitsOf(tool)
	return known && !t.ReadOnly() && !traits.Speaks && !traits.Ends
}

// leastWorth is the minimum that a summary replaces after a request was refused, in tokens: a summary of less may be
// longer.
const leastWorth = 100

// fit makes the next request fit the model's window. An error ends the turn.
func (v *view) fit(ctx context.Context) error {
	room := v.room()
	if own := v.tokens(llm.Request{Messages: v.Apply(v.Request)}); room.Known && own > room.Window {
		return stillTooLong(v.notSent(own, room), messageTooLong)
	}
	n, err := v.shrink(ctx, room, v.total(), room.Worth)
	if err == nil && room.Known && n > room.Window {
		return stillTooLong(v.notSent(n, room), nothingOlder)
	}
	return err
}

// shrink makes a request of n tokens fit a room and returns its size: results of earlier steps are shortened first, then
// earlier turns of at least worth tokens are replaced by a summary, at last all results are shortened further.
func (v *view) shrink(ctx context.Context, room window.Room, n, worth int) (int, error) {
	if n > room.Shorten {
		n = v.Earlier(v.whole(), n, room.Shortened)
	}
	if n > room.Compact {
		if err := v.compact(ctx, room, worth); err != nil {
			return n, err
		}
		n = v.total()
	}
	if n > room.Compact {
		n = v.All(v.whole(), n, room.Compact)
	}
	return n, nil
}

// notSent returns the error for a request of n tokens that does not fit.
func (v *view) notSent(n int, room window.Room) *llm.Error {
	return &llm.Error{
		Kind: llm.KindInvalidRequest, Reason: llm.ReasonContextLength, First: true,
		Message: fmt.Sprintf("it was not sent: it has about %s, and %s takes %s", text.Count(n, "token"), v.Provider.Name(), text.Thousands(room.Window)),
	}
}

// Why a request cannot be made to fit.
const (
	messageTooLong = "and most of it is the message itself: put the text into a note, and ask about a part of it"
	nothingOlder   = "and the conversation has nothing older to leave out"
)

// makeRoom shortens the request after a call failed because it was too long, once per call. Nil means that another
// try is worthwhile. Other errors are returned unchanged.
func (v *view) makeRoom(ctx context.Context, err error) error {
	var e *llm.Error
	if ctx.Err() != nil || !errors.As(err, &e) || e.Reason != llm.ReasonContextLength {
		return err
	}
	if v.refused {
		return stillTooLong(e, "also after older messages were left out")
	}
	v.refused = true
	if v.shown { // the model had begun to answer: that is void
		v.model.retrying(1, 0, e)
	}
	v.windows.Refused(v.Provider.Name(), v.sent, e.Message)
	room, n := v.room(), v.total()
	before := n
	if v.sent > room.Compact { // in a window that small tools take fewer words, which may be enough
		before = v.sent
	}
	room.Compact = min(room.Compact, v.sent/2) // there is one more try, also if it fits by our own estimate
	room.Recent = min(room.Recent, room.Compact*3/10)
	room.Shorten, room.Shortened = room.Compact, room.Compact
	n, shrinkErr := v.shrink(ctx, room, n, max(leastWorth, v.sent/20))
	if shrinkErr != nil {
		return shrinkErr
	}
	if n < before || v.spent.Over(v.isSubagent()) != "" { // then the budget ends the turn
		return nil
	}
	if own := window.HistoryTokens(v.Request); own > before/2 {
		return stillTooLong(e, messageTooLong)
	}
	return stillTooLong(e, nothingOlder)
}

// stillTooLong returns a failure for the user, with the provider's words and the reason.
func stillTooLong(e *llm.Error, why string) *llm.Error {
	out := *e
	out.Message = fmt.Sprintf("the request is longer than the model takes, %s (%s)", why, e.Message)
	return &out
}

// compact replaces earlier turns by a summary, except the newest short ones. Less than worth tokens stay. It does nothing
// if the budget is spent.
func (v *view) compact(ctx context.Context, room window.Room, worth int) error {
	if v.spent.Over(v.isSubagent()) != "" {
		return nil
	}
	n := len(v.Past)
	for recent := room.Recent; n > 0; n-- {
		if recent -= window.HistoryTokens(v.Past[n-1].Messages); recent < 0 {
			break
		}
	}
	if n == 0 || n == 1 && v.Past[0].Summary != "" {
		return nil
	}
	return v.compactTurns(ctx, n, room, worth)
}

// compactTurns replaces the first n earlier turns by a summary, which is recorded for later turns, and publishes it.
func (v *view) compactTurns(ctx context.Context, n int, room window.Room, worth int) error {
	previous, older := v.Past[0].Summary, history.Join(v.Past[:n])
	said := older
	if previous != "" {
		said = history.Join(v.Past[1:n])
	}
	if window.HistoryTokens(said) < worth {
		return nil
	}
	before, through := v.total(), v.Past[n-1].Turn
	v.Emit(event.CompactStarted{Meta: v.meta()})
	summary, err := v.summarise(ctx, room, previous, said)
	replacement := history.Summary(through, summary)
	if err == nil && window.HistoryTokens(replacement.Messages) >= window.HistoryTokens(older) {
		err = errLongSummary
	}
	if err == nil && v.of != nil {
		err = v.host.recordSummary(v.of, through, summary)
	}
	if err != nil {
		if ctx.Err() != nil {
			v.Emit(event.CompactFailed{Meta: v.meta()})
			return context.Cause(ctx)
		}
		why := llm.Words(err)
		v.Emit(event.CompactFailed{Meta: v.meta(), Text: "The conversation could not be summarized: " + why})
		e := *llm.AsError(err)
		if errors.Is(err, errNothing) || errors.Is(err, errLongSummary) || e.Kind == llm.KindInvalidRequest && e.Reason == llm.ReasonNone {
			e.Kind, e.Reason = llm.KindInvalidRequest, llm.ReasonContextLength
		}
		e.Err, e.Message = err, "the conversation no longer fits the model, and its older part could not be summarized: "+why
		return &e
	}
	v.Past = append([]history.Past{replacement}, v.Past[n:]...)
	v.Forget(v.whole())
	v.Emit(event.Compacted{Meta: v.meta(), Summary: summary, Before: before, After: v.total()})
	return nil
}

// errLongSummary is the error for a summary that cannot be used.
var errLongSummary = errors.New("the summary is not shorter than what it would replace")

// summarise makes a summary of messages and of the previous summary with a model call without tools. Its input is bounded
// by the window.
func (v *view) summarise(ctx context.Context, room window.Room, previous string, messages []llm.Message) (string, error) {
	instructions, err := v.prompt(promptCompact, nil)
	if err != nil {
		return "", err
	}
	limit := max(room.Window/2-window.Tokens(instructions), window.Smallest/4)
	said := ""
	if previous != "" {
		previous = memory.Clip(previous, limit) // a quarter of the limit at most, in tokens
		said = "<summary_so_far>\n" + previous + "\n</summary_so_far>\n\n"
		limit -= window.Tokens(previous)
	}
	said += "<conversation>\n" + memory.Transcript(messages, limit) + "\n</conversation>\n\nWrite the summary, which replaces any summary so far."
	resp, err := v.model.callForText(ctx, llm.PurposeCompact, instructions, said)
	most := max(room.Window/5, window.Smallest/4) * 3 // bytes
	return memory.Clip(strings.TrimSpace(resp.Text), most), err
}

// promptCompact is the prompt that makes a summary.
const promptCompact = "compact"
