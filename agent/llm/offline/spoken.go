package offline

import (
	"slices"

	"chatvault/agent/llm/offline/naming"
)

// lastNote is the note the conversation last was about: the first of those of the newest turn that was
// about any. Empty when there is none.
func lastNote(past []turn, record []call) string {
	for n := len(past); n >= 0; n-- {
		about, _ := spokenOf(past[:n], record)
		switch {
		case len(about) == 0:
		case record == nil && n > 0 && past[n-1].summary: // of many answers: the newest stands last
			return about[len(about)-1]
		default:
			return about[0]
		}
		record = nil
	}
	return ""
}

// noteOf is the note that calls were about: the last one changed, else the first of the last
// reads.
func noteOf(calls []call) string {
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if c.failed || c.pending {
			continue
		}
		switch c.name {
		case "write_file", "edit_file", "move_file":
			return c.place()
		case dailyNote:
			if p := c.place(); p != "" {
				return p
			}
		case listTasks, getLinks:
			if p := c.arg("path"); naming.IsNote(p) {
				return p
			}
		case readFile:
			first := i
			for first > 0 && calls[first-1].name == readFile && !calls[first-1].failed {
				first--
			}
			return calls[first].arg("path")
		}
	}
	return ""
}

// lastFolder is the folder that was made last. The command ends where there is none, which is said.
func (s *script) lastFolder() string {
	for _, c := range slices.Backward(s.done()) {
		if c.name == "create_folder" {
			return c.arg("path")
		}
	}
	s.say("I do not know which folder you mean. Please name it.")
	panic(stop{errLeft})
}

// done are the calls of this conversation that were made, and did not fail.
func (s *script) done() []call {
	var all []call
	for _, t := range s.past {
		all = append(all, t.calls...)
	}
	return slices.DeleteFunc(append(all, s.made...), func(c call) bool { return c.failed || c.pending })
}

// listed are the paths an answer named, in order, for "the second one".
func listed(past []turn) []string {
	for _, t := range slices.Backward(past) {
		var out []string
		for _, c := range citations(t.answer) {
			if !slices.Contains(out, c.Path) {
				out = append(out, c.Path)
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}
