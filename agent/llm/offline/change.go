package offline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/vault/note"
)

// change returns a reply that calls a tool; step describes the call on one line.
func change(tool string, a args, step string, values ...any) reply {
	return reply{call: &call{tool: tool, args: a}, step: fmt.Sprintf(step, values...)}
}

func (s *session) create(b slots) reply {
	file := path.Join(b[slotFolder], b[slotNew]+".md")
	for _, p := range s.catalog.note(b[slotNew]) {
		if b[slotFolder] == "" || strings.EqualFold(p, file) {
			return reply{text: fmt.Sprintf("There is a note %s already, so nothing was changed.", cite(p, 0)), unable: true, suggest: fmt.Sprintf(`add "…" to %s`, retrieval.Name(p))}
		}
	}
	return change("write_file", args{"path": file, "content": strings.TrimLeft(b[slotText]+"\n", "\n")}, "Create the note “%s”%s", strings.TrimSuffix(file, ".md"), quotedAs(" with", b[slotText]))
}

func quotedAs(word, s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("%s “%s”", word, text.Excerpt(s, 80))
}

// add adds a line to a note or a daily note. After a list item the line becomes an item, too.
func (s *session) add(b slots) reply {
	a := args{"content": b[slotText]}
	if b[slotHeading] != "" {
		a["heading"] = b[slotHeading]
	}
	where := quotedAs(" under", b[slotHeading])
	if day := b[slotDay]; day != "" {
		a["action"], a["date"] = "append", day
		return change("daily_note", a, "Add “%s” to the daily note of %s%s", text.Excerpt(b[slotText], 80), day, where)
	}
	data := s.read(b[slotNote])
	headings := text.Of(note.Parse(data).Headings, func(h note.Heading) string { return h.Text })
	if h := b[slotHeading]; h != "" && !slices.ContainsFunc(headings, func(o string) bool { return folded(o) == folded(h) }) {
		return unablef("There is no heading “%s” in %s, so nothing was changed. It has %s.", h, cite(b[slotNote], 0), cmp.Or(text.First(headings, 12), "none"))
	}
	line := textedit.LikeItems(b[slotText], string(data), b[slotHeading])
	a["path"], a["content"] = b[slotNote], line
	return change("append_file", a, "Add “%s” to %s%s", text.Excerpt(line, 80), cite(b[slotNote], 0), where)
}

func (s *session) addTask(b slots) reply {
	if !itemRE().MatchString(b[slotText]) {
		b[slotText] = "- [ ] " + b[slotText]
	}
	return s.add(b)
}

var itemRE = lazyregexp.New(`^\s*(?:[-*+]|\d{1,6}[.)])\s`)

// read returns the text of a note, or nil if it cannot be read.
func (s *session) read(file string) []byte {
	data, _ := s.index.Read(s.ctx, file)
	return data
}

func (s *session) replace(b slots) reply {
	if n := strings.Count(string(s.read(b[slotNote])), b[slotText]); n != 1 {
		return unablef("“%s” occurs %s in %s, so nothing was changed. It must occur exactly once: quote more of the text around it.", text.Excerpt(b[slotText], 80), text.Count(n, "time"), cite(b[slotNote], 0))
	}
	return change("edit_file", args{"path": b[slotNote], "old_text": b[slotText], "new_text": b[slotWith]}, "Replace “%s” with “%s” in %s", text.Excerpt(b[slotText], 80), text.Excerpt(b[slotWith], 80), cite(b[slotNote], 0))
}

func (s *session) rename(b slots) reply {
	for _, p := range s.catalog.note(b[slotOther]) {
		if p != b[slotNote] {
			return unablef("There is a note %s already, so nothing was changed.", cite(p, 0))
		}
	}
	return change("move_file", args{"source": b[slotNote], "new_name": b[slotOther] + ".md"}, "Rename %s to “%s”", cite(b[slotNote], 0), b[slotOther])
}

func (s *session) move(b slots) reply {
	return change("move_file", args{"source": b[slotNote], "folder": b[slotFolder]}, "Move %s to %s/", cite(b[slotNote], 0), b[slotFolder])
}

func (s *session) delete(b slots) reply {
	return change("delete_file", args{"path": b[slotNote]}, "Move %s to the trash", cite(b[slotNote], 0))
}

func (s *session) set(b slots) reply {
	return change("set_property", args{"path": b[slotNote], "key": b[slotKey], "value": b[slotValue]}, "Set %s of %s to “%s”", b[slotKey], cite(b[slotNote], 0), text.Excerpt(b[slotValue], 80))
}

func (s *session) unset(b slots) reply {
	return change("set_property", args{"path": b[slotNote], "key": b[slotKey], "delete": true}, "Remove the property %s of %s", b[slotKey], cite(b[slotNote], 0))
}

func (s *session) tag(b slots) reply {
	return change("set_property", args{"path": b[slotNote], "key": "tags", "add": []string{b[slotTag]}}, "Add the tag %s to %s", b[slotTag], cite(b[slotNote], 0))
}

