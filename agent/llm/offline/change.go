package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// replace replaces text in a note.
func (s *script) replace(c grammar.Command) error {
	p, ok, err := s.one(c.Note, "change")
	if err != nil || !ok {
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
			yes, err := s.confirm(fmt.Sprintf("“%s” stands %s times in %s. Replace all of them by “%s”?", c.Old, m[1], cite(p, 0), c.New))
			if err != nil {
				return err
			}
			if !yes {
				s.sayf("All right, %s stays as it is.", cite(p, 0))
				return nil
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

var timesRE = lazy(`was found ([\d,]+) times in`)

// replaceLoosely tries once more with the text as the note spells it: in another case, or with
// other white space.
func (s *script) replaceLoosely(p string, c grammar.Command) error {
	r, err := s.call("read_file", args{"path": p})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not read "+cite(p, 0), r)
		return nil
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

var replacedRE = lazy(`^Replaced ([\d,]+) occurrence`)

// chooseOne asks which of the options is meant; negative when none is, which it then says.
func (s *script) chooseOne(question string, options []string) (int, error) {
	picked, err := s.choose(question, options, false)
	if err != nil {
		return -1, err
	}
	if len(picked) == 0 {
		s.say("All right, I leave it.")
		return -1, nil
	}
	return picked[0], nil
}

// chooseLine asks which of several lines is meant; one alone needs no question.
func (s *script) chooseLine(question string, lines []numbered) (int, error) {
	if len(lines) == 1 {
		return 0, nil
	}
	options := make([]string, min(len(lines), maxOptions))
	for i := range options {
		options[i] = fmt.Sprintf("line %d: %s", lines[i].n, clip(strings.TrimSpace(lines[i].text), 120))
	}
	return s.chooseOne(question, options)
}

// removeText takes a line, or a piece of text, out of a note.
func (s *script) removeText(c grammar.Command) error {
	p, ok, err := s.one(c.Note, "change")
	if err != nil || !ok {
		return err
	}
	r, err := s.call("read_file", args{"path": p})
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not read "+cite(p, 0), r)
		return nil
	}
	lines, _, _ := fileLines(r.result)
	whole, part := linesWith(lines, c.Old)
	fits := whole
	if len(fits) == 0 {
		fits = part
	}
	if len(fits) == 0 {
		s.sayf("“%s” does not stand in %s; nothing was removed.", c.Old, cite(p, 0))
		return nil
	}
	picked, err := s.chooseLine(fmt.Sprintf("“%s” stands in several lines of %s. Which one should I remove?", c.Old, cite(p, 0)), fits)
	if err != nil || picked < 0 {
		return err
	}
	at := fits[picked]
	if r, err = s.reread(r); err != nil {
		return err
	}
	if lines, _, _ = fileLines(r.result); !slices.Contains(lines, at) {
		s.failf("%s was changed meanwhile, so nothing was removed. Please ask again.", cite(p, 0))
		return nil
	}
	rest, n := without(at.text, c.Old)
	cut := n > 0 && len(whole) == 0 && !c.All
	if cut && !c.Verbatim && listItem().MatchString(at.text) && !s.chosen {
		picked, err := s.chooseOne(fmt.Sprintf("“%s” is a part of a line of %s. What should I remove?", c.Old, cite(p, at.n)),
			[]string{"The whole line: " + clip(strings.TrimSpace(at.text), 120), fmt.Sprintf("Only “%s”", c.Old)})
		if err != nil || picked < 0 {
			return err
		}
		cut = picked == 1
	}
	a := args{"path": p, "delete_lines": map[string]int{"start": at.n, "end": at.n}}
	what := fmt.Sprintf("Remove “%s” from %s", clip(oneLine(at.text), 80), cite(p, 0))
	if cut {
		a = args{"path": p, "old_text": at.text, "new_text": rest}
		what = fmt.Sprintf("Remove “%s” from “%s” in %s", clip(oneLine(c.Old), 80), clip(oneLine(at.text), 80), cite(p, 0))
	}
	if r, err = s.change("edit_file", a, what); err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not change "+cite(p, 0), r)
		return nil
	}
	if cut {
		times := ""
		if n > 1 {
			times = fmt.Sprintf(" %d times", n)
		}
		s.didf("Removed “%s”%s from %s, where the line reads now:\n\n%s", c.Old, times, cite(p, at.n), quote(clip(rest, 200)))
		return nil
	}
	s.didf("Removed from %s:\n\n%s", cite(p, 0), quote(clip(at.text, 200)))
	return nil
}

// linesWith are the lines that are a text, and those that hold it: as words of its own where any
// do.
func linesWith(lines []numbered, old string) (whole, part []numbered) {
	want := normal(old)
	var inner []numbered // within other words
	for _, l := range lines {
		text := bullet(l.text)
		switch {
		case want != "" && (normal(text) == want || normal(boxRE().ReplaceAllString(text, "")) == want || strings.TrimSpace(l.text) == strings.TrimSpace(old)):
			whole = append(whole, l)
		case len(wordsAt(l.text, old)) > 0:
			part = append(part, l)
		case strings.Contains(strings.ToLower(l.text), strings.ToLower(old)):
			inner = append(inner, l)
		}
	}
	if len(part) == 0 {
		part = inner
	}
	return whole, part
}

// boxRE is the box of a task.
var boxRE = lazy(`^\s*(?:[-*+]\s+)?\[.\]\s+`)

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
		case strings.HasSuffix(trimmed, ",") && strings.HasPrefix(after, "]"):
			before = strings.TrimSuffix(trimmed, ",")
		case strings.HasSuffix(trimmed, ",") && strings.HasPrefix(after, ","):
			before = strings.TrimSuffix(trimmed, ",")
		case trimmed != "" && (after == "" || strings.ContainsAny(after[:1], " .,;:!?)")):
			before = trimmed
			if listItem().MatchString(trimmed+" x") && !listItem().MatchString(trimmed) {
				before, after = trimmed+" ", strings.TrimLeft(after, " ")
			}
		}
		line = before + after
	}
	return line, len(places)
}

