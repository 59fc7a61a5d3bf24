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
func (s *script) replace(c grammar.Command) {
	p := s.target(c, "change")
	edit := func(how string) call {
		a := args{"path": p, "old_text": c.Old, "new_text": c.New}
		if c.All {
			a["replace_all"] = true
		}
		return s.change("edit_file", a, fmt.Sprintf("Replace “%s” with “%s” in %s%s", clip(oneLine(c.Old), 60), clip(oneLine(c.New), 60), cite(p, 0), how))
	}
	everywhere := map[bool]string{true: ", everywhere"}[c.All]
	r := edit(everywhere)
	if m := timesRE().FindStringSubmatch(r.result); r.failed && m != nil {
		s.confirm(fmt.Sprintf("“%s” is in %[3]s %[2]s times. Replace all of them with “%[4]s”?", c.Old, m[1], cite(p, 0), c.New))
		c.All = true
		r = edit(", " + m[1] + " times")
	} else if r.failed && strings.Contains(r.result, "was not found") {
		c.Old = s.spelling(p, c)
		r = edit(everywhere)
	}
	s.orLeave("I could not change "+cite(p, 0), r)
	first, _, _ := strings.Cut(r.result, "\n")
	times := ""
	if m := replacedRE().FindStringSubmatch(first); m != nil && m[1] != "1" {
		times = " " + m[1] + " times"
	}
	s.didf("Replaced “%s” with “%s”%s in %s.", c.Old, c.New, times, cite(p, 0))
}

var timesRE = lazyregexp.New(`was found ([\d,]+) times in`)

// spelling is the text to be replaced as the note spells it: in another case, or with other white
// space. The command ends where it does not stand there, or in several spellings.
func (s *script) spelling(p string, c grammar.Command) string {
	r := s.readNote(p)
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
		return spelt[0]
	case len(spelt) == 0 && c.Note == grammar.It && !isQuoted(c.Text, c.Old):
		panic(stop{errNotNamed}) // "turn my notes into a book" is about no text of the note
	}
	s.sayf("“%s” is not in %s; nothing was changed. Say *show it* to see its text.", c.Old, cite(p, 0))
	panic(stop{errLeft})
}

var replacedRE = lazyregexp.New(`^Replaced ([\d,]+) occurrence`)
