package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// args of a tool call.
type args map[string]any

// planned is a call to be made.
type planned struct {
	name string
	args args
}

// call is a tool call of the history with its result.
type call struct {
	planned
	id      string
	result  string
	failed  bool
	pending bool   // no result yet
	batch   int    // calls of one response have the same
	unit    string // the command it was made for; empty where it does not say
	circles string // what the agent said of going round in circles, after it
	turn    int    // the turn it was made in, where a script made it
}

// arg is an argument that is a string; empty where it is not.
func (p planned) arg(name string) string {
	s, _ := p.args[name].(string)
	return s
}

// place is where what a call was about is after it, as its result names it: a new note for which
// no folder was named goes where the vault's settings put it, and a name that is there may be
// spelt otherwise than it was asked for.
func (c call) place() string {
	if m := placeRE().FindStringSubmatch(c.result); m != nil && !c.failed {
		return m[1] + m[2]
	}
	return cmp.Or(c.arg("destination"), c.arg("path"))
}

// placeRE is where the result of what writes, or moves, says what the file is called now.
var placeRE = lazyregexp.New(`^(?:(?:Created|Overwrote) file|Appended [^\n]*? (?:to|in)) "([^"\n]+)"|^Moved "[^\n]*?" to "([^\n]*?)"\.(?: [^\n]*)?(?:\n|$)`)

// asks says whether the call asked the user something.
func (c call) asks() bool { return !c.failed && c.ours() && asksUser(c.name) }

// asksUser says whether a tool is one by which the engine asks.
func asksUser(tool string) bool { return tool == askUser || tool == sendMessage }

// ours says whether the engine made the call; a conversation may have begun with a model.
func (c call) ours() bool { return strings.HasPrefix(c.id, idPrefix) }

// changes says whether the call may have changed the vault.
func (p planned) changes() bool {
	return changesVault(p.name) && (p.name != dailyNote || p.arg("action") == "append")
}

// The tools the engine names in more than one place.
const (
	sendMessage = "send_message"
	askUser     = "ask_user"
	readFile    = "read_file"
	listTasks   = "list_tasks"
	getLinks    = "get_links"
	getHistory  = "get_note_history"
	dailyNote   = "daily_note" // it changes the vault when its action is append
)

// changesVault says whether a tool may change the vault.
func changesVault(tool string) bool {
	switch tool {
	case readFile, "search_files", "list_files", "get_file_info", listTasks, getLinks, "get_outline", "get_tags", "get_properties", "get_active_note", "get_conversation", "end_conversation", "find_notes", getHistory, sendMessage, askUser, "task_list", "delegate":
		return false
	}
	return true
}

// message is what the user sent, with what the program tells beside it.
type message struct {
	text    string
	context string
	time    time.Time
}

// turn is one message of the user (or several that came together) and what followed.
type turn struct {
	messages []message
	calls    []call
	folded   []folded
	said     string // all that the agent said
	answer   string // the last of it
	summary  bool   // it stands for turns that were left out
}

// folded is a message that arrived while the turn ran, after so many of its calls.
type folded struct {
	after int
	message
}

// text is what the user said at the beginning of the turn.
func (t turn) text() string {
	return strings.Join(text.Of(t.messages, func(m message) string { return m.text }), "\n")
}

// context is what the program told beside the messages the turn began with.
func (t turn) context() string {
	all := text.Of(t.messages, func(m message) string { return m.context })
	return strings.Join(slices.DeleteFunc(all, func(c string) bool { return c == "" }), "\n")
}

// leftOut is what the agent tells of the turn's steps that it left out, and whether it left any.
func (t turn) leftOut() (string, bool) {
	contexts := t.context()
	for _, f := range t.folded {
		contexts += "\n" + f.context
	}
	_, done, ok := strings.Cut(contexts, leftOut)
	return strings.TrimSpace(done), ok
}

// time is when the turn's newest first message was sent.
func (t turn) time() time.Time { return t.messages[len(t.messages)-1].time }

// asked says whether the turn ended with a question of ours.
func (t turn) asked() bool {
	return len(t.calls) > 0 && t.calls[len(t.calls)-1].asks()
}

