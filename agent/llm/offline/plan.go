package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/internal/lazyregexp"
)

// A plan is made by the script itself, with a sketch in place of the vault: it looks where it
// would look, and what it would change becomes a step. The approved plan is carried out by the
// same script without the sketch. What the plan does not say is asked about before it is done.

// planText is a plan as the user reads it.
func (s *script) planText() string {
	parts := []string{planHead}
	if s.task.remark != "" {
		parts = append(parts, s.task.remark)
	}
	if len(s.sketch.steps) > 0 {
		var b strings.Builder
		for i, st := range s.sketch.steps {
			fmt.Fprintf(&b, "%d. %s\n", i+1, st)
		}
		parts = append(parts, strings.TrimSpace(b.String()))
	}
	parts = append(parts, s.out...)
	if len(s.sketch.steps) == 0 { // which is no plan that could be approved
		parts[0] = noPlan
	}
	return strings.Join(parts, "\n\n")
}

// planToLook is the plan for a request that changes nothing.
func (s *script) planToLook(commands []grammar.Command) {
	var what []string
	for _, c := range commands {
		if c.Kind == grammar.Unclear && len(c.Others) == 0 {
			s.sayf("“%s” does not say which note goes where, or becomes what, so it is not a step. Name the notes, as in *%s*.", clip(oneLine(c.Text), 120), s.example(grammar.Move))
			for d := range s.view.Folders {
				if strings.Contains(" "+naming.Normal(c.Text)+" ", " "+naming.Normal(path.Base(d))+" ") {
					in := s.view.Within(d)
					s.sayf("In `%s/` %s: %s.", d, isAre(len(in), "note"), strings.Join(in[:min(len(in), maxListed)], ", "))
				}
			}
			continue
		}
		if isTalk(c.Kind) {
			s.talk(c)
			continue
		}
		what = append(what, "“"+clip(oneLine(c.Text), 120)+"”")
	}
	if len(what) > 0 {
		s.sketch.step("Look through your notes for " + strings.Join(what, " and ") + " and answer from what I find; nothing is changed")
	}
}

var planStepRE = lazyregexp.New(`(?m)^\d+\. (.+)$`)

// planSteps are the steps of a plan that the engine wrote.
func planSteps(text string) []string {
	out := []string{}
	for _, m := range planStepRE().FindAllStringSubmatch(text, -1) {
		out = append(out, strings.TrimSpace(m[1]))
	}
	return out
}

// plan makes a task of the turns from first to last, in which a plan was made and revised.
func (t *task) plan(history []turn, first, last int) {
	t.past = first
	t.requests = history[first].messages
	for i := first + 1; i <= last; i++ {
		if history[i].continues() {
			continue
		}
		t.revise(history[i].text(), planSteps(history[i-1].answer), t.requests[0])
	}
}

// revise changes what is planned as the user says.
func (t *task) revise(text string, steps []string, first message) {
	t.remark = ""
	if dropped, ok := droppedSteps(text, steps); ok {
		if len(dropped) == 0 {
			t.remark = fmt.Sprintf("No step of the plan matches “%s”, so the plan is unchanged.", clip(oneLine(text), 120))
		}
		t.dropped = append(t.dropped, dropped...)
		return
	}
	more := alsoRE().FindString(text)
	commands := grammar.Parse(text[len(more):], first.time)
	switch {
	case !changes(commands):
		t.remark = fmt.Sprintf("I did not understand “%s” as a change to the plan, so the plan is unchanged. For instance, say *without step 2*, *also move Plan to Archive*, or the whole request anew.", clip(oneLine(text), 120))
	case more == "":
		t.requests = []message{{text: text, context: first.context, time: first.time}}
		t.commands, t.dropped = nil, nil
	default:
		if t.commands == nil {
			t.commands = grammar.Parse(t.requests[0].text, first.time)
			for _, m := range t.requests[1:] {
				t.commands = append(t.commands, grammar.Parse(m.text, first.time)...)
			}
			t.requests = t.requests[:1]
		}
		t.commands = append(t.commands, commands...)
	}
}

