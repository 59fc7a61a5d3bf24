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
	"context"
	"encoding/json"
	"fmt"
	"iter"
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
		if r.text != "" && !yield(llm.Chunk{Text: r.text}, nil) {
			return
		}
		finish := llm.FinishStop
		for i, c := range r.calls {
			finish = llm.FinishToolCalls
			if !yield(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: i, ID: c.ID, Name: c.Name, Arguments: c.Arguments}}, nil) {
				return
			}
		}
		yield(llm.Chunk{Usage: &llm.Usage{}, Finish: finish}, nil)
	}
}

// response is what the engine answers a request with: text, or calls, or both.
type response struct {
	text  string
	calls []llm.ToolCall
}

// idPrefix begins the ids of the engine's calls.
const idPrefix = "offline-"

// toolCall makes the call of a tool, the n-th of a history, for a unit. The id is the same for the
// same place in a history.
func toolCall(n int, unit, name string, args args) llm.ToolCall {
	raw, _ := json.Marshal(args) // of texts and numbers: it does not fail
	id := fmt.Sprintf("%s%d", idPrefix, n)
	if unit != "" {
		id += "-" + unit
	}
	return llm.ToolCall{ID: id, Name: name, Arguments: string(raw)}
}
