package offline

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
)

// judge holds a goal against what the agent tells of the work toward it.
type judge struct {
	view    *naming.Names
	now     time.Time
	goal    string
	turns   []exchange // the newest
	changes []string   // "moved A → B", of all turns
}

// checkGoal judges whether a goal is met, on one line: MET, NOT MET or UNKNOWN, and why. It is met
// when each thing it asks for stands in the account as done. What the engine cannot judge it will
// not be able to judge after more turns either: it says so.
func (e *Engine) checkGoal(messages []llm.Message) string {
	j := &judge{view: naming.NamesOf(e.index.Entries()), now: e.now()}
	if j.read(lastSaid(messages)); j.goal == "" {
		return "UNKNOWN: I could not read what the goal is."
	}
	var shown []string
	for _, c := range grammar.Parse(j.goal, j.now) {
		if why, all := everyHas(e.index.Entries(), c.Text); all {
			shown = append(shown, strings.TrimSuffix(why, "."))
			continue
		} else if why != "" {
			lines := slices.DeleteFunc(strings.Split(why, "\n"), func(l string) bool { return strings.HasPrefix(l, "- ") })
			return "UNKNOWN: the offline engine cannot do it: " + strings.TrimRight(oneLine(strings.Join(lines, " ")), ":.")
		}
		if why := beyond(c); why != "" {
			return "UNKNOWN: " + why
		}
		why, ok := j.shows(c)
		if !ok {
			return "NOT MET: " + why
		}
		shown = append(shown, why)
	}
	return "MET: " + clip(oneLine(strings.Join(shown, "; ")), 280) + "."
}

// read reads the account as the agent writes it: what is quoted stands after "> ".
func (j *judge) read(text string) {
	var block *string // that quoted lines belong to
	changed := false
	turn := &exchange{} // the newest
	for line := range strings.SplitSeq(text, "\n") {
		quoted, isQuoted := strings.CutPrefix(line, ">")
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case isQuoted && block != nil:
			*block += strings.TrimPrefix(quoted, " ") + "\n"
		case isItem && changed:
			j.changes = append(j.changes, item)
		case isItem && len(j.turns) > 0: // "read_file Knee.md: 12 lines", "delete_file Knee.md: failed (denied)"
			if call, why, failed := strings.Cut(item, ": failed"); failed {
				turn.failures = append(turn.failures, call+" failed"+why)
			}
		case line == "Goal:":
			block = &j.goal
		case goalTurnRE().MatchString(line):
			j.turns = append(j.turns, exchange{})
			turn = &j.turns[len(j.turns)-1]
		case line == "Asked:":
			block = &turn.asked
		case line == "The agent said:":
			block = &turn.replied
		case strings.HasPrefix(line, "Changed since"):
			changed = true
		}
	}
	j.goal = strings.TrimSpace(j.goal)
}

var goalTurnRE = lazyregexp.New(`^Turn \d+$`)

// beyond says why the engine cannot judge whether a command was carried out; empty: it can.
func beyond(c grammar.Command) string {
	what, only := wording(c), "; it follows plain requests and questions only"
	asked := c.Sure || strings.Contains(c.Text, "?") || asksRE().MatchString(c.Text) || findOutRE().MatchString(c.Text)
	switch {
	case c.Kind == grammar.Unclear || c.Kind == grammar.Beyond:
		return "the offline engine does not understand " + what + only
	case c.Kind == grammar.Question && !asked: // but a statement of how things should be
		return "the offline engine cannot judge whether " + what + " holds" + only
	}
	return ""
}

func wording(c grammar.Command) string { return "“" + clip(oneLine(c.Text), 100) + "”" }

// shows says whether the account shows that a command was carried out, and by what; else why not.
func (j *judge) shows(c grammar.Command) (why string, ok bool) {
	what := wording(c)
	switch {
	case isTalk(c.Kind):
		return what + " asks for nothing", true
	case c.Changes():
		return j.changed(c, what)
	}
	return j.answered(c, what)
}

var findOutRE = lazyregexp.New(`(?i)^(?:please\s+)?(?:find|look|search|tell|remind|show|give)\b`)

