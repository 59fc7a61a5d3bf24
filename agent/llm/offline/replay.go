package offline

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"chatvault/agent/llm"
)

// A task is carried out by a script: plain code that calls tools and asks questions as if they
// answered at once. The engine keeps no state between requests, so each request runs the
// script from its beginning; calls that the history holds return what they returned then,
// and the first one it does not hold stops the script and becomes the response. This is why a
// script must not depend on anything but the history and the notes as they were when the task
// began, which view gives.

// stop ends a script, or the part of it that whoever called stopped has in hand.
type stop struct{ error }

// stopped runs a part of a script and returns what stopped it before its end.
func stopped(part func()) (err error) {
	defer func() {
		x := recover()
		if s, ok := x.(stop); ok {
			err = s.error
		} else if x != nil {
			panic(x)
		}
	}()
	part()
	return nil
}

// ending says something and is what stops the script then.
func (s *script) ending(err error, format string, a ...any) stop {
	s.sayf(format, a...)
	return stop{err}
}

// unable is the error of a command that could not be carried out; it ends the command.
func (s *script) unable(format string, a ...any) stop {
	s.failf(format, a...)
	return stop{errLeft}
}

// endsCommand goes on with what stopped a command, but for what ends no more than the command.
func endsCommand(err error) {
	if err != nil && !errors.Is(err, errLeft) {
		panic(stop{err})
	}
}

// pauseError stops a script at calls that are still to be made: the response.
type pauseError struct{ llm.Response }

func (*pauseError) Error() string { return "waiting for tools" }

// abandonError ends a request whose question was answered with a new one.
type abandonError struct{ message }

func (*abandonError) Error() string { return "the user went on to something else" }

var (
	errNoTool  = errors.New("the tool cannot be called now")
	errDiverge = errors.New("the history holds other calls than planned")
	errAsked   = errors.New("the user was asked")
	errLeft    = errors.New("the command ends here") // what there is to say was said
	errLost    = errors.New("the history holds nothing of this command")
)

// stepKind is a kind of step.
type stepKind int

const (
	stepCall    stepKind = iota // a tool was called
	stepMessage                 // the user said something
	stepTurn                    // another turn began
)

// step is a recorded step of a task.
type step struct {
	kind    stepKind
	call    call
	message message
	turn    int    // stepTurn: which begins
	said    string // stepTurn: what was said in the turn before
	early   bool   // stepMessage: it was sent before the question was seen that it follows
}

// recorded are the steps of a task that the history holds.
func recorded(history []turn, t task) []step {
	var out []step
	for _, i := range chain(history, t.root) {
		if i > t.root {
			asked := history[i-1].asked()
			early := strings.Contains(history[i].context(), sentTooEarly)
			out = append(out, step{kind: stepTurn, turn: i, said: history[i-1].said})
			for j, m := range history[i].messages {
				if approves(m) && history[i].carriesOut() && !asked {
					continue
				}
				if j > 0 || asked || !repeats(m) {
					out = append(out, step{kind: stepMessage, message: m, early: early})
				}
			}
		}
		fold := history[i].folded
		for j, c := range history[i].calls {
			for ; len(fold) > 0 && fold[0].after <= j; fold = fold[1:] {
				out = append(out, step{kind: stepMessage, message: fold[0].message})
			}
			if !c.ours() && !c.changes() {
				continue // what a model looked at before it gave up; what it changed ends the script
			}
			out = append(out, step{kind: stepCall, call: c})
		}
		for _, f := range fold {
			out = append(out, step{kind: stepMessage, message: f.message})
		}
	}
	return out
}

// apply brings the effect of a call on names into the view, or takes it out again.
func (s *script) apply(c call, undo bool) {
	if c.name == "" || c.failed || c.pending {
		return
	}
	switch c.name {
	case "write_file", dailyNote:
		if strings.HasPrefix(c.result, "Created") && c.place() != "" {
			if undo {
				s.view.Remove(c.place())
			} else {
				s.view.Add(c.place())
			}
		}
	case "move_file":
		from, to := c.arg("source"), c.place()
		if undo {
			from, to = to, from
		}
		s.view.Move(from, to)
	case "delete_file":
		if p := c.arg("path"); undo {
			s.view.Restore(p, s.engine.index.Former(p))
		} else {
			s.view.Remove(p)
		}
	case "create_folder":
		if !undo {
			s.view.Folders[c.arg("path")] = true
		}
	}
}

// pass goes over what the record holds beside calls: messages of the user, which are carried
// out when what was asked before is done, and the beginnings of turns.
func (s *script) pass() {
	for ; s.next < len(s.record); s.next++ {
		switch st := s.record[s.next]; st.kind {
		case stepMessage:
			s.enqueue(st.message)
		case stepTurn:
			s.begin(st)
		default:
			return
		}
	}
}

// begin begins another turn: what was said when the last one ended is not said again.
func (s *script) begin(st step) {
	s.turn = st.turn
	s.out = slices.DeleteFunc(s.out, func(p string) bool { return strings.Contains(st.said, p) })
}

// call runs a tool: it returns the recorded result, or stops the script.
func (s *script) call(name string, a args) call {
	if p := (planned{name, a}); s.sketch != nil && !p.changes() && !asksUser(name) {
		return s.look(p)
	}
	return s.calls([]planned{{name, a}})[0]
}

