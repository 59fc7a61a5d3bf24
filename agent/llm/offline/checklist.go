package offline

import (
	"reflect"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
)

// stepsForList is from how many changes on a request is shown as a list of its steps.
const stepsForList = 3

// checklist is what the user sees of a request with several steps. It goes with calls that are
// made anyway; only its end costs a response of its own.
type checklist struct {
	items   []listedStep
	groups  map[int]int // how many items a command has, by its first
	changes int         // items that change a note
	sent    map[string]any
}

// listedStep is a step as the tool takes it.
type listedStep struct {
	Text string `json:"text"`
	Done bool   `json:"done"`

	what string // of an approved plan: the step as the plan says it
}

// add adds the commands of a message and returns the first of their items.
func (l *checklist) add(s *script, commands []grammar.Command) int {
	at := len(l.items)
	if l.groups == nil {
		l.groups = map[int]int{}
	}
	for _, c := range commands {
		texts := l.texts(s, c)
		l.groups[len(l.items)] = len(texts)
		for _, t := range texts {
			l.items = append(l.items, listedStep{Text: clip(oneLine(t), 80)})
			if c.Changes() {
				l.changes++
			}
		}
	}
	return at
}

// plan makes the steps of an approved plan the items.
func (l *checklist) plan(steps []string) {
	for _, st := range steps {
		l.items = append(l.items, listedStep{Text: clip(oneLine(withoutMarks(st)), 120), what: st})
	}
	l.changes += len(steps)
}

// withoutMarks is a step of a plan without the marks of Markdown.
func withoutMarks(step string) string {
	return strings.ReplaceAll(citationRE().ReplaceAllString(step, "“$1”"), "`", "")
}

// carriedOut ticks the step of an approved plan that says this.
func (l *checklist) carriedOut(what string) {
	for i := range l.items {
		if l.items[i].what == what && !l.items[i].Done {
			l.items[i].Done = true
			return
		}
	}
}

// texts are the steps of a command: one for each note that it names.
func (l *checklist) texts(s *script, c grammar.Command) []string {
	verb, tail := "", ""
	switch c.Kind {
	case grammar.Delete:
		verb = "Delete "
	case grammar.Move:
		verb, tail = "Move ", " to "+c.To
	case grammar.Add:
		verb, tail = "Add “"+clip(oneLine(c.Body), 40)+"” to ", ""
	}
	if verb == "" || !l.wanted(s) {
		return []string{c.Text}
	}
	var out []string
	for _, n := range s.enumerated(c.Note) {
		out = append(out, verb+n.name+tail)
	}
	if out == nil {
		out = []string{c.Text}
	}
	return out
}

// wanted says whether a list can be shown at all.
func (l *checklist) wanted(s *script) bool {
	return s.tools[taskList] && s.purpose == llm.PurposeTurn && s.sketch == nil
}

// shown says whether the request is one that is shown as a list.
func (l *checklist) shown(s *script) bool { return l.wanted(s) && l.changes >= stepsForList }

// count is how many items the command has whose first is at i.
func (l *checklist) count(i int) int { return max(l.groups[i], 1) }

// tick marks n items, from i on, as done.
func (l *checklist) tick(i, n int) {
	for k := i; k < min(i+n, len(l.items)); k++ {
		l.items[k].Done = true
	}
}

// call is the call that shows the list; false where it is shown as it is.
func (l *checklist) call() (planned, bool) {
	p := planned{taskList, args{"items": l.items}}
	return p, !reflect.DeepEqual(plain(p.args), l.sent)
}

// before puts the list, where it changed, before calls that are to be made.
func (l *checklist) before(s *script, list []planned) []planned {
	if !l.shown(s) || len(list) == 0 || list[0].name == taskList || len(list) >= llm.MaxToolCalls {
		return list
	}
	if p, changed := l.call(); changed {
		return append([]planned{p}, list...)
	}
	return list
}

// finishSteps shows the list as it is in the end, where it was shown in this turn.
func (s *script) finishSteps() error {
	if s.steps.sent == nil || !s.steps.wanted(s) {
		return nil
	}
	if p, changed := s.steps.call(); changed {
		return &pauseError{calls: []planned{p}}
	}
	return nil
}
