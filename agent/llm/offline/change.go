package offline

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

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
	want := normal(c.Old)
	var whole, part []numbered
	for _, l := range lines {
		switch text := normal(bullet(l.text)); {
		case want != "" && (text == want || strings.TrimSpace(l.text) == strings.TrimSpace(c.Old)):
			whole = append(whole, l)
		case strings.Contains(strings.ToLower(l.text), strings.ToLower(c.Old)):
			part = append(part, l)
		}
	}
	fits := whole
	if len(fits) == 0 {
		fits = part
	}
	if len(fits) == 0 {
		s.sayf("“%s” does not stand in %s; nothing was removed.", c.Old, cite(p, 0))
		return nil
	}
	at := fits[0]
	if len(fits) > 1 {
		n := min(len(fits), maxOptions)
		options := make([]string, n)
		for i := range options {
			options[i] = fmt.Sprintf("line %d: %s", fits[i].n, clip(strings.TrimSpace(fits[i].text), 120))
		}
		picked, err := s.choose(fmt.Sprintf("“%s” stands in several lines of %s. Which one should I remove?", c.Old, cite(p, 0)), options, false)
		if err != nil {
			return err
		}
		if len(picked) == 0 {
			s.say("All right, I leave it.")
			return nil
		}
		at = fits[picked[0]]
	}
	if r, err = s.reread(r); err != nil {
		return err
	}
	if lines, _, _ = fileLines(r.result); !slices.Contains(lines, at) {
		s.failf("%s was changed meanwhile, so nothing was removed. Please ask again.", cite(p, 0))
		return nil
	}
	a := args{"path": p, "delete_lines": map[string]int{"start": at.n, "end": at.n}}
	if len(whole) == 0 && !strings.HasPrefix(strings.TrimSpace(at.text), "- ") {
		i := strings.Index(strings.ToLower(at.text), strings.ToLower(c.Old))
		if i >= 0 && i+len(c.Old) <= len(at.text) {
			rest := strings.TrimRight(at.text[:i], " ") + at.text[i+len(c.Old):]
			a = args{"path": p, "old_text": at.text, "new_text": rest}
		}
	}
	if r, err = s.change("edit_file", a, fmt.Sprintf("Remove “%s” from %s", clip(oneLine(at.text), 80), cite(p, 0))); err != nil {
		return err
	}
	if r.failed {
		s.refused("I could not change "+cite(p, 0), r)
		return nil
	}
	s.didf("Removed from %s:\n\n%s", cite(p, 0), quote(clip(at.text, 200)))
	return nil
}

// wholesaleRE recognises what is no name, but a description of many notes.
var wholesaleRE = lazy(`(?i)^(?:everything|all|all (?:of )?(?:my |the |these |those )?\S.*|every \S.*|(?:my |the )?notes?(?: about .*)?)$`)

// source finds the note or folder to be moved or deleted. Folders are found by their name
// where the user said "folder" or no note has it.
func (s *script) source(c grammar.Command, purpose string) (string, bool, error) {
	if c.Note != grammar.It {
		f := s.view.resolveFolder(c.Note)
		if f.path != "" && (c.Sure || f.score >= fitsExactly && len(s.exact(c.Note)) == 0) {
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
