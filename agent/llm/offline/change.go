package offline

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// change is the reply that calls a tool; step says what it does, on one line.
func change(tool string, a args, step string, values ...any) reply {
	return reply{call: &call{tool: tool, args: a}, step: fmt.Sprintf(step, values...)}
}

func (s *session) create(b slots) reply {
	file := b[slotNew] + ".md"
	if folder := b[slotFolder]; folder != "" {
		file = folder + "/" + file
	}
	for _, p := range s.names().note(b[slotNew]) {
		if b[slotFolder] == "" || strings.EqualFold(p, file) {
			return reply{text: fmt.Sprintf("There is a note %s already, so nothing was changed.", cite(p, 0)), unable: true, suggest: fmt.Sprintf(`add "…" to %s`, retrieval.Name(p))}
		}
	}
	return change("write_file", args{"path": file, "content": ended(b[slotText])}, "Create the note “%s”%s", strings.TrimSuffix(file, ".md"), quotedAs(" with", b[slotText]))
}

func ended(s string) string {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return ""
	}
	return s + "\n"
}

func quotedAs(word, s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("%s “%s”", word, text.Excerpt(s, 80))
}

func under(heading string) string { return quotedAs(" under", heading) }

func (s *session) add(b slots) reply {
	return s.addTo(b, asItem(s.lastLine(b[slotNote], b[slotHeading]), b[slotText]))
}

func (s *session) addTask(b slots) reply { return s.addTo(b, asTask(b[slotText])) }

func (s *session) addTo(b slots, line string) reply {
	if heading := b[slotHeading]; heading != "" {
		var all []string
		for _, l := range retrieval.Lines(s.read(b[slotNote])) {
			if l.Kind == retrieval.LineHeading {
				all = append(all, string(l.Text))
			}
		}
		if !slices.ContainsFunc(all, func(h string) bool { return folded(h) == folded(heading) }) {
			return unablef("There is no heading “%s” in %s, so nothing was changed. It has %s.", heading, cite(b[slotNote], 0), cmp.Or(text.First(all, 12), "none"))
		}
	}
	a := args{"path": b[slotNote], "content": line}
	if b[slotHeading] != "" {
		a["heading"] = b[slotHeading]
	}
	return change("append_file", a, "Add “%s” to %s%s", text.Excerpt(line, 80), cite(b[slotNote], 0), under(b[slotHeading]))
}

func (s *session) addDaily(b slots) reply     { return s.addToDay(b, b[slotText]) }
func (s *session) addDailyTask(b slots) reply { return s.addToDay(b, asTask(b[slotText])) }

func (s *session) addToDay(b slots, line string) reply {
	a := args{"action": "append", "date": b[slotDay], "content": line}
	if b[slotHeading] != "" {
		a["heading"] = b[slotHeading]
	}
	return change("daily_note", a, "Add “%s” to the daily note of %s%s", text.Excerpt(line, 80), b[slotDay], under(b[slotHeading]))
}

func asTask(line string) string {
	if itemRE().MatchString(line) {
		return line
	}
	return "- [ ] " + line
}

var itemRE = lazyregexp.New(`^\s*(?:([-*+])|(\d{1,6})[.)])\s+(\[.\]\s+)?`)

// asItem is a line as an item of the list that last ends; the line as it is where last is no item.
func asItem(last, line string) string {
	m := itemRE().FindStringSubmatch(last)
	if m == nil || m[1] == "" || itemRE().MatchString(line) || strings.Contains(line, "\n") {
		return line
	}
	if m[3] != "" {
		return m[1] + " [ ] " + line
	}
	return m[1] + " " + line
}

