package offline

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
)

// undo takes back what the last turn changed that changed something in this conversation, by changes
// of its own, the last one first. What it cannot take back so it leaves, and names the command that
// does.
func (s *script) undo(grammar.Command) {
	for i := len(s.past) - 1; i >= 0; i-- {
		done := slices.DeleteFunc(slices.Clone(s.past[i].calls), func(c call) bool { return !c.changes() || c.failed || c.pending })
		for k := len(done) - 1; k >= 0; k-- {
			same := 1 // changes of the same text: what it was before the first of them comes back
			for k > 0 && restores(done[k]) && restores(done[k-1]) && done[k].place() == done[k-1].place() {
				k, same = k-1, same+1
			}
			if !s.takeBack(done[k], same) {
				return
			}
		}
		if len(done) > 0 {
			return
		}
	}
	s.failf("Nothing was changed in this conversation that I could undo. For earlier changes: `/undo` in the chat, `chatvault undo` in a terminal.")
}

// restores says whether a change is taken back by writing the text that was there before.
func restores(c call) bool {
	return !strings.HasPrefix(c.result, "Created") && (c.name == "edit_file" || c.name == "write_file" || c.name == dailyNote || c.name == "delete_file" && naming.IsNote(c.arg("path")))
}

// takeBack reverses a change, or so many of one text. It is false where that is not possible, which
// was said.
func (s *script) takeBack(c call, same int) bool {
	p := c.place()
	var back planned
	said := ""
	switch {
	case c.name == "move_file":
		back, said = planned{"move_file", args{"source": p, "destination": c.arg("source")}}, "Moved "+named(p)+" back to "+pointed(c.arg("source"))
	case c.name == "create_folder":
		back, said = planned{"delete_file", args{"path": p}}, "Removed the folder `"+p+"/` again"
	case strings.HasPrefix(c.result, "Created file"):
		back, said = planned{"delete_file", args{"path": p}}, "Removed "+named(p)+" again: it is in the trash"
	case c.name == "delete_file" && !naming.IsNote(p):
		if s.putBack(p) {
			return true
		}
	case restores(c):
		if before, known := s.textBefore(p, same, c.name == "delete_file"); known {
			back, said = planned{"write_file", args{"path": p, "content": before}}, "Restored "+cite(p, 0)+" as it was"
		}
	}
	if back.name == "" {
		s.failf("I cannot undo what was done to %s. Use `/undo` in the chat, or `chatvault undo` in a terminal.", pointed(p))
		return false
	}
	s.orLeave("I could not undo it (`/undo` in the chat, or `chatvault undo` in a terminal, says why)", s.change(back.name, back.args, "Undo the last change to "+pointed(p)))
	s.didf("%s.", said)
	return true
}

var versionRE = lazyregexp.New(`(?m)^\[(\S+/\d+)\] `)

// textBefore is the text that a note had before the last so many changes of it, from the journal. It
// is not known where the journal does not hold it whole, and where the note was changed since.
func (s *script) textBefore(p string, changes int, deleted bool) (text string, known bool) {
	if !s.may(getHistory) {
		return "", false
	}
	list := s.call(getHistory, args{"path": p, "max_results": changes})
	ids := versionRE().FindAllStringSubmatch(list.result, -1)
	if list.failed || len(ids) < changes {
		return "", false
	}
	version := func(id string, before bool) (string, bool) {
		return versionText(s.call(getHistory, args{"path": p, "version": id, "before": before}))
	}
	if !deleted {
		after, ok := version(ids[0][1], false)
		if !ok {
			return "", false
		}
		lines, _, rest := toolresult.FileLines(s.readNote(p).result)
		if rest || strings.TrimRight(toolresult.JoinLines(lines), "\n") != strings.TrimRight(strings.ReplaceAll(after, "\r\n", "\n"), "\n") {
			return "", false
		}
	}
	return version(ids[changes-1][1], true)
}

// versionText is a text that the journal holds, where it was shown whole.
func versionText(r call) (string, bool) {
	_, text, ok := strings.Cut(r.result, "):\n\n")
	return text, ok && !r.failed && !strings.Contains(text, "\n\n[... truncated, ")
}

// maxBack bounds the notes of a deleted folder that are written anew.
const maxBack = 40

// putBack writes the notes of a deleted folder anew, from the journal. It is false where the folder
// held anything else, as far as the list of what was in it tells.
func (s *script) putBack(folder string) bool {
	in, whole := s.listedIn(folder)
	if !whole || !s.may(getHistory) {
		return false
	}
	steps := make([]planned, len(in))
	for i, p := range in {
		steps[i] = planned{getHistory, args{"path": p, "max_results": 1}}
	}
	histories := s.calls(steps)
	deleted := fmt.Sprintf("deleted %s/ (%s)", folder, counted(len(in), "file"))
	for i, h := range histories {
		id := versionRE().FindStringSubmatch(h.result)
		if id == nil || !strings.Contains(h.result, deleted) {
			return false
		}
		steps[i] = planned{getHistory, args{"path": in[i], "version": id[1], "before": true}}
	}
	texts := s.calls(steps)
	for i, t := range texts {
		text, ok := versionText(t)
		if !ok {
			return false
		}
		steps[i] = planned{"write_file", args{"path": in[i], "content": text}}
	}
	if len(in) == 0 {
		steps = []planned{{"create_folder", args{"path": folder}}}
	}
	if s.sketch != nil {
		s.sketch.step("Restore the folder `" + folder + "/`")
		return true
	}
	for _, r := range s.calls(steps) {
		if r.failed {
			s.refused("I could not restore all of `"+folder+"/`", r)
			return true
		}
	}
	s.didf("Restored the folder `%s/` with %s.", folder, counted(len(in), "note"))
	return true
}

// listedIn are the notes that the last list of a folder named, and whether it named all there was and
// all were notes or folders.
func (s *script) listedIn(folder string) (in []string, whole bool) {
	for _, t := range s.past {
		for _, c := range t.calls {
			if c.name != "list_files" || c.failed || c.arg("path") != folder {
				continue
			}
			entries, more := toolresult.ListEntries(c.result)
			in, whole = nil, more == 0
			for _, e := range entries {
				if whole = whole && (e.Folder || naming.IsNote(e.Path)); !e.Folder {
					in = append(in, e.Path)
				}
			}
		}
	}
	return in, whole
}

// may says whether a tool can be called that a command does without where it is not offered: as
// it was when the command was carried out before.
func (s *script) may(tool string) bool {
	if s.nextCall() {
		return s.again(tool)
	}
	return s.tools[tool]
}
