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

// nearest is the reply to a sentence that looks like a change and has none of the forms. ok is false where it does not
// look like one.
func (s *session) nearest(sentence string, words []token) (reply, bool) {
	c, at := s.meant(words)
	if c == nil {
		return reply{}, false
	}
	form := s.filled(c, words, at)
	why := fmt.Sprintf("“%s” is not one of the commands, so nothing was changed.", text.Excerpt(sentence, 120))
	if form == "" {
		return unablef("%s Say **help** for the commands.", why), true
	}
	return reply{text: why + " The closest one:\n\n`" + form + "`", suggest: form, unable: true}, true
}

// questionWords begin a sentence that asks for no change, whatever follows.
var questionWords = strings.Fields("what what's which who whom whose when where why how is are was were do does did has have had am should")

// leads may precede the verb of a request.
var leads = strings.Fields("please can could would will you i'd i like want need to let's lets just also now then ok okay hey hi so and we must should have it's time kindly go ahead")

// nouns are verbs that begin topics of two words, too: "change management".
var nouns = strings.Fields("change update edit fix set tag move file log record mark drop clear start finish complete archive schedule trash swap put new")

// otherVerbs begin requests for changes without a command.
var otherVerbs = strings.Fields("merge split copy duplicate link unlink convert sort reorder highlight bold combine undo revert restore redo shorten expand translate reword rephrase increase decrease increment wipe get")

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

// said holds the parts that were recognized in a sentence.
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
	named := s.catalog.named(rest)
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
	} else if near := s.catalog.near(tailRE().ReplaceAllString(rest, "")); near != "" && len(x.texts) == 0 && len(strings.Fields(rest)) < 5 {
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

// filled returns the form of a command with the recognized parts; "…" stands for missing ones. It returns "" if the
// command takes a whole note and the sentence names several.
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
	if place := s.catalog.folder(tailRE().ReplaceAllString(x.rest, "")); len(place) > 0 {
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

// nameIn returns the name, alias or path by which a text refers to a note.
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
