package offline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// dailyNoteRE recognises that a daily note is spoken of, not the folder of them.
var dailyNoteRE = lazyregexp.New(`(?i)\b(?:daily|journal|diary) (?:note|page|entry)\b`)

// wholesaleRE recognises what is no name, but a description of many notes.
var wholesaleRE = lazyregexp.New(`(?i)^(?:everything|all|all (?:of )?(?:my |the |these |those )?\S.*|every \S.*|(?:my |the )?notes?(?: about .*)?)$`)

// source is the note or folder to be moved, renamed or deleted.
func (s *script) source(c grammar.Command, verb string) string {
	if !c.Sure && wholesaleRE().MatchString(c.Note) && len(s.exact(c.Note)) == 0 {
		panic(s.unable("I do not %s notes wholesale, only what you name: a note, several notes, or a folder. Nothing was changed.", verb))
	}
	if dailyNoteRE().MatchString(c.Text) {
		c.Sure = false
	}
	return s.target(c, verb)
}

// move moves a note or folder into a folder.
func (s *script) move(c grammar.Command) {
	if len(c.Others) > 0 && c.Note != grammar.It && len(s.exact(c.Note)) == 0 { // "put milk on …": text, unless it names a note
		s.add(c.Others[0])
		return
	}
	if s.isTrash(c.To) {
		s.delete(c)
		return
	}
	if backRE().MatchString(c.To) {
		s.moveBack(c)
		return
	}
	from := s.source(c, "move")
	folder := ""
	if grammar.IsPronoun(c.To) {
		folder = s.lastFolder()
	} else if !isRootName(c.To) {
		f := s.view.ResolveFolder(c.To)
		folder = cmp.Or(f.Path, strings.Trim(path.Clean(c.To), "/"))
		known := f.Score >= naming.FitsExactly || strings.Contains(c.To, "/") || isQuoted(c.Text, c.To) || saysFolderRE().MatchString(c.Text) || strings.EqualFold(c.To, "archive") || strings.HasPrefix(c.To, ".") ||
			naming.IsNote(c.Note) || isQuoted(c.Text, c.Note) || saysNote(c.Text, c.Note) // what is set off as a note is moved to a folder
		s.unsure = s.unsure || !known // where there is none of that name, a folder may not be meant
	}
	to := path.Join(folder, path.Base(from))
	if naming.IsNote(folder) {
		to = folder // a whole path was given
	}
	s.rewrite(from, to, "Move", "Moved")
}

var (
	saysFolderRE = lazyregexp.New(`(?i)\b(?:folder|directory)\b`)
	backRE       = lazyregexp.New(`(?i)^back(?: again)?$|^(?:back )?where (?:it|that) was(?: before)?$`)
)

// moveBack moves a note to where it was before it was moved last in this conversation.
func (s *script) moveBack(c grammar.Command) {
	for _, m := range slices.Backward(s.done()) {
		p := m.place()
		if m.name == "move_file" && s.view.Has(p) && (c.Note == grammar.It || slices.Contains(s.exact(c.Note), p)) {
			s.rewrite(p, m.arg("source"), "Move", "Moved")
			return
		}
	}
	s.failf("Nothing was changed: nothing with that name was moved in this conversation. `/changes` in the chat shows what was changed before.")
}

func isRootName(s string) bool {
	switch strings.ToLower(strings.Trim(s, "/ ")) {
	case "", ".", "root", "vault", "the root", "the vault", "top level", "vault root":
		return true
	}
	return false
}

// rename gives a note or folder another name where it is.
func (s *script) rename(c grammar.Command) {
	from := s.source(c, "rename")
	dir := path.Dir(from)
	if strings.Contains(c.To, "/") {
		dir = path.Dir(path.Clean(c.To))
	}
	file := naming.Portable(retrieval.Name(c.To))
	if file == "" {
		s.failf("“%s” cannot be a name. Please use letters or digits.", c.To)
		return
	}
	if naming.IsNote(from) {
		file += ".md"
	}
	s.rewrite(from, path.Join(dir, file), "Rename", "Renamed")
}

// named is how an answer names a note or a folder.
func named(p string) string {
	if naming.IsNote(p) {
		return "“" + retrieval.Name(p) + "”"
	}
	return "`" + p + "/`"
}

