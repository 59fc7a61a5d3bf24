package offline

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// command is a row of the closed table of commands: a verb and parts, which follow it in any order; those with a
// preposition may stand before it. In both "a|b" is either, "[a]" may be left out, and a word in
// capitals is a slot. A part that ends in "?" may be left out as a whole.
type command struct {
	help  string // the form that help and the composer show
	verb  string
	parts string // a semicolon apart
	means string // first words of sentences that mean this command
	also  string // pattern that such a sentence must match, too
	do    func(*session, slots) reply
}

// The slots of forms.
const (
	slotNote    = "NOTE"    // a note by name, path or alias
	slotNew     = "NEW"     // the name of a new note
	slotOther   = "OTHER"   // a new name for an existing note
	slotFolder  = "FOLDER"  // a folder
	slotText    = "TEXT"    // text in quotation marks, or after a colon
	slotWith    = "WITH"    // the same, for what replaces a text
	slotHeading = "HEADING" // a heading
	slotKey     = "KEY"     // a property
	slotValue   = "VALUE"   // its value
	slotTag     = "TAG"
	slotDay     = "DAY" // a daily note
)

// slots maps slot names to the matched text; notes and folders are given by path.
type slots map[string]string

// Parts that several commands have.
const (
	aText   = "[the] [line|text|words] TEXT; "
	inNote  = "to|in|into [the] [end] [of] NOTE; under HEADING?"
	inDay   = "to|in|into DAY; under HEADING?"
	newNote = "[a|the] [new] note [called|named] NEW; in FOLDER?; [with] [the] [text] TEXT?"
)

const addVerbs = "add append put insert write jot record log"

func commands() []command {
	return []command{
		{`create a folder NAME`, "create|make [a] [new] folder [called|named]", "NEW", "create make new", "folder", (*session).folder},
		{`create a note NAME in FOLDER with "TEXT"`, "create|new", newNote, "create make new start", "", (*session).create},
		{"", "make", strings.Replace(newNote, "[called|named]", "called|named", 1), "", "", (*session).create},
		{"", "make [a] new", strings.TrimPrefix(newNote, "[a|the] [new] "), "", "", (*session).create},
		{`add a task "TEXT" to today's note`, "add [a|the] [new] task", "TEXT; " + inDay, addVerbs, `(?:today|daily)\b.*\b(?:task|todo)|(?:task|todo)\b.*\b(?:today|daily)`, (*session).addTask},
		{`add "TEXT" to today's note`, "add|append|put|write", aText + inDay, addVerbs, "today|daily", (*session).add},
		{`add a task "TEXT" to NOTE`, "add [a|the] [new] task", "TEXT; " + inNote, "remind schedule " + addVerbs, "task|todo|to-do|remind", (*session).addTask},
		{`add tag TAG to NOTE`, "add [the|a] tag", "TAG; to NOTE", "tag " + addVerbs, "tags?", (*session).tag},
		{"", "tag", "NOTE; with|as TAG", "", "", (*session).tag},
		{`add "TEXT" to NOTE under HEADING`, "add|append|put [the|a|this] [line]", aText + inNote, addVerbs, "", (*session).add},
		{`replace "OLD" with "NEW" in NOTE`, "replace|change", aText + "with|to|by|into WITH; in NOTE", "replace change edit correct fix update rewrite swap substitute modify", "", (*session).replace},
		{`rename NOTE to NAME`, "rename", "NOTE; to|as OTHER", "rename retitle", "", (*session).rename},
		{`move NOTE to FOLDER`, "move", "NOTE; to|into FOLDER", "move archive file transfer", "", (*session).move},
		{`remove tag TAG from NOTE`, "remove [the] tag", "TAG; from NOTE", "untag remove delete", "tags?|untag", (*session).untag},
		{`remove property PROPERTY from NOTE`, "remove|delete [the] property", "KEY; from|of|in NOTE", "remove delete", "property", (*session).unset},
		{`delete NOTE`, "delete|trash", "NOTE", "delete remove erase trash drop clear strike discard throw", "", (*session).delete},
		{`set PROPERTY of NOTE to VALUE`, "set|change [the] [property]", "KEY; of|in|on|for NOTE; to VALUE", "set give", "", (*session).set},
		{`tick "TEXT" in NOTE`, "tick [off] [the] [task]", "TEXT; in NOTE?", "tick complete finish mark", "", (*session).tick},
		{"", "mark [the] [task]", "TEXT; as done; in NOTE?", "", "", (*session).tick},
		{`untick "TEXT" in NOTE`, "untick|uncheck [the] [task]", "TEXT; in NOTE?", "untick uncheck unmark reopen", "", (*session).untick},
		{`show NOTE`, "show|open|read [me]", "NOTE", "", "", (*session).show},
		{"", "show|open|read [me]", "DAY", "", "", (*session).show},
	}
}

