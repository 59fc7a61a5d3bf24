package agent

import (
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/window"
	"chatvault/internal/text"
)

// finishEndless is how a response ends that repeated itself without end and was cut.
const finishEndless llm.FinishReason = "endless"

// repetition watches the text and the reasoning of one response. The arguments of its calls are
// not watched: what a note is to hold may repeat itself, and llm.MaxArguments bounds it.
type repetition struct {
	text, reasoning repeat.Text
	shown           int // bytes of the text that were shown
}

// endlessPart is what of a response repeats itself.
type endlessPart string

const (
	endlessText      endlessPart = "answer"
	endlessReasoning endlessPart = "reasoning"
)

// check looks at the newest chunk. It returns what repeats itself, and how many bytes of it to
// keep; empty: nothing does.
func (w *repetition) check(c llm.Chunk) (part endlessPart, keep int) {
	if keep, found := w.text.Add(c.Text); found {
		return endlessText, keep
	}
	if keep, found := w.reasoning.Add(c.Reasoning); found {
		return endlessReasoning, keep
	}
	return "", 0
}

// cutShort is the response that is kept of one that repeats itself: its text up to one repeat,
// without its calls.
func (r *run) cutShort(req llm.Request, resp *response, w *repetition, part endlessPart, keep int) llm.Response {
	out := resp.whole()
	out.Finish = finishEndless
	if !out.HasUsage { // what is cut off was written all the same
		out.Usage, out.HasUsage = window.Estimate(req, out), true
	}
	out.ToolCalls = nil
	if part == endlessText {
		out.Text = text.Head(out.Text, keep)
		if w.shown < len(out.Text) && req.Purpose != llm.PurposeCompact {
			r.Emit(event.TextDelta{Meta: r.meta(), Text: out.Text[w.shown:]})
		}
	} else {
		out.Reasoning = text.Head(out.Reasoning, keep)
	}
	r.Log.Warn("a response repeated itself without end", "turn", r.TurnID, "provider", r.Provider.Name(), "part", string(part))
	r.notice("The model repeated itself without end, so its " + string(part) + " was cut off.")
	return out
}