// changed says whether the changes hold what a command asks for, for each note it names.
func (j *judge) changed(c grammar.Command, what string) (string, bool) {
	if line := j.matching(c); line != "" {
		return line, true
	}
	var lines []string
	if names := enumeration().Split(c.Note, -1); len(names) > 1 {
		for _, n := range names {
			one := c
			one.Note = grammar.NoteName(n)
			line := j.matching(one)
			if line == "" {
				return fmt.Sprintf("of %s, “%s” is not done", what, one.Note), false
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, ", "), true
	}
	for _, t := range slices.Backward(j.turns) {
		if n := len(t.failures); n > 0 {
			return what + " is not done: " + t.failures[n-1], false
		}
	}
	return what + " is not done: no such change was made", false
}

// matching is the change that a command asks for; empty where none was made.
func (j *judge) matching(c grammar.Command) string {
	for _, line := range j.changes {
		verb, target, _ := strings.Cut(line, " ")
		if rest, ok := strings.CutPrefix(target, "folder "); ok && verb == "created" {
			verb, target = "created folder", rest
		}
		from, to, _ := strings.Cut(target, " → ")
		if j.makes(c, verb, from, to) {
			return line
		}
	}
	return ""
}

// makes says whether a change, "moved" from one path to another or "edited" and the like, is what
// a command asks for.
func (j *judge) makes(c grammar.Command, verb, from, to string) bool {
	switch c.Kind {
	case grammar.Create:
		return verb == "created" && (c.Title == "" || j.means(naming.Portable(c.Title), from)) && (c.Folder == "" || !c.Sure || inFolder(c.Folder, from))
	case grammar.MakeFolder:
		return verb == "created folder" && naming.NewName(path.Base(c.Folder)).Score(path.Base(from)) >= naming.FitsSurely
	case grammar.Delete:
		return verb == "deleted" && j.means(c.Note, from)
	case grammar.Move:
		if verb == "deleted" {
			return trashRE().MatchString(c.To) && j.means(c.Note, from)
		}
		return verb == "moved" && j.means(c.Note, from) && inFolder(c.To, to)
	case grammar.Rename:
		return verb == "moved" && j.means(c.Note, from) && naming.NewName(c.To).Score(retrieval.Name(to)) >= naming.FitsSurely
	case grammar.Tick, grammar.Add, grammar.Replace, grammar.Remove:
		return (verb == "edited" || verb == "created") && j.means(c.Note, from) && j.quotes(c)
	}
	return false
}

// means says whether a name means the note or folder at a path.
func (j *judge) means(name, p string) bool {
	if name == "" || grammar.IsPronoun(name) {
		return true
	}
	n := naming.NewName(name)
	if max(n.Score(retrieval.Name(p)), n.PathScore(p)) >= naming.FitsSurely {
		return true
	}
	for _, c := range j.view.Resolve(name) { // by its title or an alias
		if c.Path == p && c.Score >= naming.FitsSurely {
			return true
		}
	}
	daily := j.view.Daily(name, j.now)
	return daily != "" && (daily == p || strings.Contains(retrieval.Name(p), retrieval.Name(daily))) // in a format with the date in it
}

// inFolder says whether a path lies in a folder that goes by a name.
func inFolder(name, p string) bool {
	dir := path.Dir(p)
	if isRootName(name) {
		return dir == "."
	}
	n := naming.NewName(strings.Trim(name, "/"))
	return grammar.IsPronoun(name) || max(n.Score(path.Base(dir)), n.PathScore(dir)) >= naming.FitsSurely
}

// quotes says whether what was said holds the text that an edit was to write, replace or remove:
// that a note was edited says nothing of how.
func (j *judge) quotes(c grammar.Command) bool {
	want := c.Body
	switch c.Kind {
	case grammar.Replace:
		want = c.New
	case grammar.Remove, grammar.Tick:
		want = c.Old
	}
	said := map[string]bool{}
	for _, t := range j.turns {
		for w := range strings.FieldsSeq(naming.Normal(t.replied)) {
			said[w] = true
		}
	}
	for w := range strings.FieldsSeq(naming.Normal(clip(want, 200))) {
		if !said[w] {
			return false
		}
	}
	return true
}

// answered says whether a turn that worked on the goal answered what it asks.
func (j *judge) answered(c grammar.Command, what string) (string, bool) {
	for _, t := range slices.Backward(j.turns) {
		if !j.worked(t) {
			continue
		}
		said := t.replied
		if _, after, ok := strings.Cut(said, "**"+clip(oneLine(c.Text), 160)+"**"); ok {
			said, _, _ = strings.Cut(after, "\n**") // one answer of several
		}
		said = strings.TrimSpace(said)
		if said == "" || noAnswerRE().MatchString(said) {
			continue
		}
		cited := citations(said)
		switch {
		case len(cited) > 0:
			return fmt.Sprintf("%s is answered from %s", what, cited[0].Note), true
		case c.Kind != grammar.Question:
			return what + " is answered", true
		}
	}
	return "the notes do not answer " + what, false
}

// worked says whether a turn was asked for the goal, or to go on toward it.
func (j *judge) worked(t exchange) bool {
	asked := strings.TrimSuffix(oneLine(t.asked), "…")
	return asked != "" && strings.HasPrefix(oneLine(j.goal), asked) || strings.HasPrefix(asked, goOnToGoal) || isContinue(asked)
}

// noAnswerRE recognises what the engine says where it found nothing.
var noAnswerRE = lazyregexp.New(`(?m)^(?:Nothing in your notes|I found nothing|I am not sure|There is no(?:te)? |No note |I do not know which|I could not|I did not|I cannot)`)