// calls runs several tools in one response; they must not depend on each other.
//
// Each call belongs to a unit, one command on one note, which its id names. Where what is there
// now would lead to other calls than it did when they were made, the units keep the commands apart.
func (s *script) calls(list []planned) []call {
	out := make([]call, len(list))
	var fresh []int // those that are not answered already
	for i, p := range list {
		var ok bool
		if out[i], ok = s.repeated(p); !ok {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) > 0 {
		s.pass()
	}
	for len(fresh) > 0 && s.nextCall() {
		st := s.record[s.next]
		if !s.mine(st.call) {
			s.mayCall(list[fresh[0]].name)
			panic(stop{errLost})
		}
		if st.call.pending || !list[fresh[0]].made(st.call) {
			panic(stop{errDiverge})
		}
		s.next++
		out[fresh[0]], fresh = s.took(st.call), fresh[1:]
	}
	if len(fresh) == 0 {
		return out
	}
	pause := &pauseError{}
	if asksUser(list[fresh[0]].name) { // what was done before a question is not said after it
		pause.Text = strings.Join(s.out, "\n\n")
	}
	for n, i := range fresh {
		s.mayCall(list[i].name)
		pause.ToolCalls = append(pause.ToolCalls, toolCall(s.ids+n+1, s.unit, list[i]))
	}
	panic(stop{pause})
}

// mayCall stops the script where a tool is not offered.
func (s *script) mayCall(tool string) {
	if !s.tools[tool] {
		panic(stop{fmt.Errorf("%w: %s", errNoTool, tool)})
	}
}

// nextCall says whether the record goes on with a call. Those of units that have ended without
// them are taken note of on the way.
func (s *script) nextCall() bool {
	for s.next < len(s.record) {
		st := s.record[s.next]
		if st.kind != stepCall {
			s.pass()
			continue
		}
		if !s.ended[st.call.unit] || st.call.unit == s.unit {
			return true
		}
		s.next++
		s.took(st.call)
	}
	return false
}

// mine says whether a recorded call belongs to the unit under way.
func (s *script) mine(c call) bool { return c.unit == "" || c.unit == s.unit }

// again says whether the unit under way called this tool next when it was carried out before.
func (s *script) again(tool string) bool {
	return s.nextCall() && s.record[s.next].call.name == tool && s.mine(s.record[s.next].call)
}

// reads reads notes that a ranking chose. What was changed since may have changed the ranking:
// the notes that were read when it was made are the ones that count.
func (s *script) reads(list []planned) []call {
	if !s.again(readFile) {
		return s.calls(list)
	}
	var out []call
	for _, p := range list {
		if c, ok := s.repeated(p); ok {
			out = append(out, c)
		}
	}
	for batch := s.record[s.next].call.batch; s.next < len(s.record) && s.record[s.next].call.batch == batch; s.next++ {
		out = append(out, s.took(s.record[s.next].call))
	}
	rank := func(c call) int {
		return slices.IndexFunc(list, func(p planned) bool { return p.args["path"] == c.arg("path") })
	}
	slices.SortStableFunc(out, func(a, b call) int { return rank(a) - rank(b) })
	return out
}

// orLeave is a call that did not fail; else the command ends, and what was not done is said: "I could
// not …".
func (s *script) orLeave(what string, c call) call {
	if c.failed {
		s.refused(what, c)
		panic(stop{errLeft})
	}
	return c
}

// readNote reads a note that is to be looked into.
func (s *script) readNote(p string) call {
	return s.orLeave("I could not read "+cite(p, 0), s.call(readFile, args{"path": p}))
}

// reread reads a note once more before it is changed, where what was read of it is of an earlier
// turn: the user may have changed it since.
func (s *script) reread(r call) call {
	if s.sketch != nil {
		return r
	}
	recorded := s.nextCall()
	if recorded && s.again(readFile) && s.record[s.next].call.arg("path") == r.arg("path") || !recorded && s.turn != r.turn {
		return s.call(readFile, args{"path": r.arg("path")})
	}
	return r
}

// took notes that a call was made in the turn under way.
func (s *script) took(c call) call {
	s.apply(c, false)
	c.turn = s.turn
	s.made = append(s.made, c)
	return c
}

// made says whether a recorded call is the one that was planned. What changes the vault must
// have changed the same.
func (p planned) made(c call) bool {
	return p.name == c.name && !slices.ContainsFunc([]string{"path", "source", "destination"}, func(k string) bool {
		want, ok := p.args[k].(string)
		return ok && c.changes() && c.arg(k) != want
	})
}

// repeated is the result of the same call, made in this turn before, where calling it again can
// bring nothing new: nothing was changed since.
func (s *script) repeated(p planned) (call, bool) {
	if asksUser(p.name) {
		return call{}, false
	}
	want := plain(p.args)
	for _, c := range slices.Backward(s.made) {
		switch {
		case c.turn != s.turn:
			return call{}, false
		case c.name == p.name && reflect.DeepEqual(c.args, want):
			return c, c.failed || !c.changes()
		case c.changes() && !c.failed, p.changes() && c.name == readFile && c.arg("path") == p.args["path"]:
			return call{}, false
		}
	}
	return call{}, false
}

// plain are arguments as they come back from JSON.
func plain(a args) args { return arguments(toolCall(0, "", planned{args: a}).Arguments) }
