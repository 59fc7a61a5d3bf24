package agent

import (
	"slices"
	"strings"
	"time"

	"chatvault/agent/history"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/internal/base/text"
)

// turnPrompt renders a prompt of a turn.
func (w *worker) turnPrompt(t *turn, name string, fill func(*prompts.Vars)) (string, error) {
	return w.prompt(t.ctx, t.meta(), t.conv.ID, name, func(v *prompts.Vars) {
		v.Time = prompts.Time(t.started)
		v.Tools = t.tools
		if q := t.conv.OpenQuestion(); q != nil {
			v.Question, v.Options = q.Question, q.Options
		}
		t.goal.Fill(v)
		if fill != nil {
			fill(v)
		}
	})
}

// prompt renders a prompt of the run; without a worker it is a built-in one.
func (r *run) prompt(name string, fill func(*prompts.Vars)) (string, error) {
	if r.of != nil {
		return r.host.turnPrompt(r.of, name, fill)
	}
	v := prompts.Vars{Time: prompts.Time(time.Now())}
	if fill != nil {
		fill(&v)
	}
	return prompts.Builtin(name, v)
}

// earlierTold is the number of ended conversations that are described to the model.
const earlierTold = 2

// routed is the context for messages from other programs, by event.Inbound.Via.
var routed = map[string]string{
	"voice":  "This message was spoken and routed here: answer in a sentence or two of plain words, without Markdown.",
	"routed": "This message was routed here, most likely from a voice assistant: answer in a sentence or two of plain words, without Markdown.",
}

// context returns the context added to the newest message of a turn.
func (w *worker) context(t *turn) string {
	var lines []string
	// In the system prompt, the size of the vault would invalidate prompt caches with every new note. It is repeated after
	// a summary of all that was said.
	if !t.compact && w.opt.Vars != nil && len(t.conv.Turns) == t.conv.Compacted() {
		lines = append(lines, history.Overview(w.baseVars(t.ctx, t.conv.ID)))
	}
	lines = append(lines, routed[t.entries[0].Via()])
	t.notes = w.loadNotes().For(t.conv.ID, len(t.conv.Turns) == 0, w.opt.Conversations.Has)
	lines = append(lines, history.Stops(t.notes.Stops, w.opt.Withhold())...)
	lines = append(lines, text.Of(t.notes.Undos, func(u pending.Undo) string { return strings.TrimSpace(u.Text) })...)
	if !t.compact {
		ended, err := w.opt.Conversations.Recent(earlierTold)
		if err != nil {
			w.opt.Log.Warn("the earlier conversations could not be read", "error", err)
		}
		slices.Reverse(ended) // oldest first
		lines = append(lines, history.Earlier(t.conv, ended)...)
	}
	lines = append(lines, t.answerContext()...)
	plan, err := w.planContext(t)
	if err != nil {
		w.warn(t.meta(), "The model could not be told about the plan", err)
	}
	goal := ""
	if g := *w.goals.goal.Load(); g.InProgress() && t.worksOn(g) {
		t.goal = g
		if goal, err = w.turnPrompt(t, prompts.Goal, nil); err != nil {
			w.warn(t.meta(), "The model could not be told about the goal", err)
		}
	}
	lines = append(lines, plan, goal)
	if schema := t.entries[0].AnswerSchema; schema != nil && !t.compact { // a small model forms its answer at the end
		lines = append(lines, formText(schema))
	}
	for _, e := range t.entries {
		if e.ToolsRan {
			done := "It is not known what it changed: check the notes before you repeat anything."
			if len(e.Changes) > 0 {
				done = history.AlreadyDone + strings.Join(e.Changes, "; ") + ". Do not repeat it."
			}
			lines = append(lines, "An earlier attempt at this request ended early. "+done)
		}
	}
	return strings.Join(slices.DeleteFunc(lines, text.Blank), "\n")
}

// answerContext relates the turn's messages to the open question. Answers to a plan are handled by planContext.
func (t *turn) answerContext() []string {
	asked := t.conv.OpenQuestion()
	if asked == nil || t.setGoal || t.plan != planNone && t.plan != planGoOn {
		return nil
	}
	m := t.entries[len(t.entries)-1].Inbound
	if asked.Plan && !m.Time.Before(asked.Asked()) {
		return nil // it is about something else
	}
	return []string{history.Question(asked, m)}
}
