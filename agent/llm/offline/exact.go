package offline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// Nothing is changed on a guess. A change happens where its note is named exactly: by its path, its
// name or an alias, in any case, or by a word such as "it", right after an answer about one note.
// What only comes near is asked about, and where nothing comes near the sentence was no command.

// errNotNamed ends a command that names nothing there is: its words are searched for.
var errNotNamed = errors.New("no note is named")

// target is the note or folder that a command changes. It stops the command with errNotNamed where it
// names none.
func (s *script) target(c grammar.Command, verb string) string {
	name := c.Note
	if name == grammar.It || name == "" {
		return s.spokenOf(verb)
	}
	if p := s.numbered(name); p != "" {
		return p
	}
	if c.Sure && canBeFolder(c) {
		return s.namedFolder(name, verb)
	}
	exact := s.exact(name)
	if p := s.daily(name); p != "" && (len(exact) == 0 || inTemplates(exact[0])) {
		s.unsure = s.unsure || canBeFolder(c) && !dailyNamedRE().MatchString(c.Text) // "delete yesterday"
		return s.dailyNamed(name, p, verb)
	}
	switch {
	case len(exact) == 1 && s.plainly(c, exact[0]):
		return exact[0]
	case len(exact) == 1:
		return s.confirmName(c, exact[0], verb)
	case len(exact) > 0:
		return s.oneOf(fmt.Sprintf("%s “%s”.", matching(len(exact), "fit"), name), exact, verb)
	}
	if f := s.view.ResolveFolder(name); f.Score >= naming.FitsExactly && canBeFolder(c) {
		return s.confirmName(c, f.Path, verb)
	}
	if near := s.near(c); len(near) > 0 {
		return s.oneOf(fmt.Sprintf("There is no note called “%s”.", name), near, verb)
	}
	panic(stop{errNotNamed})
}

// dailyNamedRE recognises that a note is spoken of, and not a day.
var dailyNamedRE = lazyregexp.New(`(?i)\b(?:note|page|entry|daily|journal|diary)\b|\d{4}-\d{2}-\d{2}`)

func canBeFolder(c grammar.Command) bool {
	return c.Kind == grammar.Delete || c.Kind == grammar.Move || c.Kind == grammar.Rename
}

// namedFolder is the folder that was said to be one.
func (s *script) namedFolder(name, verb string) string {
	f := s.view.ResolveFolder(name)
	switch {
	case f.Score >= naming.FitsExactly:
		return f.Path
	case f.Path != "":
		return s.oneOf(fmt.Sprintf("There is no folder “%s”.", name), []string{f.Path}, verb)
	}
	panic(s.unable("Nothing was changed: there is no folder “%s”.%s", name, s.foldersHint()))
}

// spokenOf is what "it" means: the one note that the last answer was about.
func (s *script) spokenOf(verb string) string {
	about, sure := spokenOf(s.past, s.made)
	about = slices.DeleteFunc(about, func(p string) bool { return !s.view.Has(p) })
	switch {
	case len(about) == 0:
		panic(stop{errNotNamed})
	case sure && len(about) == 1:
		return about[0]
	}
	return s.oneOf("It is not clear which note you mean.", about, verb)
}

// oneOf asks which of some notes is meant; of one, whether it is.
func (s *script) oneOf(why string, found []string, verb string) string {
	if len(found) == 1 {
		s.confirm(fmt.Sprintf("%s Do you mean %s? Then I would %s.", why, pointed(found[0]), then(verb)))
		s.chosen = true
		return found[0]
	}
	return s.someOf(why, found, verb, false)[0]
}

// someOf asks which of several notes are meant, of many which of the first. all allows more than one.
func (s *script) someOf(why string, found []string, verb string, all bool) []string {
	if len(found) > maxOptions {
		why = strings.TrimSuffix(why, ".") + fmt.Sprintf(" (the first %d of %d).", maxOptions, len(found))
		found = found[:maxOptions]
	}
	picked := s.choose(fmt.Sprintf("%s Which one should I %s?", why, verb), found, all)
	return text.Of(picked, func(i int) string { return found[i] })
}

// confirmName answers a sentence whose words are a name and may as well be no more than words, as "move
// obsidian to another computer" where a folder is called Obsidian: they are searched for, and then it
// is asked whether the name was meant.
func (s *script) confirmName(c grammar.Command, found, verb string) string {
	if s.sketch == nil {
		s.searchInstead(c, "Nothing was changed.")
	}
	return s.oneOf(fmt.Sprintf("“%s” may be a name.", c.Note), []string{found}, verb)
}

// then is what would be done to a note.
func then(verb string) string {
	if there := map[string]string{"add it to": "add the text there", "look into": "look for the task there", "move back": "move it back"}[verb]; there != "" {
		return there
	}
	return verb + " it"
}