// Forms returns the forms of the commands, as help shows them. A word in capitals stands for a part of the command.
func Forms() []string {
	var out []string
	for _, c := range commands() {
		if c.help != "" {
			out = append(out, c.help)
		}
	}
	return out
}

// token is a word of a sentence, a part of it in quotation marks, or what follows a colon.
type token struct {
	text string
	kind byte // 0 a word, 'q' quoted, 'l' a link, ':' what follows a colon
}

func (t token) is(word string) bool {
	return t.kind == 0 && folded(strings.TrimRight(t.text, ",;")) == word
}

var tokenRE = lazyregexp.New("(?s)\"([^\"]*)\"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|`([^`]*)`|(\\[\\[[^\\[\\]]*\\]\\])|([^\\s\"“„«`]+)")

// tokens splits a sentence. A full stop at its end and "please" are left out.
func (c *catalog) tokens(sentence string) []token {
	var out []token
	for at := tokenRE().FindStringSubmatchIndex(sentence); at != nil; at = tokenRE().FindStringSubmatchIndex(sentence) {
		m := func(i int) string { return group(sentence, at, i) }
		word := m(7)
		name, end, kind := c.oddName(sentence[at[0]:])
		switch {
		case name != "":
			at[1] = at[0] + end
			out = append(out, token{name, kind})
		case m(6) != "":
			out = append(out, token{strings.Trim(m(6), "[]"), 'l'})
		case word == "":
			out = append(out, token{m(1) + m(2) + m(3) + m(4) + m(5), 'q'})
		case len(out) > 0 && strings.HasSuffix(word, ":") && strings.TrimSpace(sentence[at[1]:]) != "":
			if word = strings.TrimSuffix(word, ":"); word != "" {
				out = append(out, token{text: word})
			}
			rest := strings.TrimSpace(sentence[at[1]:])
			if whole := tokenRE().FindString(rest); whole == rest && strings.ContainsAny(rest[:1], "\"“„«") {
				return append(out, token{c.tokens(rest)[0].text, 'q'})
			}
			return append(out, token{rest, ':'})
		case !endMarks().MatchString(word):
			out = append(out, token{text: word})
		}
		sentence = sentence[at[1]:]
	}
	for len(out) > 0 && (out[0].is("please") || out[0].is("")) {
		out = out[1:]
	}
	if n := len(out); n > 0 && out[n-1].kind == 0 {
		out[n-1].text = strings.TrimRight(out[n-1].text, ".!?")
		if out[n-1].is("please") || out[n-1].is("") {
			out = out[:n-1]
		}
	}
	return out
}

// oddName returns the longest of the odd names that a text begins with, its end there and its kind of token.
func (c *catalog) oddName(s string) (name string, end int, kind byte) {
	for _, odd := range c.odd {
		for _, as := range []token{{odd, 'l'}, {`"` + odd + `"`, 'q'}, {"[[" + odd + "]]", 'l'}} {
			n := len(as.text)
			if n > end && n <= len(s) && strings.EqualFold(s[:n], as.text) && (n == len(s) || strings.ContainsAny(s[n:n+1], " ,.;!?\n")) {
				name, end, kind = odd, n, as.kind
			}
		}
	}
	return name, end, kind
}

var endMarks = lazyregexp.New(`^[.!,;]+$`)

// command carries out a command, or suggests one for a sentence that looks like a change. ok is false for others.
func (s *session) command(sentence string) (r reply, ok bool) {
	words := s.catalog.tokens(sentence)
	if len(words) == 0 {
		return reply{}, false
	}
	asked := strings.HasSuffix(strings.TrimSpace(sentence), "?") && !strings.HasSuffix(words[len(words)-1].text, "?")
	if asked && (len(words) < 2 || !words[1].is("you")) {
		return reply{}, false
	}
	m := matcher{session: s, words: words}
	for _, c := range commands() {
		if !asked {
			m.match(c, strings.Split(c.parts, "; "), false, 0, slots{})
		}
	}
	found := slices.CompactFunc(m.found, func(a, b reply) bool { return a.step == b.step && a.text == b.text })
	switch len(found) {
	case 0:
		return s.nearest(sentence, words)
	case 1:
		return found[0], true
	}
	steps := bullets(text.Of(found, func(r reply) string { return cmp.Or(r.step, r.text) }))
	return unablef("This can mean more than one thing, so nothing was changed:\n\n%s\n\nGive the path of the note, or put names into quotation marks.", steps), true
}

