package agent

import (
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/prompts"
	"chatvault/conversation"
	"chatvault/tools"
)

// A plan ends as a question with options, which the user's next message answers.
const planQuestion = "Carry out this plan?"

var planOptions = []string{"Carry it out", "Leave it"}

// In other words, as people type them.
var (
	planYes      = []string{"yes", "y", "ok", "okay", "go ahead", "do it"}
	planNo       = []string{"no", "n", "no thanks", "cancel"}
	planContinue = []string{"continue", "go on"}
)

// Texts about a plan, for the model and the user.
const (
	planApproved = "The user approved the plan you made before. Carry it out now: all of it, in order, and nothing else. " +
		"Keep your task list up to date as you go, and say where you deviate from the plan."
	planLeft     = "The plan was not carried out; nothing was changed."
	planNoWrites = "nothing is changed while you plan. Put it into the plan"
)

// planStep is the role of a turn in planning.
type planStep int

const (
	planNone     planStep = iota // nothing
	planMake                     // it makes one
	planGoOn                     // continue planning after a limit or a question
	planRevise                   // revise the plan as the message asks
	planApprove                  // it carries the plan out
	planDeclined                 // there is nothing to do: the plan is left
)

// planning reports whether the turn must not change anything.
func (s planStep) planning() bool { return s == planMake || s == planGoOn || s == planRevise }

// mode returns the turn's mode for the record.
func (s planStep) mode() string {
	if s.planning() {
		return string(event.ModePlan)
	}
	return string(event.ModeAct)
}

// planFor decides a turn's role in planning from the conversation and its first messages. Messages sent before the
// plan was shown, or not typed by the user, do not decide about it.
func planFor(c *conversation.Conversation, messages []inbox.Entry) planStep {
	first := messages[0]
	if first.Mode == event.ModePlan {
		return planMake
	}
	last := c.LastAsking()
	if first.Source != event.SourceDirect || last == nil || event.Mode(last.Mode) != event.ModePlan {
		return planNone
	}
	var since []string
	for _, m := range messages {
		if !m.Time.Before(last.Asked()) {
			since = append(since, m.Text)
		}
	}
	switch {
	case len(since) == 0:
		return planNone
	case last.Question != "" && c.PendingQuestion() == nil: // waited for no more
		return planNone
	case last.Question == "": // a limit ended it early
		if len(since) == 1 && slices.Contains(planContinue, event.PlainAnswer(since[0])) {
			return planGoOn
		}
		return planNone
	case !last.Plan:
		return planGoOn
	}
	return planReply(since)
}

// planReply interprets the user's messages about a plan. The last decision counts.
func planReply(texts []string) planStep {
	decision := planRevise
	others := false
	for _, text := range texts {
		i, ok := event.ChosenOption(text, planOptions)
		switch said := event.PlainAnswer(text); {
		case ok && i == 0, slices.Contains(planYes, said):
			decision = planApprove
		case ok, slices.Contains(planNo, said):
			decision = planDeclined
		default:
			others = true
		}
	}
	if decision == planDeclined && others {
		return planNone
	}
	return decision
}

// planOffers reports whether a tool may be called while planning: it reads or speaks to the user.
func planOffers(t tools.Tool) bool {
	return t.ReadOnly() || tools.TraitsOf(t.Name()).Speaks
}

// declinePlan answers that a plan is left: no model is needed for that.
func (w *worker) declinePlan(t *turn) Outcome {
	r := &run{Agent: Agent{Log: w.opt.Log}, Task: Task{TurnID: t.id, Emit: w.bus.Publish}}
	r.Emit(event.TextDelta{Meta: r.meta(), Text: planLeft})
	r.Emit(event.TextDone{Meta: r.meta(), Text: planLeft})
	r.recordAnswer(llm.Response{Text: planLeft})
	r.out.Response, r.out.Reason = planLeft, event.StopCompleted
	return r.out
}

// planContext returns the text about the turn's plan for the model.
func (w *worker) planContext(t *turn) (string, error) {
	switch t.plan {
	case planMake, planRevise, planGoOn:
		return w.turnPrompt(t, prompts.Plan, func(v *prompts.Vars) {
			v.Revising = t.plan == planRevise
			v.Tools = prompts.Tools(slices.DeleteFunc(w.toolsNow(), func(tool tools.Tool) bool { return !planOffers(tool) }))
		})
	case planApprove:
		return planApproved, nil
	}
	return "", nil
}
