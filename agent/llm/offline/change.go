package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// replace replaces text in a note.
func (s *script) replace(c grammar.Command) error {
	p, err := s.target(c, "change")
	if err != nil {
		return err
	}
	edit := func(how string) (call, error) {
		a := args{"path": p, "old_text": c.Old, "new_text": c.New}
		if c.All {
			a["replace_all"] = true
		}
		return s.change("edit_file", a, fmt.Sprintf("Replace “%s” with “%s” in %s%s", clip(oneLine(c.Old), 60), clip(oneLine(c.New), 60), cite(p, 0), how))
	}
	everywhere := map[bool]string{true: ", everywhere"}[c.All]
	r, err := edit(everywhere)
	if err != nil {
		return err
	}
	if m := timesRE().FindStringSubmatch(r.result); r.failed && m != nil {
		if err := s.confirm(fmt.Sprintf("“%s” is in %[3]s %[2]s times. Replace all of them with “%[4]s”?", c.Old, m[1], cite(p, 0), c.New)); err != nil {
			return err
		}
		c.All = true
		r, err = edit(", " + m[1] + " times")
	} else if r.failed && strings.Contains(r.result, "was not found") {
		if c.Old, err = s.spelling(p, c); err == nil {
			r, err = edit(everywhere)
		}
	}
	if err = s.leftAt("I could not change "+cite(p, 0), r, err); err != nil {
		return err
	}
	first, _, _ := strings.Cut(r.result, "\n")
	times := ""
	if m := replacedRE().FindStringSubmatch(first); m != nil && m[1] != "1" {
		times = " " + m[1] + " times"
	}
	s.didf("Replaced “%s” with “%s”%s in %s.", c.Old, c.New, times, cite(p, 0))
	return nil
}

var timesRE = lazyregexp.New(`was found ([\d,]+) times in`)

// spelling is the text to be replaced as the note spells it: in another case, or with other white
// space. The error is errLeft where it does not stand there, or in several spellings.
func (s *script) spelling(p string, c grammar.Command) (string, error) {
	r, err := s.readNote(p)
	if err != nil {
		return "", err
	}
	lines, _, _ := toolresult.FileLines(r.result)
	words := strings.Fields(c.Old)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	var spelt []string
	if len(words) > 0 {
		re := regexp.MustCompile(`(?i)` + strings.Join(words, `\s+`)) // quoted words: always valid
		spelt = re.FindAllString(toolresult.JoinLines(lines), -1)
		slices.Sort(spelt)
		spelt = slices.Compact(spelt)
	}
	switch {
	case len(spelt) == 1:
		return spelt[0], nil
	case len(spelt) == 0 && c.Note == grammar.It && !isQuoted(c.Text, c.Old):
		return "", errNotNamed // "turn my notes into a book" is about no text of the note
	}
	s.sayf("“%s” is not in %s; nothing was changed. Say *show it* to see its text.", c.Old, cite(p, 0))
	return "", errLeft
}

var replacedRE = lazyregexp.New(`^Replaced ([\d,]+) occurrence`)