var (
	alsoRE  = lazyregexp.New(`(?i)^(?:and\s+)?(?:also|and|plus|then|additionally|in addition|after that|afterwards|finally|(?:add|with) (?:a|another|one more) step:?)[,:]?\s+`)
	dropRE  = lazyregexp.New(`(?i)^(?:please\s+|but\s+|and\s+|yes,?\s+)*(?:without|skip|drop|leave out|leave|omit|except|all but|not|do not do|don(?:'|’)t do|remove|keep)\s+(?:the\s+)?(.+?)(?:\s+(?:as it is|alone|out))?[.!]*$`)
	stepsRE = lazyregexp.New(`(?i)^(?:(?:steps?|numbers?|nr\.?|no\.?|points?)\s*|#)?((?:\d+|first|second|third|fourth|fifth|sixth|last)(?:(?:\s*,\s*|\s+(?:and|or)\s+|\s*&\s*)(?:\d+|first|second|third|fourth|fifth|sixth|last))*)(?:\s+(?:steps?|ones?|points?))?$`)
	numeral = lazyregexp.New(`\w+`)
)

// droppedSteps are the steps that the user wants left out: by number, or by what they name. It
// is false where the text is about something else.
func droppedSteps(text string, steps []string) ([]string, bool) {
	m := dropRE().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, false
	}
	var out []string
	if n := stepsRE().FindStringSubmatch(m[1]); n != nil {
		for _, w := range numeral().FindAllString(strings.ToLower(n[1]), -1) {
			if k, ok := ordinal(w, len(steps)); ok {
				out = append(out, steps[k])
			}
		}
		return out, true
	}
	want := naming.Normal(grammar.NoteName(m[1]))
	out = slices.DeleteFunc(slices.Clone(steps), func(st string) bool {
		return want == "" || !strings.Contains(" "+naming.Normal(st)+" ", " "+want+" ")
	})
	if len(out) == 0 && changes(grammar.Parse(text, time.Time{})) {
		return nil, false // "remove the line x from Knee" is a request of its own
	}
	return out, true
}

// What the agent tells beside the messages of turns that have to do with a plan.
const (
	planningWords = "This turn is for planning only"
	revisingWords = "what should be different about the plan you made before"
	approvedWords = "The user approved the plan"
)

// planHead begins each plan of the engine, so that it knows one when it sees it again.
const planHead = "**Plan**, nothing is changed yet:"

// noPlan is the first line of the answer of a turn that was to plan where the plan has no step.
// The agent knows it, and asks for no approval then.
const noPlan = llm.NoPlan + ": there is nothing to carry out."

// plans says whether a turn made a plan, or began to.
func (t turn) plans() bool {
	return strings.HasPrefix(t.answer, planHead) || strings.Contains(t.context(), planningWords)
}

// carriesOut says whether a turn carries out the plan of the turn before.
func (t turn) carriesOut() bool { return strings.Contains(t.context(), approvedWords) }

// firstPlan is the turn in which the plan was begun that turn i goes on with.
func firstPlan(history []turn, i int) int {
	for i > 0 && history[i-1].plans() && (history[i].continues() || revises(history[i])) {
		i--
	}
	return i
}

// revises says whether a turn changes the plan of the turn before. Where the agent's own words
// for that were replaced, what the user says must show it.
func revises(t turn) bool {
	if strings.Contains(t.context(), planningWords) {
		return strings.Contains(t.context(), revisingWords)
	}
	return alsoRE().MatchString(t.text()) || dropRE().MatchString(t.text())
}

// approves says whether a message is the approval of a plan, in the words the agent takes for one.
func approves(m message) bool {
	switch naming.Normal(m.text) {
	case "carry it out", "1", "option 1", "yes", "y", "ok", "okay", "go ahead", "do it":
		return true
	}
	return false
}
