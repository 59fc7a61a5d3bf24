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

// nearest replies to a sentence that looks like a change but has none of the forms. ok is false if it does not look
// like one.
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
		inPlace := slices.ContainsFunc([]string{"in", "under", "to", "on", "from", "for"}, words[0].is)
		start = start && slices.Contains(leads, word) || word == "and" || word == "then" || inPlace || strings.HasSuffix(w.text, ",")
	}
	return nil, 0
}

// fits reports whether a sentence with a verb means the command.
func (c command) fits(verb string, words []token) bool {
	if !slices.Contains(strings.Fields(c.means), verb) {
		return false
	}
	plain := strings.ToLower(joined(slices.DeleteFunc(slices.Clone(words), func(t token) bool { return t.kind != 0 })))
	return regexp.MustCompile(`(?:^|\s)(?:` + c.also + `)`).MatchString(plain)
}

var (
	fillerRE  = lazyregexp.New(`(?i)^(?:(?:a|an|the|my|new|line|text|note|page|task|todo|item|entry|property|tag|called|named|with|saying|that|says|reads|which|containing|contains|of|off|down|me|it|to|as|:)\s+)+`)
	tailRE    = lazyregexp.New(`(?i)(?:\s+(?:to|in|into|on|of|from|at|under|the|my|note|page|heading|section|folder|end|as|done|called|named|with|and|file))+$`)
	headingRE = lazyregexp.New(`(?i)\bunder (?:the )?(?:heading |section )?["“]?([^"”,.]+?)["”]?(?:\s+(?:heading|section))?(?:\s+(?:in|of|to)\b|[,.]|$)`)
	pairRE    = lazyregexp.New(`(?i)^(.+?)\s+(?:to|with|by|into|as)\s+(.+)$`)
)

// filled returns the form of a command with the recognized parts of a sentence, whose verb is word at; "…" stands for
// missing ones. It returns "" if the command takes a whole note and the sentence names several.
func (s *session) filled(c *command, words []token, at int) string {
	if c.help == "" {
		return ""
	}
	rest := joined(words[:at]) + " " + joined(words[at+1:])
	var quoted []string
	for _, w := range words {
		if w.kind == 'q' || w.kind == ':' {
			quoted = append(quoted, strings.ReplaceAll(text.OneLine(w.text), `"`, "'"))
			rest = strings.Replace(rest, w.text, " ", 1)
		}
	}
	heading := ""
	if m := headingRE().FindStringSubmatch(rest); m != nil {
		heading, rest = m[1], strings.Replace(rest, strings.TrimRight(m[0], " "), " ", 1)
	}
	named, _ := s.catalog.named(rest)
	note, rest := takeNote(rest, named, strings.Contains(c.help, "TEXT") || strings.Contains(c.help, "OLD"))
	rest = bare(rest)
	first, second := rest, ""
	if m := pairRE().FindStringSubmatch(rest); m != nil {
		first, second = bare(m[1]), m[2]
	}
	part := func(i int, otherwise string) string {
		if i < len(quoted) {
			return quoted[i]
		}
		return cmp.Or(otherwise, "…")
	}
	form := strings.TrimSuffix(c.help, " under HEADING")
	if strings.HasPrefix(form, "delete") && (rest != "" || len(quoted) > 0) {
		if len(named) != 1 {
			return ""
		}
		form, first, second = `replace "OLD" with "" in NOTE`, "", ""
	}
	if heading != "" && strings.Contains(form, "TEXT") {
		form += " under " + heading
	}
	return strings.NewReplacer(" in FOLDER", "", "NAME", `"`+cmp.Or(second, rest, "…")+`"`, "OLD", part(0, first), "NEW", part(1, second), "TEXT", part(0, rest), "NOTE", note,
		"FOLDER", "…", "PROPERTY", cmp.Or(first, "…"), "VALUE", part(0, second), "TAG", cmp.Or(strings.TrimPrefix(first, "#"), "…")).Replace(form)
}

// takeNote takes the first of the named notes out of a text, with the preposition before it, which it must have if the
// rest is text to be written. It returns "…" if there is none.
func takeNote(s string, named []string, needsPlace bool) (note, rest string) {
	for _, file := range named {
		for _, name := range []string{file, strings.TrimSuffix(file, path.Ext(file)), path.Base(file), retrieval.Name(file)} {
			re := regexp.MustCompile(`(?i)(\b(?:in|to|into|of|from|on|for|at)\s+)?(?:the\s+|my\s+)?(?:(?:note|page|end of)\s+)?["“]?` + regexp.QuoteMeta(name) + `(?:["”]|\b|'s|’s)?(?:\s+(?:note|page))?`)
			if m := re.FindStringSubmatchIndex(s); m != nil && (m[2] >= 0 || !needsPlace) {
				return retrieval.Name(file), s[:m[0]] + " " + s[m[1]:]
			}
		}
	}
	return "…", s
}

// bare returns a text without fillers at its beginning and end.
func bare(s string) string {
	s = tailRE().ReplaceAllString(" "+text.OneLine(strings.ReplaceAll(s, `"`, "'")), "")
	return strings.TrimSpace(fillerRE().ReplaceAllString(strings.TrimSpace(s)+" ", ""))
}