// linked names a note by its citation, a folder by its path.
func linked(p string) string {
	if naming.IsNote(p) {
		return cite(p, 0)
	}
	return named(p)
}

// pointed is how a step of a plan names a note or a folder.
func pointed(p string) string {
	if naming.IsNote(p) {
		return cite(p, 0)
	}
	return "the folder " + named(p)
}

// destined is where a step of a plan moves something from a folder to.
func destined(to, from string) string {
	switch folder := path.Dir(to); folder {
	case from:
		return named(path.Base(to))
	case ".":
		return "the top of the vault"
	default:
		return "`" + folder + "/`"
	}
}

// rewrite moves a path and says what became of it. verb is what is done, done the same in the past.
func (s *script) rewrite(from, to, verb, done string) {
	if from == to {
		s.failf("%s already exists.", cite(to, 0))
		return
	}
	r := s.orLeave("I could not move "+named(from), s.change("move_file", args{"source": from, "destination": to}, fmt.Sprintf("%s %s to %s", verb, pointed(from), destined(to, path.Dir(from)))))
	to = cmp.Or(r.place(), to)
	beside := "" // the names: which links it put right, which it left, which lead nowhere now
	if m := movedRE().FindStringSubmatch(r.result); m != nil {
		beside = strings.ReplaceAll(m[1], ", as the user wished", ", as you wished")
	}
	s.didf("%s %s to %s.%s", done, named(from), linked(to), beside)
}

// movedRE is where the result of move_file says what became of the links to what was moved.
var movedRE = lazyregexp.New(`^Moved "[^\n]*?" to "[^\n]*?"\.( [^\n]*)?(?:\n|$)`)

// makeFolder makes a folder.
func (s *script) makeFolder(c grammar.Command) {
	if parent, name, ok := strings.Cut(c.Folder, "/"); ok && grammar.IsPronoun(parent) {
		c.Folder = s.lastFolder() + "/" + name
	}
	parts := text.Of(strings.Split(c.Folder, "/"), naming.Portable)
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	name := strings.Join(parts, "/")
	if parent := path.Dir(name); parent != "." {
		if f := s.view.ResolveFolder(parent); f.Path != "" {
			name = path.Join(f.Path, path.Base(name))
		}
	}
	if name == "" {
		s.failf("“%s” cannot be the name of a folder.", c.Folder)
		return
	}
	r := s.change("create_folder", args{"path": name}, fmt.Sprintf("Create the folder `%s/`", name))
	switch {
	case strings.Contains(r.result, "already exists"):
		s.failf("The folder `%s/` already exists.", name)
	case r.failed:
		s.refused("I could not create the folder", r)
	default:
		s.didf("Created the folder `%s/`.", name)
	}
}

// delete moves a note or folder to the trash. A folder with something in it is asked about first.
func (s *script) delete(c grammar.Command) {
	p := s.source(c, "delete")
	a, with := args{"path": p}, ""
	if !naming.IsNote(p) {
		r := s.call("list_files", args{"path": p, "pattern": "**", "max_results": maxBack})
		entries, more := toolresult.ListEntries(r.result)
		if n := len(entries) + more; n > 0 && !r.failed {
			examples := text.Of(entries[:min(len(entries), maxOptions)], func(e toolresult.ListedFile) string { return path.Base(e.Path) })
			if n > len(examples) {
				examples = append(examples, "…")
			}
			s.confirm(fmt.Sprintf("`%s/` is not empty: %s (%s). Move the folder with everything in it to the trash?", p, counted(n, "item"), strings.Join(examples, ", ")))
			a["recursive"] = true
			with = " with " + counted(n, "item") + " in it"
		}
	}
	s.orLeave("I could not delete "+named(p), s.change("delete_file", a, fmt.Sprintf("Move %s%s to the trash", pointed(p), with)))
	s.didf("Deleted %s (`%s`): it is in the trash, where you can restore it.", named(p), p)
}

// isTrash says whether a place to move to is the trash, not a folder called so.
func (s *script) isTrash(to string) bool {
	return trashRE().MatchString(to) && s.view.ResolveFolder(to).Score < naming.FitsExactly
}

var trashRE = lazyregexp.New(`(?i)^(?:the |my |obsidian'?s )?(?:\.?trash(?: ?can| bin)?|(?:recycle |waste |rubbish )?bin|recycling bin|garbage(?: can)?|rubbish)$`)