// dailyNoteRE recognises that a daily note is spoken of, not the folder of them.
var dailyNoteRE = lazy(`(?i)\b(?:daily|journal|diary) (?:note|page|entry)\b`)

// wholesaleRE recognises what is no name, but a description of many notes.
var wholesaleRE = lazy(`(?i)^(?:everything|all|all (?:of )?(?:my |the |these |those )?\S.*|every \S.*|(?:my |the )?notes?(?: about .*)?)$`)

// source finds the note or folder to be moved or deleted. Folders are found by their name
// where the user said "folder" or no note has it.
func (s *script) source(c grammar.Command, purpose string) (string, bool, error) {
	if c.Note != grammar.It {
		f := s.view.resolveFolder(c.Note)
		if f.path != "" && !dailyNoteRE().MatchString(c.Text) && (c.Sure || f.score >= fitsExactly && len(s.exact(c.Note)) == 0) {
			return f.path, true, nil
		}
		if wholesaleRE().MatchString(c.Note) && len(s.exact(c.Note)) == 0 {
			s.sayf("I do not %s notes wholesale, only what you name: a note, several notes, or a folder. Nothing was changed.", purpose)
			return "", false, nil
		}
		if c.Sure {
			s.sayf("There is no folder “%s”.%s", c.Note, s.foldersHint())
			return "", false, nil
		}
	}
	return s.one(c.Note, purpose)
}

// move moves a note or folder into a folder.
func (s *script) move(c grammar.Command) error {
	if len(c.Others) > 0 { // "put milk on …": text, unless it names a note
		if n := s.view.resolve(c.Note); c.Note != grammar.It && (len(n) == 0 || n[0].score < fitsListed) {
			return s.add(c.Others[0])
		}
	}
	if s.isTrash(c.To) {
		return s.delete(c)
	}
	from, ok, err := s.source(c, "move")
	if err != nil || !ok {
		return err
	}
	folder := ""
	if grammar.IsPronoun(c.To) {
		if folder = lastFolder(s.past, s.made); folder == "" {
			s.say("I do not know which folder you mean. Please name it.")
			return nil
		}
	} else if !isRootName(c.To) {
		folder = strings.Trim(path.Clean(c.To), "/")
		if f := s.view.resolveFolder(c.To); f.path != "" {
			folder = f.path
		}
	}
	to := path.Join(folder, path.Base(from))
	if isNote(folder) {
		to = folder // a whole path was given
	}
	return s.rewrite(from, to, "Move", "Moved")
}

