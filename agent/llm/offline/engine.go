// Package offline is the embedded engine: an llm.Provider that needs no key and no network.
// It is no language model and says so. It plans over the same tools, through the same agent
// loop, as a remote model does: each call it reads the history, works out what the user asked
// for (package grammar), and answers with tool calls or, when nothing is left to do, with text.
//
// It promises: the same history over the same notes gives the same response; nothing is said
// to be done that no tool result confirmed; a note is never overwritten, and a folder with
// notes in it never deleted, without a question or an approved plan that says so; what was denied
// is not tried in another way; a call that failed is not repeated while nothing else is done;
// every passage it quotes comes from a tool result in the history and is cited as [[Note]]
// (path:line).
package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/retrieval"
)

// Name is what the user knows the engine by.
const Name = "offline engine"

// Engine is the offline engine. It is safe for concurrent use; it keeps an index of the
// notes, and nothing of the conversations.
type Engine struct {
	index *retrieval.Index // of the notes: what it does not hold, the engine does not know
	now   func() time.Time // where a message carries no time
}

var (
	_ llm.Provider = (*Engine)(nil)
	_ llm.Windowed = (*Engine)(nil)
)

// New returns an engine over an index. It reads no note before the first request that needs one.
func New(index *retrieval.Index) *Engine { return &Engine{index, time.Now} }

// Name implements llm.Provider.
func (e *Engine) Name() string { return Name }

// window is what the engine takes in one call, in tokens: any history there is. It follows what
// was done by the results of the tools, so that none of them should be shortened for it.
const window = 100 << 20

// Window implements llm.Windowed.
func (e *Engine) Window() int { return window }

// Sees implements llm.Sighted: it reads words.
func (e *Engine) Sees(string) (sees, known bool) { return false, true }

// Stream implements llm.Provider.
func (e *Engine) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r, err := e.respond(ctx, req)
		if ctx.Err() != nil && err != nil {
			err = &llm.Error{Kind: llm.KindAborted, Err: context.Cause(ctx)}
		} else if err != nil {
			err = &llm.Error{Kind: llm.KindInvalidRequest, Final: true, Message: err.Error(), Err: err}
		}
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		if r.Text != "" && !yield(llm.Chunk{Text: r.Text}, nil) {
			return
		}
		finish := cmp.Or(r.Finish, llm.FinishStop)
		for i, c := range r.ToolCalls {
			finish = llm.FinishToolCalls
			if !yield(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}}, nil) {
				return
			}
		}
		yield(llm.Chunk{Usage: &llm.Usage{}, Finish: finish}, nil)
	}
}

// idPrefix begins the ids of the engine's calls.
const idPrefix = "offline-"

// toolCall makes the call of a tool, the n-th of a history, for a unit. The id is the same for the
// same place in a history.
func toolCall(n int, unit string, p planned) llm.ToolCall {
	raw, _ := json.Marshal(p.args) // of texts and numbers: it does not fail
	id := fmt.Sprintf("%s%d", idPrefix, n)
	if unit != "" {
		id += "-" + unit
	}
	return llm.ToolCall{ID: id, Name: p.name, Arguments: string(raw)}
}