// matcher finds what a sentence means by the forms. A loose one fills a form as far as it can: it accepts any words
// for a required slot, and missing parts.
type matcher struct {
	*session
	words []token
	found []reply

	loose bool
	best  slots
	score int // of best: its slots, less for unknown notes
}

// match continues at word at, with the parts of the command that are not matched yet.
func (m *matcher) match(c command, left []string, verb bool, at int, bound slots) {
	if at == len(m.words) && verb {
		score := 2 * len(bound)
		for _, value := range bound {
			if value == "…" {
				score -= 4
			} else if strings.HasPrefix(value, "…") { // an unknown note
				score--
			}
		}
		switch {
		case m.loose && score > m.score:
			m.best, m.score = bound, score
		case !m.loose && !slices.ContainsFunc(left, func(part string) bool { return !strings.HasSuffix(part, "?") }):
			m.found = append(m.found, c.do(m.session, bound))
		}
	}
	if at == len(m.words) {
		return
	}
	if !verb {
		m.elements(strings.Fields(c.verb), at, bound, func(at int, bound slots) { m.match(c, left, true, at, bound) })
	}
	for i, part := range left {
		if preposition := part[0] >= 'a' && part[0] <= 'z'; verb || preposition {
			rest := slices.Delete(slices.Clone(left), i, i+1)
			m.elements(strings.Fields(part), at, bound, func(at int, bound slots) { m.match(c, rest, verb, at, bound) })
		}
	}
}

// elements calls next for each way in which the words from at on match the words of a form.
func (m *matcher) elements(form []string, at int, bound slots, next func(at int, bound slots)) {
	if len(form) == 0 {
		next(at, bound)
		return
	}
	word, rest := strings.Trim(form[0], "[]"), form[1:]
	if word != form[0] {
		m.elements(rest, at, bound, next)
	}
	if word != strings.ToUpper(word) {
		if at < len(m.words) && slices.ContainsFunc(strings.Split(word, "|"), m.words[at].is) {
			m.elements(rest, at+1, bound, next)
		}
		return
	}
	slot, optional := strings.CutSuffix(word, "?")
	for end := at + 1; end <= min(len(m.words), at+longestSlot); end++ {
		values := m.values(slot, m.words[at:end])
		if m.loose && !optional && len(values) == 0 {
			values = []string{loosely(slot, m.words[at:end])}
		}
		for _, value := range values {
			with := maps.Clone(bound)
			with[slot] = value
			m.elements(rest, end, with, next)
		}
	}
}

// longestSlot bounds the words of a slot.
const longestSlot = 14

var (
	tagRE = lazyregexp.New(`^#?[\p{L}\p{N}_/-]+$`)
	newRE = lazyregexp.New(`(?i)(?:^|\s)(?:and|or|then|that|which|with|containing|saying|called|named|in|into|under|if|unless|but|except|to|from|about|for|on|of|listing|where|when|as)(?:\s|$)|[,;:?*"<>|#^\[\]]|^(?:it|this|that|them|note|page|folder|a|the)$|…`)
	dayRE = lazyregexp.New(`(?i)^(?:(?:the |my )?(?:daily|today'?s|today’s) (?:daily )?note|today|(?:the |my )?(?:daily )?note (?:of|for|from) (today|yesterday|tomorrow|(?:this|last|next) (?:week|month|quarter|year)|\d{4}-\d{2}-\d{2})|(?:the |my )?daily note (?:of|for|from) (today|yesterday|tomorrow|\d{4}-\d{2}-\d{2})|(yesterday|tomorrow|(?:this|last|next) (?:week|month|quarter|year))(?:'s|’s) (?:daily )?note)$`)
	// saysRE finds what makes a value no value: "the same as Moby-Dick", "one more".
	saysRE = lazyregexp.New(`(?i)(?:^|\s)(?:the|same|as|than|more|less|half|double|twice|by|it|its|what|whatever|again|back|no|wait|don't|please)(?:\s|$)`)
	// nameRE finds what makes the words after "rename … to" more than a name.
	nameRE = lazyregexp.New(`(?i)(?:^|\s)(?:and|or|then|that|which|called|named|in|into|under|if|unless|but|except)(?:\s|$)|[,;:?*"<>|#^\[\]]|^(?:it|this|that|them|note|page|a|the)$|…`)
	// nextRE finds a second request in a text after a colon: "book a massage, then delete Gran".
	nextRE = lazyregexp.New(`(?i)\b(?:and|then|also)\s+(?:then |also |please )*(?:add|append|create|make|change|replace|rename|move|delete|remove|set|tag|tick|untick)\s`)
	manyRE = lazyregexp.New(`(?i)(?:^|\s)(?:and|or|then|in|of|on|for|to|if|unless|but|not|with)(?:\s|$)|,`)
)