// exact are the notes that go by exactly this name, ignoring case.
func (s *script) exact(name string) []string {
	return pathsOf(slices.DeleteFunc(slices.Clone(s.view.Resolve(name)), func(c naming.Candidate) bool { return c.Score < naming.FitsExactly }))
}

func pathsOf(list []naming.Candidate) []string {
	return text.Of(list, func(c naming.Candidate) string { return c.Path })
}

// near are the notes that a command names with a typing error, or by a part of their name where it
// is clear that a note is meant.
func (s *script) near(c grammar.Command) []string {
	said := isQuoted(c.Text, c.Note) || saysNote(c.Text, c.Note)
	proper := c.Note != strings.ToLower(c.Note)
	asked := strings.Fields(naming.NewName(c.Note).Text)
	var out []naming.Candidate
	for _, k := range s.view.Resolve(c.Note) {
		e := s.view.Notes[k.Path]
		same := slices.ContainsFunc(append(naming.Of(e), e.Title), func(n string) bool { return sameWords(asked, strings.Fields(naming.Normal(n))) })
		if same || said || proper && k.Score >= fitsSubject {
			out = append(out, k)
		}
	}
	if len(out) > 1 && (out[0].Score >= 0.9 || len(naming.Distinct(out)) == 1 && out[0].Score >= naming.FitsSurely) {
		out = naming.Distinct(out)
	}
	return pathsOf(out[:min(len(out), 3)])
}

// sameWords says whether two names have the same words, one after the other, but for typing errors.
func sameWords(a, b []string) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i, w := range a {
		limit := retrieval.TypoLimit(len(w))
		if w != b[i] && (limit == 0 || text.Distance(w, b[i], limit) > limit || retrieval.Stem(w) == retrieval.Stem(b[i])) {
			return false
		}
	}
	return true
}

// plainly says whether the words around a name leave no doubt that it is one: "the templates" are
// rather some templates than the note Templates, and "add an image to canvas" means any.
func (s *script) plainly(c grammar.Command, p string) bool {
	if isQuoted(c.Text, c.Note) || saysNote(c.Text, c.Note) || strings.Contains(c.Note, "/") || c.Verbatim || isQuoted(c.Text, c.Old) {
		return true
	}
	switch c.Kind {
	case grammar.Add, grammar.Replace, grammar.Remove, grammar.Tick:
		return len(strings.Fields(c.Note)) > 1 || slices.Contains(naming.Of(s.view.Notes[p]), c.Note) || naming.IsNote(c.Note)
	}
	// Whoever means a note by an alias writes it so: "sync history" is rather a history than the note
	// Version history, which goes by "Sync history" too.
	own := strings.EqualFold(retrieval.Name(p), retrieval.Name(c.Note))
	before, _ := around(c.Text, c.Note)
	return !articleRE().MatchString(before) && (own || !naming.IsNote(p) || slices.Contains(naming.Of(s.view.Notes[p]), c.Note))
}

var (
	articleRE  = lazyregexp.New(`(?i)\b(?:the|my|our|your|an?|this|these|those|all|some|any|old|new)\s+$`)
	noteWordRE = lazyregexp.New(`(?i)\b(?:notes?|files?|pages?|documents?)(?:\s+(?:called|named|titled))?\s+["“\[]*$`)
	noteNextRE = lazyregexp.New(`(?i)^["”\]]*(?:'s|’s)?\s+(?:note|file|page|document)\b`)
)

// around is what stands before and after a name in a text.
func around(text, name string) (before, after string) {
	i := strings.LastIndex(strings.ToLower(text), strings.ToLower(name))
	if name == "" || i < 0 || i+len(name) > len(text) {
		return "", ""
	}
	return text[:i], text[i+len(name):]
}

// saysNote says whether a text calls a name that of a note.
func saysNote(text, name string) bool {
	before, after := around(text, name)
	return noteWordRE().MatchString(before) || noteNextRE().MatchString(after)
}

// isQuoted says whether a part of a text stands in quotation marks or double brackets there.
func isQuoted(text, part string) bool {
	before, _ := around(text, part)
	return before != "" && strings.ContainsRune("\"“„«‘`'[@", []rune(before)[len([]rune(before))-1])
}

// mayBeMade says whether text may be for a note that is to be made for it.
func mayBeMade(c grammar.Command) bool {
	return c.Note != grammar.It && (c.Verbatim || c.Note != strings.ToLower(c.Note) || isQuoted(c.Text, c.Note) || saysNote(c.Text, c.Note))
}

