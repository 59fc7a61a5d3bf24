package agent

import (
	"unicode/utf8"

	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/window"
)

// finishEndless is how a response ends that repeated itself without end and was cut.
const finishEndless llm.FinishReason = "endless"

// repetition watches the text, the reasoning and the tool calls of one response.
type repetition struct {
	text, reasoning repeat.Text
	calls           map[*callText]*repeat.Text
	shown           int // bytes of the text that were shown
}

// watchedFrom is how many bytes of arguments a call has before it is watched: most are short.
const watchedFrom = 2 << 10

// endlessPart is what of a response repeats itself.
type endlessPart string

const (
	endlessText      endlessPart = "answer"
	endlessReasoning endlessPart = "reasoning"
	endlessCall      endlessPart = "tool call"
)

// check looks at the newest chunk, and the call it belongs to, if any. It returns what repeats
// itself, and how many bytes of it to keep; empty: nothing does.
func (w *repetition) check(c llm.Chunk, call *callText) (part endlessPart, keep int) {
	if keep, found := w.text.Add(c.Text); found {
		return endlessText, keep
	}
	if keep, found := w.reasoning.Add(c.Reasoning); found {
		return endlessReasoning, keep
	}
	if call == nil || call.arguments.Len() < watchedFrom {
		return "", 0
	}
	e := w.calls[call]
	if e == nil {
		if w.calls == nil {
			w.calls = map[*callText]*repeat.Text{}
		}
		e = &repeat.Text{}
		w.calls[call] = e
	}
	if _, found := e.Add(c.ToolCall.Arguments); found {
		return endlessCall, 0
	}
	return "", 0
}

// cutShort is the response that is kept of one that repeats itself: its text up to one repeat.
// Calls it was still writing are not run; where it wrote text, they are left out altogether.
func (r *run) cutShort(req llm.Request, resp *response, w *repetition, part endlessPart, keep int) llm.Response {
	out := resp.whole()
	out.Finish = finishEndless
	if !out.HasUsage { // what is cut off was written all the same
		out.Usage, out.HasUsage = window.Estimate(req, out), true
	}
	switch part {
	case endlessText:
		out.Text, out.ToolCalls = wholeRunes(out.Text, keep), nil
		if w.shown < len(out.Text) && req.Purpose != llm.PurposeCompact {
			r.Emit(TextDelta{r.meta(), out.Text[w.shown:]})
		}
	case endlessReasoning:
		out.Reasoning, out.ToolCalls = wholeRunes(out.Reasoning, keep), nil
	default:
		r.ids = resp.ids // the calls are answered, so their ids are taken
	}
	r.Log.Warn("a response repeated itself without end", "turn", r.TurnID, "provider", r.Provider.Name(), "part", string(part))
	r.notice("The model repeated itself without end, so its " + string(part) + " was cut off.")
	return out
}

// wholeRunes is text up to at most n bytes, without a character that would be cut.
func wholeRunes(text string, n int) string {
	n = min(n, len(text))
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