// What stands in a history as the user's and is not: how the agent asks again after an empty
// response, what it sends where all that followed was left out, and a summary of older turns.
const (
	nudge        = "(Your last response was empty"
	goOn         = "(Go on.)"
	summaryWords = "[The older part of this conversation is left out to save room."
)

// leftOut begins what the agent tells of the steps of a running turn that it left out.
const leftOut = "What you did for this so far (the steps themselves are left out to save room):"

// turns reads the history. Messages of the user that follow each other are one turn; one that
// follows the result of a tool arrived while the turn ran, since a turn that ended is closed by
// what the agent said.
func turns(messages []llm.Message) []turn {
	var out []turn
	running := false // the newest turn may still take messages of the user's
	batch := 0
	for _, m := range messages {
		if len(out) == 0 && m.Role != llm.RoleUser {
			continue
		}
		switch m.Role {
		case llm.RoleUser:
			switch text, ok := strings.CutPrefix(m.Content, summaryWords); {
			case ok:
				out = append(out, turn{messages: []message{{time: m.Time}}, answer: text, summary: true})
				continue
			case strings.HasPrefix(m.Content, nudge), m.Content == goOn:
				if t := last(out); t != nil && m.Context != "" {
					t.messages[0].context += "\n" + withoutEarlier(m.Context)
				}
				continue
			}
			sent := message{text: withoutNote(m.Content), context: withoutEarlier(m.Context), time: m.Time}
			switch t := last(out); {
			case !running:
				out = append(out, turn{messages: []message{sent}})
				running = true
			case len(t.calls) == 0:
				t.messages = append(t.messages, sent)
			default:
				t.folded = append(t.folded, folded{len(t.calls), sent})
			}
		case llm.RoleAssistant:
			t := last(out)
			running = len(m.ToolCalls) > 0
			if m.Content != "" && !t.summary {
				t.answer = m.Content
				t.said += m.Content + "\n\n"
			}
			batch++
			for _, c := range m.ToolCalls {
				t.calls = append(t.calls, call{planned: planned{c.Name, arguments(c.Arguments)}, id: c.ID, pending: true, batch: batch, unit: unitOf(c.ID)})
			}
		case llm.RoleTool:
			for i, c := range last(out).calls {
				if c.batch == batch && c.id == m.ToolCallID {
					c.result, c.circles = circling(withoutNote(m.Content))
					c.failed, c.pending = m.IsError, false
					last(out).calls[i] = c
				}
			}
		}
	}
	return out
}

// earlierIntro begins what the agent tells of earlier conversations, a line each.
const earlierIntro = "Conversations before this one"

// overviewIntro begins what the agent tells of the vault's folders.
const overviewIntro = "The vault holds "

// withoutEarlier is what the program tells beside a message, without what it tells of earlier
// conversations and of folders, and without what it quotes: that is nobody's word here, whatever it
// says.
func withoutEarlier(context string) string {
	var kept []string
	skip := false
	for line := range strings.SplitSeq(context, "\n") {
		skip = strings.HasPrefix(line, earlierIntro) || skip && strings.HasPrefix(line, "- ")
		if !skip && !strings.HasPrefix(line, overviewIntro) && !strings.HasPrefix(line, "> ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// last is the newest turn; nil where there is none.
func last(list []turn) *turn {
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// withoutNote drops what the agent notes beneath the newest message when it ends the turn: that
// no tool can be called any more.
func withoutNote(text string) string { return noToolsRE().ReplaceAllString(text, "") }

var noToolsRE = lazyregexp.New(`(?:^|\n\n)\[[^\[\]\n]*: no tool can be called any more in this turn\.[^\n]*\]$`)

// circling splits off what the agent notes beneath a result when the turn goes round in circles.
func circling(result string) (text, why string) {
	text, why, _ = strings.Cut(result, "\n\n[You are going round in circles: ")
	why, _, _ = strings.Cut(why, ". Do something else")
	return text, why
}

// unitOf is the unit that the id of a call names.
func unitOf(id string) string {
	for part := range strings.SplitSeq(strings.TrimPrefix(id, idPrefix), "-") {
		if strings.HasPrefix(part, "u") {
			return part
		}
	}
	return ""
}

// arguments are those of a call; none where a model wrote no JSON object.
func arguments(raw string) args {
	m := args{}
	_ = json.Unmarshal([]byte(raw), &m)
	return m
}

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