// names says whether a change can be carried out as it stands, or asked about, after the commands
// before it.
func (s *script) names(c grammar.Command, before []grammar.Command) bool {
	switch c.Kind {
	case grammar.Create, grammar.MakeFolder, grammar.Undo:
		return true
	}
	for _, b := range before {
		made := b.Title + b.To + b.Folder
		if c.Note == grammar.It && b.Kind != grammar.Question || made != "" && naming.NewName(made).Score(c.Note) >= naming.FitsSurely {
			return true
		}
	}
	if c.Note == grammar.It || c.Note == "" {
		about, _ := spokenOf(s.past, s.made)
		return len(about) > 0 || c.Kind == grammar.Tick
	}
	for _, one := range append([]grammar.Command{c}, c.Others...) {
		if s.daily(one.Note) != "" || s.isName(one.Note) || len(s.near(one)) > 0 || len(s.enumerated(one.Note)) > 0 {
			return true
		}
		_, some := ordinal(naming.Normal(one.Note), len(listed(s.past)))
		if some || one.Kind == grammar.Add && mayBeMade(one) || wholesaleRE().MatchString(one.Note) {
			return true
		}
	}
	return c.Sure
}

// settle marks the commands of a message that are not understood: those that leave a part of their
// words undone, by the names of the notes there are, and of several those that name nothing.
func (s *script) settle(commands []grammar.Command) []grammar.Command {
	out := slices.Clone(commands)
	for i, c := range out {
		if c.Changes() && (s.doubts(c) || len(out) > 1 && !s.names(c, out[:i])) {
			out[i] = grammar.Command{Kind: grammar.Unclear, Text: c.Text}
		}
	}
	return out
}

var (
	exceptRE = lazyregexp.New(`(?i)\b(?:except(?:ing)?|but|apart from|save for|minus|other than|excluding|besides|without|unless|if|until|as soon as|or else|instead of)\b`)
	joinedRE = lazyregexp.New(`(?i)[,;]|\s(?:and|then|&|plus)\s`)
	swapsRE  = lazyregexp.New(`(?i)(?:,|\band\b)\s.*\s(?:with|by)\s`)
	// intoRE finds the places in a text that is to be added: "milk to Home and eggs".
	intoRE = lazyregexp.New(`(?i)\s(?:to|into|in|on)\s+`)
	// partOfNote recognises a text that names a part of a note: "the ingredients of Rye bread".
	partOfNote = lazyregexp.New(`(?i)^(?:the|all|my|its|every)\s+(?:\S+\s+){0,3}?\S+\s+(?:of|from|in)\s+(.+)$`)
)

// doubts says whether a command would do something else than its words ask for: what is not set off
// by quotation marks may hold more than a name, or a text.
func (s *script) doubts(c grammar.Command) bool {
	free := func(part string) bool { return part != "" && !isQuoted(c.Text, part) }
	folder := func(name string) bool { // that is none, and reads like more than one
		return free(name) && (joinedRE().MatchString(name) || exceptRE().MatchString(name)) && s.view.ResolveFolder(name).Score < naming.FitsExactly
	}
	switch c.Kind {
	case grammar.Delete, grammar.Move:
		return free(c.Note) && exceptRE().MatchString(c.Note) && !s.isName(c.Note) || folder(c.To)
	case grammar.Create:
		return folder(c.Folder) || !c.Verbatim && s.namesPart(c.Body)
	case grammar.Add:
		return !c.Verbatim && !strings.Contains(c.Body, "\n") && slices.ContainsFunc([]string{c.Body, c.Whole, "the items " + c.Body}, func(text string) bool {
			return s.namesPlace(text) || (text != "the items "+c.Body || c.Form != grammar.Plain) && s.namesPart(text)
		})
	case grammar.Replace:
		return free(c.New) && swapsRE().MatchString(c.New) || free(c.Old) && swapsRE().MatchString(c.Old)
	}
	return false
}

// isName says whether a note or folder is called just so.
func (s *script) isName(name string) bool {
	return len(s.exact(name)) > 0 || s.view.ResolveFolder(name).Score >= naming.FitsExactly
}

// namesPlace says whether text names a note that it is to go to, and goes on with more.
func (s *script) namesPlace(text string) bool {
	for _, at := range intoRE().FindAllStringIndex(clip(text, 400), 8) {
		rest := text[min(at[1], len(text)):]
		for _, end := range joinedRE().FindAllStringIndex(rest, 8) {
			if name := grammar.NoteName(rest[:end[0]]); name != "" && len(s.exact(name)) > 0 {
				return true
			}
		}
	}
	return false
}

// namesPart says whether text names a part of a note, and is not that part.
func (s *script) namesPart(text string) bool {
	m := partOfNote().FindStringSubmatch(clip(strings.TrimSpace(text), 200))
	return m != nil && len(s.exact(grammar.NoteName(m[1]))) > 0
}