func isRootName(s string) bool {
	switch strings.ToLower(strings.Trim(s, "/ ")) {
	case "", ".", "root", "vault", "top", "the root", "the vault", "top level", "vault root":
		return true
	}
	return false
}

// rename gives a note or folder another name where it is.
func (s *script) rename(c grammar.Command) error {
	from, ok, err := s.source(c, "rename")
	if err != nil || !ok {
		return err
	}
	title := c.To
	dir := path.Dir(from)
	if strings.Contains(title, "/") {
		dir, title = path.Dir(path.Clean(title)), path.Base(title)
	}
	if isNote(title) {
		title = retrieval.Name(title)
	}
	file := portable(title)
	if file == "" {
		s.sayf("“%s” cannot be a name. Please use letters or digits.", c.To)
		return nil
	}
	if isNote(from) {
		file += ".md"
	}
	return s.rewrite(from, path.Join(dir, file), "Rename", "Renamed")
}

// named is how an answer names a note or a folder.
func named(p string) string {
	if isNote(p) {
		return "“" + retrieval.Name(p) + "”"
	}
	return "`" + p + "/`"
}

// pointed is how a step of a plan names a note or a folder.
func pointed(p string) string {
	if isNote(p) {
		return cite(p, 0)
	}
	return "the folder `" + p + "/`"
}

// destined is where a step of a plan moves something from a folder to.
func destined(to, from string) string {
	switch folder, name := path.Dir(to), path.Base(to); {
	case folder == from && isNote(name):
		return "“" + retrieval.Name(name) + "”"
	case folder == from:
		return "`" + name + "/`"
	case folder == ".":
		return "the top of the vault"
	default:
		return "`" + folder + "/`"
	}
}

// rewrite moves a path and says what became of it. verb is what is done, done the same in the past.
func (s *script) rewrite(from, to, verb, done string) error {
	if from == to {
		s.sayf("%s is there already.", cite(to, 0))
		return nil
	}
	r, err := s.change("move_file", args{"source": from, "destination": to}, fmt.Sprintf("%s %s to %s", verb, pointed(from), destined(to, path.Dir(from))))
	if err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not move "+named(from), r)
		return nil
	}
	target := "`" + to + "/`"
	if isNote(to) {
		target = cite(to, 0)
	}
	links := ""
	first, _, _ := strings.Cut(r.result, "\n")
	if _, after, ok := strings.Cut(first, " Updated "); ok {
		links = " Updated " + after
	}
	s.didf("%s %s to %s.%s", done, named(from), target, links)
	return nil
}

// makeFolder makes a folder.
func (s *script) makeFolder(c grammar.Command) error {
	if parent, name, ok := strings.Cut(c.Folder, "/"); ok && grammar.IsPronoun(parent) {
		if parent = lastFolder(s.past, s.made); parent == "" {
			s.say("I do not know which folder you mean. Please name it.")
			return nil
		}
		c.Folder = parent + "/" + name
	}
	var parts []string
	for part := range strings.SplitSeq(c.Folder, "/") {
		if part = portable(part); part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Join(parts, "/")
	if parent := path.Dir(name); parent != "." {
		if f := s.view.resolveFolder(parent); f.path != "" {
			name = path.Join(f.path, path.Base(name))
		}
	}
	if name == "" {
		s.sayf("“%s” cannot be the name of a folder.", c.Folder)
		return nil
	}
	r, err := s.change("create_folder", args{"path": name}, fmt.Sprintf("Make the folder `%s/`", name))
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(r.result, "already exists"):
		s.foundf("The folder `%s/` is there already.", name)
	case r.failed:
		s.refused("I could not make the folder", r)
	default:
		s.didf("Made the folder `%s/`.", name)
	}
	return nil
}