func (s *session) untag(b slots) reply {
	for _, e := range s.catalog.entries {
		if e.Path == b[slotNote] && !hasTag(e.Tags, b[slotTag]) {
			return unablef("%s has no tag %s, so nothing was changed. It has %s.", cite(e.Path, 0), b[slotTag], cmp.Or(text.First(e.Tags, 12), "none"))
		}
	}
	return change("set_property", args{"path": b[slotNote], "key": "tags", "remove": []string{b[slotTag]}}, "Remove the tag %s from %s", b[slotTag], cite(b[slotNote], 0))
}

func (s *session) folder(b slots) reply {
	if found := s.catalog.folder(b[slotNew]); len(found) > 0 {
		return unablef("The folder %s/ already exists.", found[0])
	}
	return change("create_folder", args{"path": b[slotNew]}, "Create the folder %s/", b[slotNew])
}

func (s *session) tick(b slots) reply   { return s.mark(b, "open", "x", "Tick") }
func (s *session) untick(b slots) reply { return s.mark(b, "done", " ", "Untick") }

// mark changes the box of the only task of a state that contains the text.
func (s *session) mark(b slots, state, to, verb string) reply {
	said := text.Excerpt(b[slotText], 80)
	found := slices.DeleteFunc(s.tasksOf(filter{state: state, note: b[slotNote]}), func(t task) bool {
		return t.Mark == '-' || !strings.Contains(folded(t.Text), folded(b[slotText]))
	})
	if len(found) != 1 {
		return unablef("There must be one %s task with “%s”, but there are %d, so nothing was changed.\n\n%s", state, said, len(found), bullets(text.Of(found[:min(len(found), maxListed)], task.shown)))
	}
	t := found[0]
	line := strings.TrimSuffix(strings.Split(string(s.read(t.path)), "\n")[t.Line-1], "\r")
	before, after, _ := strings.Cut(line, "["+string(t.Mark)+"]")
	return change("edit_file", args{"path": t.path, "old_text": line, "new_text": before + "[" + to + "]" + after}, "%s “%s” in %s", verb, said, cite(t.path, 0))
}

func (s *session) show(b slots) reply {
	if day := b[slotDay]; day != "" {
		return reply{call: &call{tool: "daily_note", args: args{"action": "read", "date": day}}}
	}
	return reply{call: &call{tool: "read_file", args: args{"path": b[slotNote]}}}
}

// report returns the reply for a finished call.
func (s *session) report(c call) reply {
	switch {
	case c.failed:
		return unablef("%s", failure(c.result))
	case c.tool == "get_links" || c.tool == "get_tags":
		return found(c.result)
	case c.tool == "read_file" || c.tool == "daily_note" && c.args.text("action") == "read":
		return shown(c)
	}
	said, _, _ := strings.Cut(c.result, "\n")
	said = strings.Replace(sizeRE().ReplaceAllString(said, ""), "Created file ", "Created ", 1)
	return sayf("%s", pathRE().ReplaceAllStringFunc(said, func(p string) string { return cite(strings.Trim(p, `"'`), 0) }))
}

// pathRE finds the path of a note in the result of a tool.
var pathRE = lazyregexp.New(`"[^\s"](?:[^"\n]|"[^\s.,])*?"?\.(?:md|markdown)"|'[^\s'](?:[^'\n]|'[^\s.,])*?'?\.(?:md|markdown)'`)

var sizeRE = lazyregexp.New(` \([\d,.]+ (?:bytes?|KB|MB)\)`)

// failure describes the result of a failed call to the user.
func failure(result string) string {
	said, _, _ := strings.Cut(strings.TrimPrefix(result, "Error: "), " Nothing was changed.")
	said, _, _ = strings.Cut(said, ` Set "`) // an argument, for models
	switch rest, denied := strings.CutPrefix(said, "The user denied this change"); {
	case denied:
		_, why, _ := strings.Cut(strings.TrimSuffix(rest, "."), " and said: ")
		return strings.TrimSuffix("Not done: you denied the change. "+why, " ")
	case strings.HasPrefix(said, "Not allowed: this change needs the user's consent"):
		return "Not done: this change needs your consent, and there is no way to ask for it here."
	}
	return "Not done: " + strings.TrimSpace(said)
}

var fileLineRE = lazyregexp.New(`(?m)^\s*(\d+)[\t|: ] ?(.*)$`)

// shown quotes a note that was read.
func shown(c call) reply {
	file := c.args.text("path")
	if m := pathRE().FindString(c.result); file == "" && m != "" {
		file = strings.Trim(m, `"'`)
	}
	var lines []string
	for _, m := range fileLineRE().FindAllStringSubmatch(c.result, maxShownLines) {
		lines = append(lines, m[2])
	}
	return sayf("%s\n\n%s", cite(file, 1), text.Quoted(strings.Join(lines, "\n")))
}

// maxShownLines bounds the lines of a note that is shown.
const maxShownLines = 400
