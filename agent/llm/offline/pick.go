package offline

import (
	"fmt"
	"path"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
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
		s.sayf("I do not know which note you mean. Please name it, for instance: *%s*.", s.example(grammar.Show))
		panic(stop{errLeft})
	}
	if p := s.daily(name); p != "" {
		return s.dailyNamed(name, p, purpose)
	}
	c := s.view.Resolve(name)
	if len(c) == 0 {
		s.sayf("There is no note called “%s”. Say *list notes* to see what there is.", name)
		panic(stop{errLeft})
	}
	options := pathsOf(c[:min(len(c), 3)])
	return options[s.chooseOne(fmt.Sprintf("There is no note called “%s”. Which of these should I %s?", name, purpose), options)]
}

// dailyNamed is the daily note that a name means, whose path may be guess. The command ends where
// there is none, which is said.
func (s *script) dailyNamed(name, guess, purpose string) string {
	at := s.locateDaily(guess, purpose)
	if !at.exists {
		s.sayf("There is no daily note `%s`. Say *add “…” to %s's note* to begin it.", at.path, strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"))
		panic(stop{errLeft})
	}
	return at.path
}

// daily is the path of the daily note a name means ("today's note"), whether it exists or
// not; empty where the name means none.
func (s *script) daily(name string) string { return s.view.Daily(name, s.now) }

// inTemplates says whether a path lies in a folder of templates.
func inTemplates(p string) bool {
	return strings.Contains(strings.ToLower(path.Dir(p)), "template")
}
