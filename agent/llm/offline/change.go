package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/placement"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
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
	lines, _, _ := toolresult.FileLines(s.readNote(p).result)
	words := text.Of(strings.Fields(c.Old), regexp.QuoteMeta)
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
	panic(s.unable("“%s” is not in %s; nothing was changed. Say *show it* to see its text.", c.Old, cite(p, 0)))
}

var replacedRE = lazyregexp.New(`^Replaced ([\d,]+) occurrence`)

// removeText takes a line, or a piece of text, out of a note.
func (s *script) removeText(c grammar.Command) {
	p := s.target(c, "change")
	r := s.readNote(p)
	lines, _, _ := toolresult.FileLines(r.result)
	whole, part := linesWith(lines, c.Old)
	fits := whole
	if len(fits) == 0 {
		fits = part
	}
	if len(fits) == 0 {
		s.failf("“%s” is not in %s; nothing was removed.", c.Old, cite(p, 0))
		return
	}
	at := fits[s.chooseItem(fmt.Sprintf("“%s” is on several lines of %s. Which one should I remove?", c.Old, cite(p, 0)), len(fits), func(i int) string {
		return fmt.Sprintf("line %d: %s", fits[i].N, clip(strings.TrimSpace(fits[i].Text), 120))
	})]
	r = s.reread(r)
	if lines, _, _ = toolresult.FileLines(r.result); !slices.Contains(lines, at) {
		s.failf("%s was changed in the meantime, so nothing was removed. Please ask again.", cite(p, 0))
		return
	}
	rest, n := without(at.Text, c.Old)
	cut := n > 0 && len(whole) == 0 && !c.All
	if cut && !c.Verbatim && !s.chosen && !listedRE().MatchString(at.Text) {
		picked := s.chooseOne(fmt.Sprintf("“%s” is a part of a line of %s. What should I remove?", c.Old, cite(p, at.N)),
			[]string{"The whole line: " + clip(strings.TrimSpace(at.Text), 120), fmt.Sprintf("Only “%s”", c.Old)})
		cut = picked == 1
	}
	a := args{"path": p, "delete_lines": map[string]int{"start": at.N, "end": at.N}}
	what := fmt.Sprintf("Remove “%s” from %s", clip(oneLine(at.Text), 80), cite(p, 0))
	if cut {
		a = args{"path": p, "old_text": at.Text, "new_text": rest}
		what = fmt.Sprintf("Remove “%s” from “%s” in %s", clip(oneLine(c.Old), 80), clip(oneLine(at.Text), 80), cite(p, 0))
	}
	s.orLeave("I could not change "+cite(p, 0), s.change("edit_file", a, what))
	if cut {
		times := ""
		if n > 1 {
			times = fmt.Sprintf(" %d times", n)
		}
		s.didf("Removed “%s”%s from %s, where the line now reads:\n\n%s", c.Old, times, cite(p, at.N), quote(clip(rest, 200)))
		return
	}
	s.didf("Removed from %s:\n\n%s", cite(p, 0), quote(clip(at.Text, 200)))
}

// linesWith are the lines that are a text, and those that hold it: as words of its own where any
// do.
func linesWith(lines []toolresult.Numbered, old string) (whole, part []toolresult.Numbered) {
	want := naming.Normal(old)
	var inner []toolresult.Numbered // within other words
	for _, l := range lines {
		text := bullet(l.Text)
		switch {
		case want != "" && (naming.Normal(text) == want || naming.Normal(boxRE().ReplaceAllString(text, "")) == want || strings.TrimSpace(l.Text) == strings.TrimSpace(old)):
			whole = append(whole, l)
		case len(wordsAt(l.Text, old)) > 0:
			part = append(part, l)
		case strings.Contains(strings.ToLower(l.Text), strings.ToLower(old)):
			inner = append(inner, l)
		}
	}
	if len(part) == 0 {
		part = inner
	}
	return whole, part
}

// listedRE is a property that lists its values in brackets.
var listedRE = lazyregexp.New(`^[\w-]+:\s*\[.*\]\s*$`)

// boxRE is the box of a task.
var boxRE = lazyregexp.New(`^\s*(?:[-*+]\s+)?\[.\]\s+`)

// wordsAt are the places of a text in a line where no word goes on beside it.
func wordsAt(line, old string) [][]int {
	if old == "" {
		return nil
	}
	re := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(old)) // a quoted text: always valid
	var out [][]int
	for _, at := range re.FindAllStringIndex(line, -1) {
		before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
		after, _ := utf8.DecodeRuneInString(line[at[1]:])
		first, _ := utf8.DecodeRuneInString(line[at[0]:])
		last, _ := utf8.DecodeLastRuneInString(line[:at[1]])
		if inWord := isWord(before) && isWord(first) || isWord(after) && isWord(last); !inWord {
			out = append(out, at)
		}
	}
	return out
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// without is a line without a text, and how often that stood there. The space before it goes with
// it, and the comma of a list in brackets.
func without(line, old string) (rest string, n int) {
	places := wordsAt(line, old)
	if len(places) == 0 {
		if i := strings.Index(strings.ToLower(line), strings.ToLower(old)); i >= 0 && i+len(old) <= len(line) {
			places = [][]int{{i, i + len(old)}}
		}
	}
	for _, at := range slices.Backward(places) {
		before, after := line[:at[0]], line[at[1]:]
		switch trimmed := strings.TrimRight(before, " "); {
		case strings.HasSuffix(trimmed, "[") && strings.HasPrefix(strings.TrimLeft(after, " "), ","):
			after = strings.TrimLeft(strings.TrimLeft(after, " ")[1:], " ")
		case strings.HasSuffix(trimmed, ",") && (strings.HasPrefix(after, "]") || strings.HasPrefix(after, ",")):
			before = strings.TrimSuffix(trimmed, ",")
		case trimmed != "" && (after == "" || strings.ContainsAny(after[:1], " .,;:!?)")):
			before = trimmed
			if placement.ListItem().MatchString(trimmed+" x") && !placement.ListItem().MatchString(trimmed) {
				before, after = trimmed+" ", strings.TrimLeft(after, " ")
			}
		}
		line = before + after
	}
	return line, len(places)
}