// values returns the possible values of a slot for some words. Only the last word may be quoted: the heading “Now”.
func (m *matcher) values(slot string, words []token) []string {
	n := len(words)
	last, said := words[n-1], joined(words)
	quoted, colon := last.kind == 'q', last.kind == ':'
	named := slot == slotHeading || slot == slotNote || slot == slotFolder
	if said == "…" || n > 1 && (colon || quoted && !named) || slices.ContainsFunc(words[:n-1], func(w token) bool { return w.kind == 'q' || w.kind == ':' }) {
		return nil
	}
	value, ok := said, false
	switch slot {
	case slotNote:
		if !colon {
			return m.catalog.note(said)
		}
	case slotFolder:
		bare := bareName(said, folderNameRE)
		if list := m.catalog.folder(said); len(list) > 0 {
			return list
		} else if has := m.index.Folder(m.ctx, bare); has != "" {
			return []string{has}
		}
		// A new one is accepted in quotation marks, or below an existing folder.
		if quoted && n == 1 {
			bare = said
		}
		value = strings.Trim(bare, "/")
		ok = quoted && bare == last.text && !strings.ContainsAny(value, `:*?"<>|…`) || n == 1 && len(m.catalog.folder(path.Dir(value))) == 1
	case slotDay:
		if d := dayRE().FindStringSubmatch(said); d != nil {
			value, ok = strings.ToLower(cmp.Or(d[1], d[2], d[3], "today")), true
		}
	default:
		value, ok = m.value(slot, said, last.kind, n)
	}
	if !ok {
		return nil
	}
	return []string{value}
}

// value returns the value of a slot that names nothing there is, for n words. Without quotation marks, words that
// suggest a longer sentence are rejected.
func (m *matcher) value(slot, said string, kind byte, n int) (value string, ok bool) {
	quoted, colon := kind == 'q', kind == ':'
	switch slot {
	case slotText, slotWith:
		return said, quoted || colon && !nextRE().MatchString(said)
	case slotNew, slotOther:
		more := newRE()
		if slot == slotOther {
			more = nameRE()
		}
		return strings.TrimSuffix(strings.TrimSuffix(said, ".md"), " note"), quoted && n == 1 || kind == 'l' && n == 1 || kind == 0 && !more.MatchString(said)
	case slotHeading:
		name := strings.TrimLeft(bareName(said, headingRE), "# ")
		return name, name != "" && (quoted || !manyRE().MatchString(name))
	case slotKey:
		return said, n <= 3 && (quoted || !manyRE().MatchString(said)) && m.isKey(said)
	case slotValue:
		return said, quoted || colon || n <= 4 && !manyRE().MatchString(said) && !saysRE().MatchString(said)
	}
	return strings.TrimPrefix(said, "#"), slot == slotTag && n == 1 && tagRE().MatchString(said)
}

// isKey reports whether a word can be a property: with "change", one that notes have.
func (m *matcher) isKey(key string) bool {
	if first, _, more := strings.Cut(folded(key), " "); more && (first == "the" || first == "property") {
		return false
	}
	if m.words[0].is("set") || len(m.words) > 3 && slices.ContainsFunc(m.words, func(t token) bool { return t.is("set") || t.is("property") }) {
		return keyRE().MatchString(key)
	}
	return m.keyNamed(folded(key)) == folded(key)
}

var keyRE = lazyregexp.New(`^[\p{L}\p{N}][\p{L}\p{N} _-]*$`)

// joined returns words separated by spaces, without a comma after the last one.
func joined(words []token) string {
	s := strings.Join(text.Of(words, func(w token) string { return w.text }), " ")
	if len(words) > 0 && words[len(words)-1].kind == 0 {
		s = strings.TrimRight(s, ",;")
	}
	return s
}
