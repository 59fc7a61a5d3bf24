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
func (s *script) pick(name, purpose string, all bool) ([]string, error) {
	if name == grammar.It || name == "" {
		p := lastNote(s.past, s.made)
		if p == "" || !s.view.Has(p) {
			return nil, nil
		}
		return []string{p}, nil
	}
	if list := listed(s.past); len(list) > 0 {
		if n, ok := ordinal(naming.Normal(name), len(list)); ok && s.view.Has(list[n]) && len(s.exact(name)) == 0 {
			return []string{list[n]}, nil
		}
	}
	if p := s.daily(name); p != "" {
		if own := s.exact(name); len(own) > 0 && !inTemplates(own[0].Path) { // a note that is called "Journal"
			return []string{own[0].Path}, nil
		}
		at, err := s.locateDaily(p, purpose)
		switch {
		case err != nil:
			return nil, err
		case at.exists:
			return []string{at.path}, nil
		}
		return nil, nil // and not what is only called alike, as the template is
	}
	c := s.view.Resolve(name)
	if len(c) == 0 || c[0].Score < naming.FitsSurely {
		return nil, nil
	}
	same := naming.Distinct(c)
	if len(same) == 1 {
		return []string{same[0].Path}, nil
	}
	more := ""
	if len(same) > maxOptions {
		more = fmt.Sprintf(" (the first %d of %d)", maxOptions, len(same))
		same = same[:maxOptions]
	}
	options := make([]string, len(same))
	for i, o := range same {
		options[i] = o.Path
	}
	many := map[int]string{2: "Two notes match"}[len(options)]
	if many == "" {
		many = fmt.Sprintf("%d notes match", len(options))
	}
	picked, err := s.choose(fmt.Sprintf("%s “%s”%s. Which one should I %s?", many, name, more, purpose), options, all)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, i := range picked {
		out = append(out, options[i])
	}
	return out, nil
}

// one is pick for a command that needs a single note; it says so where none fits.
func (s *script) one(name, purpose string) (string, error) {
	p, err := s.pick(name, purpose, false)
	switch {
	case err != nil:
		return "", err
	case p == nil:
		return s.guess(name, purpose)
	}
	return p[0], nil
}

// guess asks whether a note that fits a name only roughly is meant, and says that there is
// none where nothing comes near. The error is errLeft where none is meant.
func (s *script) guess(name, purpose string) (string, error) {
	if name == grammar.It || name == "" {
		s.sayf("I do not know which note you mean. Please name it, for instance: *%s*.", s.example(grammar.Show))
		return "", errLeft
	}
	if p := s.daily(name); p != "" {
		return s.dailyNamed(name, p, purpose)
	}
	c := s.view.Resolve(name)
	if len(c) == 0 {
		s.sayf("There is no note called “%s”. Say *list notes* to see what there is.", name)
		return "", errLeft
	}
	options := make([]string, min(len(c), 3))
	for i := range options {
		options[i] = c[i].Path
	}
	picked, err := s.chooseOne(fmt.Sprintf("There is no note called “%s”. Which of these should I %s?", name, purpose), options)
	if err != nil {
		return "", err
	}
	return options[picked], nil
}

// dailyNamed is the daily note that a name means, whose path may be guess. The error is errLeft where
// there is none, which is said.
func (s *script) dailyNamed(name, guess, purpose string) (string, error) {
	at, err := s.locateDaily(guess, purpose)
	if err == nil && !at.exists {
		s.sayf("There is no daily note `%s`. Say *add “…” to %s's note* to begin it.", at.path, strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"))
		err = errLeft
	}
	return at.path, err
}

// daily is the path of the daily note a name means ("today's note"), whether it exists or
// not; empty where the name means none.
func (s *script) daily(name string) string { return s.view.Daily(name, s.now) }

// inTemplates says whether a path lies in a folder of templates.
func inTemplates(p string) bool {
	return strings.Contains(strings.ToLower(path.Dir(p)), "template")
}
