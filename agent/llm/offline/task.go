package offline

import (
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/internal/lazyregexp"
)

// task is what the newest turn works on: what was asked in it, or in an earlier turn that it
// goes on with.
type task struct {
	requests []message         // what was asked
	commands []grammar.Command // of the first request, where they are not what it says; else nil
	past     int               // the turns before it: what "it" may mean
	root     int               // the turn in which the carrying out of it began
	done     string            // by an attempt that ended early
	approved []string          // the steps of the plan that was approved; nil: there was none
	planned  int               // how many of the requests the plan was made for
	dropped  []string          // steps that a plan left out again
	remark   string            // said before all else
}

// What the agent tells beside the user's messages, or says in their place.
const (
	goOnToGoal   = "Keep working toward the goal."
	sentTooEarly = "The user sent this message before seeing the question"
	stoppedWords = "The user stopped the previous request (“"
	attemptWords = "An earlier attempt at this request ended early. It had already done this: "
)

// taskOf is the task of the newest turn. It reaches back over questions of ours that were
// answered, over "continue", to the goal, and to the plan that was approved.
func taskOf(history []turn, purpose llm.Purpose) task {
	newest := len(history) - 1
	t := task{done: earlierAttempt(history[newest].context())}
	if purpose == llm.PurposePlan {
		t.root = newest
		for t.root > 0 && history[t.root].continues() && history[t.root-1].plans() {
			t.root--
		}
		t.plan(history, firstPlan(history, t.root), t.root)
		return t
	}
	first := history[newest].messages[0]
	if request, done, ok := stoppedBefore(history[newest].context()); ok && isContinue(first.text) {
		t.root, t.past, t.done = newest, newest, done
		t.requests = append([]message{{text: request, time: first.time}}, history[newest].messages[1:]...)
		return t
	}
	i := newest
	for goesOn(history, i) {
		i = before(history, i)
	}
	t.root = i
	if i > 0 && history[i].carriesOut() {
		t.plan(history, firstPlan(history, i-1), i-1)
		t.approved, t.planned = planSteps(history[i-1].answer), len(t.requests)
		t.requests = append(t.requests, slices.DeleteFunc(slices.Clone(history[i].messages), approves)...)
		return t
	}
	t.past, t.requests = i, history[i].messages
	if history[i].towardGoal() { // nothing was done toward it yet, as far as is known
		t.requests = t.requests[1:]
		if goal := history[i].goal(); goal != "" && !history[0].summary {
			t.requests = append([]message{{text: goal, time: first.time}}, t.requests...)
		}
	}
	return t
}

// goesOn says whether turn i goes on with what an earlier one began.
func goesOn(history []turn, i int) bool {
	if i == 0 || history[i-1].summary {
		return false
	}
	t, last := history[i], history[i-1]
	switch {
	case t.carriesOut():
		return last.carriesOut() // that failed
	case last.asked():
		return true
	case t.towardGoal():
		return before(history, i) < i
	}
	return t.continues() && !last.plans() // a plan is not carried out before it is approved
}

// before is the turn that turn i goes on with: for one that works toward the goal the last that
// did, whatever came between; i itself where there is none.
func before(history []turn, i int) int {
	if !history[i].towardGoal() || history[i-1].asked() {
		return i - 1
	}
	goal := history[i].goal()
	for j := i - 1; j >= 0; j-- {
		if history[j].towardGoal() || goal != "" && oneLine(history[j].text()) == oneLine(goal) {
			return j
		}
	}
	return i
}

// chain are the turns of a task, from root on.
func chain(history []turn, root int) []int {
	list := []int{len(history) - 1}
	for i := list[0]; i > root; {
		i = before(history, i)
		list = append(list, i)
	}
	slices.Reverse(list)
	return list
}

// continues says whether the turn began with "continue".
func (t turn) continues() bool { return isContinue(t.messages[0].text) }

// maxContinue bounds what is no more than "continue": longer messages of a history are not parsed for it.
const maxContinue = 100

func isContinue(text string) bool {
	if len(text) > maxContinue {
		return false
	}
	c := grammar.Parse(text, time.Time{})
	return len(c) == 1 && c[0].Kind == grammar.Continue
}

// towardGoal says whether the turn is one that the program began, to go on toward the goal.
func (t turn) towardGoal() bool { return strings.HasPrefix(t.messages[0].text, goOnToGoal) }

// goal is the goal that is worked toward in the turn; empty where it is not told.
func (t turn) goal() string {
	if m := goalRE().FindStringSubmatch(t.context()); m != nil {
		return m[1]
	}
	return ""
}

var goalRE = lazyregexp.New(`(?m)^Goal \(turn \d+ of \d+\): “((?s:.*?))”$`)

// repeats says whether a message only says to go on.
func repeats(m message) bool {
	return isContinue(m.text) || strings.HasPrefix(m.text, goOnToGoal)
}

// earlierAttempt returns what an attempt of this request that ended early had done, which the
// agent notes beside the message: one line of changes.
func earlierAttempt(context string) string {
	_, rest, ok := strings.Cut(context, attemptWords)
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, " Do not repeat it.")
	return rest
}

// stoppedBefore returns the request that the user stopped last, and what it had done. It is
// false where there is none, or only its beginning is known.
func stoppedBefore(context string) (request, done string, ok bool) {
	_, rest, ok := strings.Cut(context, stoppedWords)
	if !ok {
		return "", "", false
	}
	request, rest, ok = strings.Cut(rest, "”). It had ")
	rest, _, _ = strings.Cut(rest, "\n")
	if !ok || strings.HasSuffix(request, "…") || strings.Contains(request, " characters left out …]") || isContinue(request) {
		return "", "", false
	}
	if done, ok := strings.CutPrefix(rest, "already done this: "); ok {
		return request, done, true
	}
	return request, "", true
}