// lastLine is the last line that is not blank of a note, or of what stands under a heading of it.
func (s *session) lastLine(file, heading string) string {
	last, level := "", 0
	for _, l := range retrieval.Lines(s.read(file)) {
		if l.Kind == retrieval.LineHeading {
			switch {
			case heading != "" && level == 0 && folded(string(l.Text)) == folded(heading):
				level, last = l.Level, ""
				continue
			case level > 0:
				return last
			}
		}
		if l.Kind != retrieval.LineBlank && l.Kind != retrieval.LineProperty && (heading == "" || level > 0) {
			last = string(l.Raw)
		}
	}
	return last
}

// read is the text of a note; none where it cannot be read.
func (s *session) read(file string) []byte {
	data, _ := s.index.Read(s.ctx, file)
	return data
}

func (s *session) replace(b slots) reply {
	if n := strings.Count(string(s.read(b[slotNote])), b[slotText]); n != 1 {
		return unablef("“%s” is %s in %s, so nothing was changed. It must stand there once: give more of the text around it.", text.Excerpt(b[slotText], 80), text.Count(n, "time"), cite(b[slotNote], 0))
	}
	return change("edit_file", args{"path": b[slotNote], "old_text": b[slotText], "new_text": b[slotWith]}, "Replace “%s” with “%s” in %s", text.Excerpt(b[slotText], 80), text.Excerpt(b[slotWith], 80), cite(b[slotNote], 0))
}

