package offline

import (
	"fmt"
	"regexp"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/internal/lazyregexp"
)

// replace replaces text in a note.
func (s *script) replace(c grammar.Command) error {
	p, err := s.target(c, "change")
	if err != nil {
		return err
	}
	a := args{"path": p, "old_text": c.Old, "new_text": c.New}
	what := fmt.Sprintf("Replace “%s” by “%s” in %s", clip(oneLine(c.Old), 60), clip(oneLine(c.New), 60), cite(p, 0))
	if c.All {
		a["replace_all"] = true
		what += ", everywhere"
	}
	r, err := s.change("edit_file", a, what)
	if err != nil {
		return err
	}
	if r.failed {
		if m := timesRE().FindStringSubmatch(r.result); m != nil {
			if err := s.confirm(fmt.Sprintf("“%s” stands %s times in %s. Replace all of them by “%s”?", c.Old, m[1], cite(p, 0), c.New)); err != nil {
				return err
			}
			c.All = true
			if r, err = s.change("edit_file", args{"path": p, "old_text": c.Old, "new_text": c.New, "replace_all": true}, fmt.Sprintf("%s, %s times", what, m[1])); err != nil {
				return err
			}
		} else if strings.Contains(r.result, "was not found") {
			return s.replaceLoosely(p, c)
		}
	}
	s.sayReplaced(p, c, r)
	return nil
}

var timesRE = lazyregexp.New(`was found ([\d,]+) times in`)

// replaceLoosely tries once more with the text as the note spells it: in another case, or with
// other white space.
func (s *script) replaceLoosely(p string, c grammar.Command) error {
	r, err := s.readNote(p)
	if err != nil {
		return err
	}
	lines, _, _ := fileLines(r.result)
	words := strings.Fields(c.Old)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	spelt := map[string]bool{}
	if len(words) > 0 {
		re := regexp.MustCompile(`(?i)` + strings.Join(words, `\s+`)) // quoted words: always valid
		for _, m := range re.FindAllString(joinLines(lines), -1) {
			spelt[m] = true
		}
	}
	if len(spelt) == 0 && c.Note == grammar.It && !isQuoted(c.Text, c.Old) {
		return errNotNamed // "turn my notes into a book" is about no text of the note
	}
	if len(spelt) != 1 {
		s.sayf("“%s” does not stand in %s; nothing was changed. Say *show it* to see its text.", c.Old, cite(p, 0))
		return nil
	}
	for old := range spelt {
		a := args{"path": p, "old_text": old, "new_text": c.New}
		what := fmt.Sprintf("Replace “%s” by “%s” in %s", clip(oneLine(old), 60), clip(oneLine(c.New), 60), cite(p, 0))
		if c.All {
			a["replace_all"] = true
			what += ", everywhere"
		}
		if r, err = s.change("edit_file", a, what); err != nil {
			return err
		}
		c.Old = old
	}
	s.sayReplaced(p, c, r)
	return nil
}

func (s *script) sayReplaced(p string, c grammar.Command, r call) {
	if r.failed {
		s.refused("I could not change "+cite(p, 0), r)
		return
	}
	first, _, _ := strings.Cut(r.result, "\n")
	times := ""
	if m := replacedRE().FindStringSubmatch(first); m != nil && m[1] != "1" {
		times = " " + m[1] + " times"
	}
	s.didf("Replaced “%s” by “%s”%s in %s.", c.Old, c.New, times, cite(p, 0))
}

var replacedRE = lazyregexp.New(`^Replaced ([\d,]+) occurrence`)
