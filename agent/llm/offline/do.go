package offline

import (
	"errors"
	"fmt"
	"slices"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/internal/lazyregexp"
)

// begun begins a unit; what it returns ends it.
func (s *script) begun(unit string) (end func()) {
	before := s.unit
	s.unit = unit
	return func() {
		s.ended[unit] = true
		s.unit = before
	}
}

// do carries out one command, a unit, on each of the notes it names; several: it is one of several of its
// message.
func (s *script) do(c grammar.Command, unit string, several bool) {
	defer s.begun(unit)()
	s.chosen = false
	list := []grammar.Command{c}
	switch c.Kind {
	case grammar.Delete, grammar.Move, grammar.Show, grammar.Summarise, grammar.Add:
		list = s.eachOf(c)
	}
	for i, one := range list {
		s.chosen = false
		s.doPart(one, fmt.Sprintf("%s_%d", unit, i), several)
	}
}

// doPart carries out a command on one note, a unit of its own.
func (s *script) doPart(c grammar.Command, unit string, several bool) {
	defer s.begun(unit)()
	switch {
	case s.purpose == llm.PurposeDelegate && c.Changes(): // a sub-agent reads only
		s.failf("I only read here, so “%s” was not done.", clip(oneLine(c.Text), 120))
		return
	case s.sketch != nil && !c.Changes() && !isTalk(c.Kind):
		s.lookUp(c)
		return
	case c.Kind == grammar.Question && several:
		s.sayf("**%s**", clip(oneLine(c.Text), 160))
	}
	s.unsure = c.Unsure
	err := stopped(func() { s.doOne(c) })
	if errors.Is(err, errNotNamed) {
		err = stopped(func() { s.searchInstead(c, "") })
	}
	endsCommand(err)
}

// carriers carry out the commands; what none is for is talk.
var carriers map[grammar.Kind]func(*script, grammar.Command)

func init() { // some of them carry out others
	carriers = map[grammar.Kind]func(*script, grammar.Command){
		grammar.Show: (*script).show, grammar.List: (*script).list, grammar.Count: (*script).list, grammar.Recent: (*script).recent,
		grammar.Tasks: (*script).tasks, grammar.Tick: (*script).tick, grammar.Summarise: (*script).summarise, grammar.Tags: (*script).tags,
		grammar.Create: (*script).create, grammar.Add: (*script).add, grammar.Replace: (*script).replace, grammar.Remove: (*script).removeText,
		grammar.Move: (*script).move, grammar.Rename: (*script).rename, grammar.Delete: (*script).delete, grammar.MakeFolder: (*script).makeFolder,
		grammar.Find: (*script).find, grammar.Links: (*script).links, grammar.Outline: (*script).outline, grammar.Info: (*script).info,
		grammar.Question: (*script).question, grammar.Undo: (*script).undo, grammar.More: (*script).more, grammar.Follow: (*script).follow,
	}
}

func (s *script) doOne(c grammar.Command) {
	switch carry := carriers[c.Kind]; {
	case carry != nil:
		carry(s, c)
	case c.Kind == grammar.Unclear && len(c.Others) == 0:
		panic(stop{errNotNamed})
	default:
		s.talk(c)
	}
}

// isTalk says whether a command is about the conversation, not the notes.
func isTalk(k grammar.Kind) bool { return carriers[k] == nil }

// change makes a change of the vault. what says it as an order, on one line: it is the step of
// a plan.
func (s *script) change(tool string, a args, what string) call {
	if (s.planned || s.sketch != nil) && slices.Contains(s.task.dropped, what) {
		panic(stop{errLeft})
	}
	if s.sketch != nil {
		return s.sketched(tool, a, what)
	}
	if s.planned && !s.chosen && !slices.Contains(s.task.approved, what) {
		s.yes(fmt.Sprintf("The plan you approved does not include this: %s. Shall I do it anyway?", what), "Not done, because it was not in the plan: "+what+".")
	}
	if s.unsure && !s.chosen && !s.planned {
		s.yes(fmt.Sprintf("Nothing was changed yet. I would do this: %s. Shall I?", what), unchanged)
		s.unsure = false
	}
	c := s.call(tool, a)
	if m := partlyRE().FindStringSubmatch(c.result); m != nil && !c.failed {
		s.sayf("Of my change to %s you accepted %s of %s parts; the others are unchanged.", cite(c.place(), 0), m[1], m[2])
	}
	return c
}

// partlyRE is what a tool says where the user took a part of a change only.
var partlyRE = lazyregexp.New(`^The user accepted (\d+) of the (\d+) parts of this change\.`)