func (s *session) rename(b slots) reply {
	for _, p := range s.names().note(b[slotOther]) {
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
	for _, e := range s.entries() {
		if e.Path == b[slotNote] && !slices.ContainsFunc(e.Tags, func(t string) bool { return strings.EqualFold(t, b[slotTag]) }) {
			return unablef("%s has no tag %s, so nothing was changed. It has %s.", cite(e.Path, 0), b[slotTag], cmp.Or(text.First(e.Tags, 12), "none"))
		}
	}
	return change("set_property", args{"path": b[slotNote], "key": "tags", "remove": []string{b[slotTag]}}, "Remove the tag %s from %s", b[slotTag], cite(b[slotNote], 0))
}

func (s *session) folder(b slots) reply {
	if found := s.names().folder(b[slotNew]); len(found) > 0 {
		return unablef("The folder %s/ already exists.", found[0])
	}
	return change("create_folder", args{"path": b[slotNew]}, "Create the folder %s/", b[slotNew])
}

func (s *session) tick(b slots) reply   { return s.mark(b, " ", "x", "Tick") }
func (s *session) untick(b slots) reply { return s.mark(b, "xX", " ", "Untick") }

// mark changes the box of the one task with a text whose box is one of from.
func (s *session) mark(b slots, from, to, verb string) reply {
	type task struct{ path, line string }
	var found []task
	for _, e := range s.entries() {
		if b[slotNote] != "" && e.Path != b[slotNote] || b[slotNote] == "" && e.Tasks == 0 {
			continue
		}
		for _, l := range retrieval.Lines(s.read(e.Path)) {
			if l.Task != 0 && strings.IndexByte(from, l.Task) >= 0 && strings.Contains(folded(string(l.Text)), folded(b[slotText])) {
				found = append(found, task{e.Path, string(l.Raw)})
			}
		}
	}
	state := "open"
	if to == " " {
		state = "done"
	}
	if len(found) != 1 {
		lines := bullets(min(len(found), maxListed), func(i int) string { return strings.TrimSpace(found[i].line) + " — " + cite(found[i].path, 0) })
		return unablef("There %s with “%s”, so nothing was changed.\n\n%s", isAre(len(found), state+" task"), text.Excerpt(b[slotText], 80), lines)
	}
	line := found[0].line
	box := strings.Index(line, "[")
	return change("edit_file", args{"path": found[0].path, "old_text": line, "new_text": line[:box+1] + to + line[box+2:]}, "%s “%s” in %s", verb, text.Excerpt(b[slotText], 80), cite(found[0].path, 0))
}

func (s *session) show(b slots) reply {
	if day := b[slotDay]; day != "" {
		return reply{call: &call{tool: "daily_note", args: args{"action": "read", "date": day}}}
	}
	return reply{call: &call{tool: "read_file", args: args{"path": b[slotNote]}}}
}

// report says what came of a call.
func (s *session) report(c call) reply {
	switch {
	case c.failed:
		return unablef("%s", failure(c.result))
	case c.tool == "list_tasks":
		return s.tasksFound(c)
	case c.tool == "get_links":
		return s.linksFound(c)
	case c.tool == "read_file" || c.tool == "daily_note" && c.args.text("action") == "read":
		return shown(c)
	}
	said, _, _ := strings.Cut(c.result, "\n")
	said = strings.Replace(sizeRE().ReplaceAllString(said, ""), "Created file ", "Created ", 1)
	said = strings.Replace(said, "as the user wished", "as you wished", 1)
	return sayf("%s", pathRE().ReplaceAllStringFunc(said, func(p string) string { return cite(strings.Trim(p, `"'`), 0) }))
}

// pathRE finds the path of a note in the result of a tool.
var pathRE = lazyregexp.New(`"[^"\n]+\.(?:md|markdown)"|'[^'\n]+\.(?:md|markdown)'`)

var sizeRE = lazyregexp.New(` \([\d,.]+ (?:bytes?|KB|MB)\)`)

// failure is the result of a call that failed, for a person.
func failure(result string) string {
	said, _, _ := strings.Cut(strings.TrimPrefix(result, "Error: "), " Nothing was changed.")
	switch rest, denied := strings.CutPrefix(said, "The user denied this change"); {
	case denied:
		_, why, _ := strings.Cut(strings.TrimSuffix(rest, "."), " and said: ")
		return strings.TrimSuffix("Not done: you denied the change. "+why, " ")
	case strings.HasPrefix(said, "Not allowed: this change needs the user's consent"):
		return "Not done: this change needs your consent, and nobody can be asked here."
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
	return sayf("%s\n\n%s", cite(file, 1), quote(strings.Join(lines, "\n")))
}

// Bounds of an answer.
const (
	maxShownLines = 400
	maxListed     = 100
)

// nearest is the reply to a sentence that looks like a change and has none of the forms. ok is false where it does not
// look like one.
func (s *session) nearest(sentence string, words []token) (reply, bool) {
	c, at := s.meant(words)
	if c == nil {
		return reply{}, false
	}
	form := s.filled(c, words, at)
	why := fmt.Sprintf("“%s” is not a command I know exactly, so nothing was changed.", text.Excerpt(sentence, 120))
	if form == "" {
		return unablef("%s Say **help** for the commands.", why), true
	}
	return reply{text: why + " The nearest command:\n\n`" + form + "`", suggest: form, unable: true}, true
}

// questionWords begin a sentence that asks for no change, whatever follows.
var questionWords = strings.Fields("what what's which who whom whose when where why how is are was were do does did has have had am should")

// leads may precede the verb of a request.
var leads = strings.Fields("please can could would will you i'd i like want need to let's lets just also now then ok okay hey hi so and we must should have it's time kindly go ahead")

// nouns are verbs that begin topics of two words, too: "change management".
var nouns = strings.Fields("change update edit fix set tag move file log record mark drop clear start finish complete archive schedule trash swap put new")

// otherVerbs ask for changes that there is no command for.
var otherVerbs = strings.Fields("merge split copy duplicate link unlink convert sort reorder highlight bold combine undo revert restore redo shorten expand translate reword rephrase increase decrease increment wipe get")

// meant is the command that a sentence means by its verb, and where that verb stands; nil where it means none.
func (s *session) meant(words []token) (c *command, at int) {
	rows := commands()
	start := true
	for i, w := range words {
		word := strings.Trim(folded(w.text), ",.;")
		if w.kind != 0 {
			start = false
			continue
		}
		if i == 0 && slices.Contains(questionWords, word) && (len(words) < 2 || !words[1].is("you")) {
			return nil, 0
		}
		if start {
			k := slices.IndexFunc(rows, func(c command) bool { return c.fits(word, words) })
			if topic := len(words) == 2 && slices.Contains(nouns, word) && len(s.names().note(words[1].text)) == 0; k >= 0 && !topic {
				return &rows[k], i
			}
			if slices.Contains(otherVerbs, word) && len(words) > i+1 {
				return &command{}, i
			}
		}
		// A verb stands at the beginning, after words that lead to it, a place, or "and" and "then".
		inPlace := words[0].is("in") || words[0].is("under") || words[0].is("to") || words[0].is("on") || words[0].is("from") || words[0].is("for")
		start = start && slices.Contains(leads, word) || word == "and" || word == "then" || inPlace || strings.HasSuffix(w.text, ",")
	}
	return nil, 0
}

// fits reports whether a sentence with a verb means the command.
func (c command) fits(verb string, words []token) bool {
	return slices.Contains(c.means, verb) && (c.also == nil || slices.ContainsFunc(c.also, func(needed string) bool {
		return !slices.ContainsFunc(strings.Fields(needed), func(w string) bool {
			return !slices.ContainsFunc(words, func(t token) bool { return t.kind == 0 && strings.Trim(folded(t.text), ",.:") == w })
		})
	}))
}

var (
	fillerRE  = lazyregexp.New(`(?i)^(?:(?:a|an|the|my|new|line|text|note|page|task|todo|item|entry|property|tag|called|named|with|saying|that|says|reads|which|containing|contains|of|off|down|me|it|to|as|:)\s+)+`)
	tailRE    = lazyregexp.New(`(?i)(?:\s+(?:to|in|into|on|of|from|at|under|the|my|note|page|heading|section|folder|end|as|done|called|named|with|and|file))+$`)
	headingRE = lazyregexp.New(`(?i)\bunder (?:the )?(?:heading |section )?["“]?([^"”,.]+?)["”]?(?:\s+(?:heading|section))?(?:\s+(?:in|of|to)\b|[,.]|$)`)
	pairRE    = lazyregexp.New(`(?i)^(.+?)\s+(?:to|with|by|into|as)\s+(.+)$`)
)

// said is what a sentence says for a command, as far as that can be told.
type said struct {
	texts   []string // in quotation marks, or after a colon
	note    string   // "…" where none is named
	named   int      // how many notes are
	heading string
	rest    string // the other words, without fillers
	first   string // of "first to second"
	second  string
}

// sayings takes a sentence apart that is no command; its verb is at a word.
func (s *session) sayings(c *command, words []token, at int) said {
	x := said{note: "…"}
	rest := joined(words[:at]) + " " + joined(words[at+1:])
	for _, w := range words {
		if w.kind == 'q' || w.kind == ':' {
			x.texts = append(x.texts, strings.ReplaceAll(text.OneLine(w.text), `"`, "'"))
			rest = strings.TrimSpace(strings.Replace(rest, w.text, " ", 1))
		}
	}
	if m := headingRE().FindStringSubmatch(rest); m != nil {
		x.heading, rest = m[1], strings.Replace(rest, strings.TrimRight(m[0], " "), " ", 1)
	}
	named := s.names().named(rest)
	x.named = len(named)
	anywhere := !strings.Contains(c.help, "TEXT") && !strings.HasPrefix(c.help, "replace")
	at = slices.IndexFunc(named, func(p string) bool { return anywhere || placeOf(nameIn(rest, p)).MatchString(rest) })
	if at >= 0 {
		name := nameIn(rest, named[at])
		if place := placeOf(name); place.MatchString(rest) {
			rest = place.ReplaceAllLiteralString(rest, " ")
		} else {
			rest = cutFold(rest, name)
		}
		x.note = retrieval.Name(named[at])
	} else if near := s.names().near(tailRE().ReplaceAllString(rest, "")); near != "" && len(x.texts) == 0 && len(strings.Fields(rest)) < 5 {
		x.note = near
	}
	bare := func(s string) string {
		s = " " + strings.Join(strings.Fields(strings.ReplaceAll(s, `"`, "'")), " ")
		return strings.TrimSpace(fillerRE().ReplaceAllString(strings.TrimSpace(tailRE().ReplaceAllString(s, ""))+" ", ""))
	}
	x.rest = bare(rest)
	x.first = x.rest
	if m := pairRE().FindStringSubmatch(x.rest); m != nil {
		x.first, x.second = bare(m[1]), m[2]
	}
	return x
}

// text is the i-th text of a sentence, else what else may be one.
func (x said) text(i int, otherwise string) string {
	if len(x.texts) > i {
		return x.texts[i]
	}
	return cmp.Or(otherwise, "…")
}

// filled is the form of a command with what a sentence says: "…" stands for the rest. "" is returned where the command
// takes a whole note and the sentence names more than one.
func (s *session) filled(c *command, words []token, at int) string {
	if c.help == "" {
		return ""
	}
	x := s.sayings(c, words, at)
	switch {
	case strings.HasPrefix(c.help, "create a note"):
		name := x.note
		if name == "…" {
			name = cmp.Or(x.first, "…")
		}
		return fmt.Sprintf(`create a note "%s" with "%s"`, strings.TrimSuffix(name, ".md"), x.text(0, x.second))
	case strings.HasPrefix(c.help, "replace"):
		return fmt.Sprintf(`replace "%s" with "%s" in %s`, x.text(0, x.first), x.text(1, x.second), x.note)
	case strings.HasPrefix(c.help, "delete") && (x.rest != "" || len(x.texts) > 0):
		if x.named != 1 {
			return ""
		}
		return fmt.Sprintf(`replace "%s" with "" in %s`, x.text(0, ""), x.note)
	}
	values := map[string]string{
		"TEXT": x.text(0, x.rest), "NOTE": x.note, "NAME": cmp.Or(x.second, x.rest, "…"), "FOLDER": "…", "PROPERTY": cmp.Or(x.first, "…"), "VALUE": x.text(0, x.second), "TAG": cmp.Or(strings.TrimPrefix(x.rest, "#"), "…"),
	}
	if place := s.names().folder(tailRE().ReplaceAllString(x.rest, "")); len(place) > 0 {
		values["FOLDER"] = place[0]
	} else if x.rest != "" && !strings.Contains(x.rest, " ") {
		values["FOLDER"] = `"` + x.rest + `"` // a new one
	}
	form := strings.TrimSuffix(c.help, " under HEADING")
	for slot, value := range values {
		form = strings.Replace(form, slot, value, 1)
	}
	if x.heading != "" && strings.Contains(c.help, "TEXT") {
		form += " under " + x.heading
	}
	return form
}

// placeOf matches the name of a note after a preposition.
func placeOf(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:in|to|into|of|from|on|for|at)\s+(?:the\s+|my\s+)?(?:(?:note|page|end of)\s+)?["“]?` + regexp.QuoteMeta(name) + `(?:["”]|\b|'s|’s)?(?:\s+(?:note|page))?`)
}

// nameIn is how a text names a note: by its file name, else by an alias or path as it stands in the text.
func nameIn(s, file string) string {
	for _, name := range []string{file, strings.TrimSuffix(file, path.Ext(file)), path.Base(file), retrieval.Name(file)} {
		if strings.Contains(folded(s), folded(name)) {
			return name
		}
	}
	return ""
}

// cutFold is a text without the first place where a part stands in any case.
func cutFold(s, part string) string {
	i := strings.Index(strings.ToLower(s), strings.ToLower(part))
	if part == "" || i < 0 || i+len(part) > len(s) {
		return s
	}
	return s[:i] + " " + s[i+len(part):]
}
