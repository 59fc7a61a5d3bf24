package repeat

// maxEmptySteps is how many empty steps in a row end a turn; each but the last is answered with
// a nudge.
const maxEmptySteps = 2

// NudgeText asks again after an empty step.
const NudgeText = "(Your last response was empty. Answer the user, or call a tool.)"

// Reply is a model step without tool calls, as the goal evaluator of a turn sees it.
type Reply struct {
	Answer bool // it says something
	Told   bool // the step before told the user something, or asked; nothing was asked since
	Empty  int  // empty steps in a row, this one included
	Last   bool // no further model call is allowed
}

// Verdict is what becomes of a turn.
type Verdict int

// The verdicts.
const (
	Complete Verdict = iota
	Nudge            // the model is asked again
	Stuck            // it ends: nothing comes of it
)

// After says whether a turn is complete after a step without tool calls: an answer, or a
// message to the user just before, completes it. An empty step is answered with a nudge, as
// long as there are not too many of them.
func After(s Reply) Verdict {
	switch {
	case s.Answer, s.Told, s.Last:
		return Complete
	case s.Empty < maxEmptySteps:
		return Nudge
	}
	return Stuck
}