// confirmPart asks, where a part of a message is not understood, whether the rest shall be done
// without it.
func (s *script) confirmPart(commands []grammar.Command) {
	var not, do []string
	for _, c := range commands {
		text := "“" + clip(oneLine(c.Text), 120) + "”"
		if notFollowed(c) {
			not = append(not, text)
		} else {
			do = append(do, text)
		}
	}
	if len(not) > 0 && changes(commands) {
		s.yes(fmt.Sprintf("I do not understand %s, so nothing was changed yet. Shall I do only the rest: %s?", strings.Join(not, " and "), strings.Join(do, ", ")), unchanged)
	}
}

// notFollowed says whether a command is none that can be carried out.
func notFollowed(c grammar.Command) bool {
	return c.Kind == grammar.Unclear || c.Kind == grammar.Beyond
}

// spokenOf are the notes that the last answer was about; sure says that it was about them as a
// whole: one that was shown, changed, or cited alone in an answer that found what was asked for.
func spokenOf(past []turn, record []call) (notes []string, sure bool) {
	if p := noteOf(record); p != "" {
		if notes = readLast(record); len(notes) == 0 {
			notes = []string{p}
		}
		return notes, len(notes) == 1
	}
	if len(past) == 0 {
		return nil, false
	}
	t := past[len(past)-1]
	answer, _, _ := strings.Cut(t.answer, "\n\n"+seeAlso)
	cited := listed([]turn{{answer: answer}})
	p := noteOf(t.calls)
	if p != "" && slices.ContainsFunc(t.calls, func(c call) bool { return c.changes() && !c.failed && !c.pending }) {
		return []string{p}, true
	}
	if noAnswerRE().MatchString(t.answer) {
		return nil, false
	}
	if p != "" && len(cited) == 0 && !t.summary {
		cited = []string{p}
	}
	if len(cited) > 1 && strings.HasPrefix(t.answer, cite(cited[0], 1)+"\n") { // it was shown, with what it refers to
		cited = cited[:1]
	}
	return cited, len(cited) == 1 && !t.summary
}

// readLast are the notes that were read last, one after the other, where nothing was done since.
func readLast(calls []call) []string {
	var out []string
	for _, c := range slices.Backward(calls) {
		if c.name != readFile || c.failed || c.pending {
			break
		}
		if p := c.arg("path"); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// searchInstead answers a sentence that asked for something to be done, and names no note that it
// could be done to. unchanged says that nothing was changed; empty: as it fits.
func (s *script) searchInstead(c grammar.Command, unchanged string) {
	what := clip(oneLine(c.Text), 120)
	switch {
	case unchanged != "":
		s.say(unchanged)
	case s.sketch != nil:
		s.failf("“%s” names no note that I could change, so it is not a step.", what)
		return
	case c.Note == grammar.It || c.Note == "" && c.Kind != grammar.Unclear:
		s.failf("Nothing was changed: I do not know which note you mean in “%s”. Please name it, as in *%s*.", what, s.example(c.Kind))
	case c.Kind == grammar.Unclear && s.lacks(c.Text):
		return
	case c.Kind == grammar.Unclear:
		s.failf("Nothing was changed: “%s” is not a request that I can carry out.", what)
	default:
		s.failf("Nothing was changed: no note is called “%s”.", clip(oneLine(c.Note), 80))
	}
	words := retrieval.ContentWords(c.Text)
	if len(words) == 0 || len(words) == 1 && isOrderWord(words[0]) {
		if c.Kind == grammar.Unclear {
			s.out = s.out[:len(s.out)-1]
			s.notUnderstood(c.Text)
		}
		return
	}
	s.searching = true
	defer func() { s.searching = false }()
	s.question(grammar.Command{Kind: grammar.Question, Text: c.Text, Topic: strings.TrimRight(grammar.Bare(c.Text), ".!? ")})
}

// lacks says what is missing of a request that names a note and nothing more.
func (s *script) lacks(text string) bool {
	verb, name, _ := strings.Cut(grammar.Bare(text), " ")
	how, ok := map[string]string{"rename": "%s to …", "move": "%s to …", "add": "“…” to %[1]s", "replace": "“…” with “…” in %[1]s", "append": "“…” to %[1]s"}[strings.ToLower(verb)]
	if found := s.exact(grammar.NoteName(name)); !ok || len(found) == 0 {
		return false
	}
	s.failf("Nothing was changed: “%s” does not say enough. Say *%s %s*.", oneLine(text), strings.ToLower(verb), fmt.Sprintf(how, grammar.NoteName(name)))
	return true
}

// isOrderWord says whether a word alone asks for a change, and for nothing that could be found.
func isOrderWord(w string) bool {
	c := grammar.Parse(w, time.Time{})
	return len(c) == 1 && c[0].Kind == grammar.Unclear
}
