package agent

// maxEmptySteps is how many empty steps in a row end a turn; each but the last is answered with
// a nudge.
const maxEmptySteps = 2

// nudgeText asks again after an empty step.
const nudgeText = "(Your last response was empty. Answer the user, or call a tool.)"

// answerStep is a model step without tool calls, as the goal evaluator of a turn sees it.
type answerStep struct {
	Answer bool // it says something
	Told   bool // the step before told the user something, or asked; nothing was asked since
	Empty  int  // empty steps in a row, this one included
	Last   bool // no further model call is allowed
}

// verdict is what becomes of a turn.
type verdict int

const (
	turnComplete verdict = iota
	turnNudge            // the model is asked again
	turnStuck            // it ends: nothing comes of it
)

// turnAfter says whether a turn is complete after a step without tool calls: an answer, or a
// message to the user just before, completes it. An empty step is answered with a nudge, as
// long as there are not too many of them.
func turnAfter(s answerStep) verdict {
	switch {
	case s.Answer, s.Told, s.Last:
		return turnComplete
	case s.Empty < maxEmptySteps:
		return turnNudge
	}
	return turnStuck
}
