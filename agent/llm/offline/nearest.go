package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// nearest replies to a sentence that looks like a change but has none of the forms. ok is false if it does not look
// like one.
func (s *session) nearest(sentence string, words []token) (reply, bool) {
	c, at := s.meant(words)
	if c == nil {
		return reply{}, false
	}
	form, unknown := "", ""
	if c.help != "" && len(words) <= longestNearest {
		form, unknown = s.filled(*c, words, at)
	}
	if unknown != "" {
		why := fmt.Sprintf("There is no note “%s”, so nothing was changed.%s", unknown, s.closest(unknown))
		return reply{text: why, suggest: form, unable: true}, true
	}
	why := fmt.Sprintf("“%s” is not one of the commands, so nothing was changed.", text.Excerpt(sentence, 120))
	if form == "" || folded(form) == folded(sentence) {
		return unablef("%s Say **help** for the commands.", why), true
	}
	return reply{text: why + " The closest one:\n\n`" + form + "`", suggest: form, unable: true}, true
}

// closest names the note whose name is most like one that does not exist, if there is one.
func (s *session) closest(unknown string) string {
	names := text.Of(s.catalog.entries, func(e retrieval.Entry) string { return retrieval.Name(e.Path) })
	if at := slices.Index(names, text.Near(unknown, names)); at >= 0 {
		return " The closest one is " + cite(s.catalog.entries[at].Path, 0) + "."
	}
	return ""
}

// longestNearest bounds the words of a sentence for which a form is suggested.
const longestNearest = 40

var (
	// questionWords begin a sentence that asks for no change, whatever follows.
	questionWords = strings.Fields("what what's which who whom whose when where why how is are was were do does did has have had am should")
	// leads may precede the verb of a request.
	leads = strings.Fields("please can could would will you i'd i like want need to let's lets just also now then ok okay hey hi so and we must should have it's time kindly go ahead")
	// nouns are verbs that begin topics of two words, too: "change management".
	nouns = strings.Fields("change update edit fix set tag move file log record mark drop clear start finish complete archive schedule trash swap put new")
	// otherVerbs begin requests for changes without a command.
	otherVerbs = strings.Fields("merge split copy duplicate link unlink convert sort reorder highlight bold combine undo revert restore redo shorten expand translate reword rephrase increase decrease increment wipe get")
	// places may precede a note, and begin a sentence.
	places = strings.Fields("in under to on from for into of at")
)

// meant returns the command that a sentence begins with, by its verb, and the position of that verb, or nil.
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
			if topic := len(words) == 2 && slices.Contains(nouns, word) && len(s.catalog.note(words[1].text)) == 0; k >= 0 && !topic {
				if asked := len(words) > i+2 && words[i+1].is("me") && slices.Contains(questionWords, folded(words[i+2].text)); asked {
					return nil, 0 // "remind me what …"
				}
				return &rows[k], i
			}
			if slices.Contains(otherVerbs, word) && len(words) > i+1 {
				return &command{}, i
			}
		}
		// A verb stands at the beginning, after words that lead to it, a place, or "and" and "then".
		start = start && slices.Contains(leads, word) || word == "and" || word == "then" || slices.ContainsFunc(places, words[0].is) || strings.HasSuffix(w.text, ",")
	}
	return nil, 0
}

// fits reports whether a sentence with a verb means the command.
func (c command) fits(verb string, words []token) bool {
	if !slices.Contains(strings.Fields(c.means), verb) {
		return false
	}
	plain := strings.ToLower(joined(slices.DeleteFunc(slices.Clone(words), func(t token) bool { return t.kind != 0 })))
	return c.also == "" || regexp.MustCompile(`(?:^|\s)(?:`+c.also+`)\b`).MatchString(plain)
}