// respond works out the response to a request.
func (e *Engine) respond(ctx context.Context, req llm.Request) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, ctx.Err()
	}
	history := turns(req.Messages)
	if len(history) == 0 {
		return llm.Response{Text: "Ask me something about your notes, or say **help**."}, nil
	}
	if text, ok := aside(req); ok {
		return llm.Response{Text: text}, nil
	}
	if err := e.index.Refresh(ctx); err != nil {
		return llm.Response{}, fmt.Errorf("the notes could not be read: %w", err)
	}
	if req.Purpose == llm.PurposeGoalCheck {
		return llm.Response{Text: e.checkGoal(req.Messages)}, nil
	}
	if done, ok := last(history).leftOut(); ok {
		return llm.Response{Finish: llm.FinishUnable, Text: "I cannot continue this request: its earlier steps were left out to save room (`context_window` is small for it). This much was done:\n\n" + done + "\n\nPlease check it, and ask for what is missing."}, nil
	}
	tools := map[string]bool{}
	for _, t := range req.Tools {
		if !req.NoCalls {
			tools[t.Name] = true
		}
	}
	s := e.newScript(ctx, history, req.Purpose, tools)
	if len(s.task.requests) == 0 {
		return s.response(s.atTheEnd(last(history))), nil
	}
	err := stopped(s.run)
	pause, paused := errors.AsType[*pauseError](err)
	switch {
	case ctx.Err() != nil:
		return llm.Response{}, ctx.Err()
	case paused:
		return pause.Response, nil
	case errors.Is(err, errNoTool) && s.sketch != nil:
		s.sayf("I could not look any further: %s. There may be more.", s.whyNoTool(err))
	case errors.Is(err, errNoTool):
		s.say(s.unfinished())
	case errors.Is(err, errDiverge):
		s.out = nil
		s.failf("%s", account(last(history).calls))
	case errors.Is(err, errAsked):
	case err != nil:
		return llm.Response{}, err
	case s.nothingLeft(history):
		return s.response(s.atTheEnd(last(history))), nil
	}
	if s.sketch != nil && !errors.Is(err, errDiverge) {
		return s.response(s.planText()), nil
	}
	if len(s.out) == 0 {
		s.say("Done.")
	}
	return s.response(strings.Join(s.out, "\n\n")), nil
}

// response is a text that ends the turn. A plan with a step is proposed, whatever else could not be done.
func (s *script) response(text string) llm.Response {
	if s.bad > 0 && (s.sketch == nil || len(s.sketch.steps) == 0) {
		return llm.Response{Text: text, Finish: llm.FinishUnable}
	}
	return llm.Response{Text: text}
}

// nothingLeft says whether the newest turn says to go on where there is nothing to go on with.
func (s *script) nothingLeft(history []turn) bool {
	newest := last(history)
	return s.task.root < len(history)-1 && repeats(newest.messages[0]) && len(newest.calls) == 0 && len(s.out) == 0
}

// atTheEnd is what is said where there is nothing to go on with.
func (s *script) atTheEnd(newest *turn) string {
	switch {
	case newest.towardGoal():
		if _, why, ok := strings.Cut(newest.messages[0].text, " Not met yet: "); ok {
			return "I cannot get any further toward the goal: " + strings.TrimSuffix(why, ".") + "."
		}
		return "I cannot get any further toward the goal: what I understand of it is done, or could not be done."
	case s.bad > 0:
		return "There is nothing more I can do for your last request: what is not done could not be done."
	}
	return "Nothing is left to do from your last request."
}

// whyNoTool says in half a sentence why a tool could not be called.
func (s *script) whyNoTool(err error) string {
	switch {
	case s.stuck != "":
		return "I went round in circles (" + s.stuck + ")"
	case len(s.tools) == 0:
		return "no more tools can be called now"
	}
	return missingTool(err)
}

// missingTool names the tool that an error says is missing.
func missingTool(err error) string {
	return "the tool " + strings.TrimPrefix(err.Error(), errNoTool.Error()+": ") + " is not offered at this step"
}

// unfinished is what is said when the script had to stop before its end.
func (s *script) unfinished() string {
	why, left := "That is as far as I got within the step limit for one message.", " "
	if s.stuck != "" {
		why = "I stopped, since I went round in circles: " + s.stuck + "."
	}
	if len(s.left) > 1 {
		left = " Not done yet:\n\n- " + strings.Join(s.left, "\n- ") + "\n\n"
	}
	return why + left + "Say **continue** and I will go on with the rest."
}

// account says what recorded calls did, where nothing better can be said.
func account(calls []call) string {
	var lines []string
	for _, c := range calls {
		first, _, _ := strings.Cut(c.result, "\n")
		if c.changes() && !c.failed {
			lines = append(lines, "- "+first)
		}
	}
	if len(lines) == 0 {
		return "I could not finish this request. Please ask again, in other words if you can."
	}
	return "This much was done:\n\n" + strings.Join(lines, "\n") + "\n\nPlease check it, and tell me what is still missing."
}
