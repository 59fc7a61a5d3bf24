package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/internal/lazyregexp"
)

// pick finds the notes a name means, asking where several fit; none where nothing fits, which is not
// said. all allows more than one.
func (s *script) pick(name, purpose string, all bool) []string {
	if name == grammar.It || name == "" {
		p := lastNote(s.past, s.made)
		if p == "" || !s.view.Has(p) {
			return nil
		}
		return []string{p}
	}
	if p := s.numbered(name); p != "" {
		return []string{p}
	}
	if p := s.daily(name); p != "" {
		if own := s.exact(name); len(own) > 0 && !inTemplates(own[0]) { // a note that is called "Journal"
			return own[:1]
		}
		if at := s.locateDaily(p, purpose); at.exists {
			return []string{at.path}
		}
		return nil // and not what is only called alike, as the template is
	}
	c := s.view.Resolve(name)
	if len(c) == 0 || c[0].Score < naming.FitsSurely {
		return nil
	}
	same := pathsOf(naming.Distinct(c))
	if len(same) == 1 {
		return same
	}
	return s.someOf(fmt.Sprintf("%s “%s”.", matching(min(len(same), maxOptions), "match"), name), same, purpose, all)
}

// matching says how many notes match a name; many are said by a verb of their own.
func matching(n int, verb string) string {
	if n == 2 {
		return "Two notes match"
	}
	return counted(n, "note") + " " + verb
}

// numbered is the note that "the second one" means after a list; empty where it means none.
func (s *script) numbered(name string) string {
	list := listed(s.past)
	n, ok := ordinal(naming.Normal(name), len(list))
	if !ok || !s.view.Has(list[n]) || len(s.exact(name)) > 0 {
		return ""
	}
	return list[n]
}

// one is pick for a command that needs a single note; it says so where none fits.
func (s *script) one(name, purpose string) string {
	if p := s.pick(name, purpose, false); p != nil {
		return p[0]
	}
	return s.guess(name, purpose)
}

// guess asks whether a note that fits a name only roughly is meant, and says that there is
// none where nothing comes near. The command ends where none is meant.
func (s *script) guess(name, purpose string) string {
	if name == grammar.It || name == "" {
		panic(s.unable("I do not know which note you mean. Please name it, for instance: *%s*.", s.example(grammar.Show)))
	}
	if p := s.daily(name); p != "" {
		return s.dailyNamed(name, p, purpose)
	}
	c := s.view.Resolve(name)
	if len(c) == 0 {
		panic(s.unable("There is no note called “%s”. Say *list notes* to see what there is.", name))
	}
	options := pathsOf(c[:min(len(c), 3)])
	return options[s.chooseOne(fmt.Sprintf("There is no note called “%s”. Which of these should I %s?", name, purpose), options)]
}

// inTemplates says whether a path lies in a folder of templates.
func inTemplates(p string) bool {
	return strings.Contains(strings.ToLower(path.Dir(p)), "template")
}

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
	for i, c := range slices.Backward(calls) {
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
	panic(s.unable("I do not know which folder you mean. Please name it."))
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

// Bounds of an enumeration of names.
const (
	maxEnumerated = 16
	fitsListed    = 0.9 // from which a name in a list is taken without a question before a deletion
)

var enumeration = lazyregexp.New(`(?i)\s*,\s*(?:and\s+|&\s*)?|\s+(?:and|&|as well as|plus)\s+(?:(?:the|my) )?(?:also )?`)

// listedName is a name out of an enumeration with what it means.
type listedName struct {
	name             string
	naming.Candidate // without a path where nothing fits
}

// enumerated reads "A, B and C" as the names of several notes or folders. It is nil where the
// whole is better read as one name: commas and "and" stand in names too, so that pieces that
// together are the name of a note are one.
func (s *script) enumerated(text string) []listedName {
	at := enumeration().FindAllStringIndex(text, maxEnumerated)
	if len(at) == 0 || len(at) == maxEnumerated || s.fit(text).Score >= naming.FitsExactly {
		return nil
	}
	starts, ends := []int{0}, []int{}
	for _, m := range at {
		ends, starts = append(ends, m[0]), append(starts, m[1])
	}
	ends = append(ends, len(text))
	var out []listedName
	found, n := 0, len(starts)
	for from := 0; from < n; {
		to := n - 1
		for to > from && s.fit(text[starts[from]:ends[to]]).Score < naming.FitsExactly {
			to--
		}
		f := s.fit(text[starts[from]:ends[to]])
		if f.Score < fitsListed {
			f.Path = ""
		} else {
			found++
		}
		out = append(out, f)
		from = to + 1
	}
	if found == 0 || found == 1 && s.fit(text).Score >= naming.FitsSurely {
		return nil
	}
	return out
}

// fit is the note or folder a name means most likely.
func (s *script) fit(name string) listedName {
	name = grammar.NoteName(name)
	if p := s.daily(name); p != "" && s.view.Has(p) {
		return listedName{name, naming.Candidate{Path: p, Score: 1}}
	}
	best := s.view.ResolveFolder(strings.TrimSuffix(name, " folder"))
	if found := s.view.Resolve(name); len(found) > 0 && found[0].Score >= best.Score {
		best = found[0]
	}
	return listedName{name, best}
}

// eachOf is a command on several notes as commands on one each, the names that mean nothing
// left out and said. The command ends where nothing is to be done, which was said.
func (s *script) eachOf(c grammar.Command) []grammar.Command {
	if c.Note == grammar.It || c.Sure && c.Kind == grammar.Delete {
		return []grammar.Command{c}
	}
	names := s.enumerated(c.Note)
	if names == nil {
		return []grammar.Command{c}
	}
	var list []grammar.Command
	var found, missing []string
	for _, f := range names {
		if f.Path == "" || f.Score < naming.FitsExactly && c.Changes() {
			missing = append(missing, "“"+f.name+"”")
			continue
		}
		one := c
		one.Note, one.Others, one.Sure = f.Path, nil, !naming.IsNote(f.Path) && canBeFolder(c)
		list, found = append(list, one), append(found, f.Path)
	}
	switch {
	case len(list) == 0, len(missing) > 0 && (c.Kind == grammar.Add || len(c.Others) > 0):
		return []grammar.Command{c} // rather one name, or text
	case len(missing) == 0:
		return list
	case !c.Changes():
		s.failf("There is no note called %s.", strings.Join(missing, " or "))
		return list
	}
	to := "“" + c.To + "”"
	if c.Kind == grammar.Delete {
		to = "the trash"
	}
	s.confirm(fmt.Sprintf("There is no note called %s. Shall I move these to %s?\n\n- %s", strings.Join(missing, " or "), to, strings.Join(found, "\n- ")))
	return list
}
