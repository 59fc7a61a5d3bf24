package offline

import (
	"errors"
	"fmt"
	"slices"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
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

// standing is where a command stands in a task.
type standing struct {
	request, command int
	item             int  // its first in the checklist
	several          bool // it is one of several of its message
}

// unit is the unit of a command.
func (p standing) unit() string { return fmt.Sprintf("u%d_%d", p.request, p.command) }

// do carries out one command, on each of the notes it names.
func (s *script) do(c grammar.Command, at standing) error {
	defer s.begun(at.unit())()
	s.chosen = false
	list := []grammar.Command{c}
	switch c.Kind {
	case grammar.Delete, grammar.Move, grammar.Show, grammar.Summarise, grammar.Add:
		var ok bool
		var err error
		if list, ok, err = s.eachOf(c); err != nil || !ok {
			return ended(err)
		}
	}
	item := at.item
	ticks := s.steps.count(item) == len(list)
	if s.planned { // ticked as each step is made
		ticks, item = true, len(s.steps.items)
	}
	good, bad := s.good, s.bad
	for i, one := range list {
		before, failed := s.good, s.bad
		s.chosen = false
		if err := s.doPart(one, at, i); err != nil {
			return err
		}
		if ticks && s.good > before && s.bad == failed {
			s.steps.tick(item+i, 1)
		}
	}
	if !ticks && s.good > good && s.bad == bad {
		s.steps.tick(item, s.steps.count(item))
	}
	return nil
}

// doPart carries out a command on one note, a unit of its own.
func (s *script) doPart(c grammar.Command, at standing, part int) error {
	defer s.begun(fmt.Sprintf("%s_%d", at.unit(), part))()
	switch {
	case s.readOnly() && c.Changes():
		s.failf("I only read here, so “%s” was not done.", clip(oneLine(c.Text), 120))
		return nil
	case s.sketch != nil && !c.Changes() && !isTalk(c.Kind):
		s.lookUp(c)
		return nil
	case c.Kind == grammar.Question && at.several:
		s.sayf("**%s**", clip(oneLine(c.Text), 160))
	}
	s.unsure = c.Unsure
	err := s.doOne(c)
	if errors.Is(err, errNotNamed) {
		err = s.searchInstead(c, "")
	}
	err = ended(err)
	if err == nil && s.planned {
		s.steps.carriedOut(lookingUp(c))
	}
	return err
}

// ended is an error of a command, but for those that only end the command.
func ended(err error) error {
	if errors.Is(err, errLeft) {
		return nil
	}
	return err
}

func (s *script) doOne(c grammar.Command) error {
	switch c.Kind {
	case grammar.Show:
		return s.show(c)
	case grammar.List:
		return s.list(c)
	case grammar.Count:
		return s.count(c)
	case grammar.Tags:
		return s.tags()
	case grammar.Recent:
		return s.recent(c)
	case grammar.Tasks:
		return s.tasks(c)
	case grammar.Tick:
		return s.tick(c)
	case grammar.Summarise:
		return s.summarise(c)
	case grammar.Create:
		return s.create(c)
	case grammar.Add:
		return s.add(c)
	case grammar.Replace:
		return s.replace(c)
	case grammar.Remove:
		return s.removeText(c)
	case grammar.Move:
		return s.move(c)
	case grammar.Rename:
		return s.rename(c)
	case grammar.Delete:
		return s.delete(c)
	case grammar.MakeFolder:
		return s.makeFolder(c)
	case grammar.Find:
		return s.find(c)
	case grammar.Links:
		return s.links(c)
	case grammar.Outline:
		return s.outline(c)
	case grammar.Info:
		return s.info(c)
	case grammar.Question:
		return s.question(c)
	case grammar.Undo:
		return s.undo()
	case grammar.More:
		return s.more(c)
	case grammar.Follow:
		return s.follow(c)
	case grammar.Unclear:
		if len(c.Others) == 0 {
			return errNotNamed
		}
		fallthrough
	default:
		s.talk(c)
		return nil
	}
}

// isTalk says whether a command is about the conversation, not the notes.
func isTalk(k grammar.Kind) bool {
	switch k {
	case grammar.Help, grammar.About, grammar.Greet, grammar.Thanks, grammar.Goodbye, grammar.Continue, grammar.Cancel, grammar.Asked, grammar.Earlier, grammar.Beyond, grammar.Unclear:
		return true
	}
	return false
}

// readOnly says whether nothing may be changed, whatever is asked.
func (s *script) readOnly() bool { return s.purpose == llm.PurposeDelegate }

// change makes a change of the vault. what says it as an order, on one line: it is the step of
// a plan. The error is errLeft where the command ends here.
func (s *script) change(tool string, a args, what string) (call, error) {
	if (s.planned || s.sketch != nil) && s.task.leavesOut(what) {
		return call{}, errLeft
	}
	if s.sketch != nil {
		return s.sketched(tool, a, what)
	}
	if s.planned && !s.chosen && !slices.Contains(s.task.approved, what) {
		yes, err := s.yesOrNo(fmt.Sprintf("The plan you approved does not say this: %s. Shall I do it all the same?", what))
		if err != nil {
			return call{}, err
		}
		if !yes {
			s.sayf("Left undone, since the plan did not say it: %s.", what)
			return call{}, errLeft
		}
	}
	if s.unsure && !s.chosen && !s.planned {
		yes, err := s.yesOrNo(fmt.Sprintf("Nothing was changed yet. I would do this: %s. Shall I?", what))
		if err != nil {
			return call{}, err
		}
		if !yes {
			s.say("All right, nothing was changed.")
			return call{}, errLeft
		}
		s.unsure = false
	}
	c, err := s.call(tool, a)
	if err == nil && !c.failed && s.planned {
		s.steps.carriedOut(what)
	}
	if err == nil {
		s.partly(c)
	}
	return c, err
}