var (
	fillerRE = lazyregexp.New(`(?i)^(?:(?:a|an|the|my|new|line|text|note|page|task|todo|item|entry|property|tag|called|named|with|saying|that|says|reads|which|containing|contains|of|off|down|me|it|to|as|:)\s+)+`)
	tailRE   = lazyregexp.New(`(?i)(?:\s+(?:to|in|into|on|of|from|at|under|the|my|note|page|heading|section|folder|end|as|done|called|named|with|and|file))+$`)
	moreRE   = lazyregexp.New(`(?i)(?:,| (?:and|then|but|so) ).*$`)
)

// filled returns the form of a command with the recognized parts of a sentence, whose verb is word at; "…" stands for
// missing ones, and the name of a note that does not exist. The form is "" if the command takes a whole note and the
// sentence names none or several.
func (s *session) filled(c command, words []token, at int) (form, unknown string) {
	named, _ := s.catalog.named(joined(words))
	if !slices.ContainsFunc(places, words[0].is) {
		words = words[at:]
	}
	parts := strings.Split(c.parts, "; ")
	for i, p := range parts {
		if strings.Contains(p, " "+slotNote) {
			parts[i] = strings.Join(places, "|") + " [the] [end] [of] " + slotNote
		}
	}
	verb := strings.Fields(c.verb)
	for i := range verb {
		verb[i] = "[" + strings.Trim(verb[i], "[]") + "]"
	}
	c.verb = strings.Join(append([]string{strings.ReplaceAll(c.means, " ", "|")}, verb[1:]...), " ")
	m := matcher{session: s, words: words, loose: true, score: -len(words)}
	m.match(c, parts, false, 0, slots{})
	b := m.best
	form = c.help
	name, missing := strings.CutPrefix(b[slotNote], "…")
	if name = bareName(name, noteNameRE); missing && len(named) == 0 && name != "" && !newRE().MatchString(name) && !allRE().MatchString(name) && len(s.catalog.folder(name)) == 0 {
		unknown = name
	}
	if strings.HasPrefix(form, "delete") && (missing || name == "") {
		if len(named) != 1 {
			return "", unknown
		}
		missing = false
		b, form = slots{slotNote: named[0]}, `replace "OLD" with "" in NOTE`
	}
	for slot, part := range map[string]string{slotFolder: " in FOLDER", slotHeading: " under HEADING", slotText: ` with "TEXT"`} {
		if b[slot] == "" {
			form = strings.Replace(form, part, "", 1)
		}
	}
	part := func(slot string) string {
		if slot == slotNote && missing {
			return "…"
		}
		return cmp.Or(strings.ReplaceAll(text.OneLine(b[slot]), `"`, "'"), "…")
	}
	folder := part(slotFolder)
	if len(s.catalog.folder(folder)) == 0 {
		folder = `"` + folder + `"`
	}
	return strings.NewReplacer("NAME", `"`+cmp.Or(b[slotNew], part(slotOther))+`"`, "OLD", part(slotText), "NEW", part(slotWith), "TEXT", part(slotText), "NOTE", retrieval.Name(part(slotNote)),
		"HEADING", part(slotHeading), "FOLDER", folder, "PROPERTY", part(slotKey), "VALUE", part(slotValue), "TAG", part(slotTag)).Replace(form), unknown
}

// loosely returns the value of a slot for words that do not have its form; "…" precedes the name of an unknown note.
func loosely(slot string, words []token) string {
	if name := joined(words); slot == slotNote {
		if len(words) > 1 && slices.ContainsFunc(words, func(t token) bool { return t.kind != 0 }) || timeRE().MatchString(name) {
			name = ""
		}
		return "…" + name
	}
	for _, w := range words {
		if w.kind == 'q' || w.kind == ':' {
			return w.text
		}
	}
	said := joined(words)
	if slot == slotNew || slot == slotOther {
		said = strings.TrimSuffix(moreRE().ReplaceAllString(said, ""), ".md")
	}
	said = strings.TrimSpace(tailRE().ReplaceAllString(" "+text.OneLine(said), ""))
	return cmp.Or(strings.TrimSpace(fillerRE().ReplaceAllString(said+" ", "")), "…")
}
