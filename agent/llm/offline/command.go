package offline

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"chatvault/internal/lazyregexp"
)

// command is a row of the closed table of commands. Its forms are sequences of words: "a|b" is either, "[a]" may be
// left out, "_" stands for a space, and a word in capitals is a slot.
type command struct {
	help  string   // the form that help and the composer show
	verbs []string // with which a sentence begins that means this command
	forms []string
	do    func(*session, slots) reply
}

// The slots of forms.
const (
	slotNote    = "NOTE"    // a note by name, path or alias
	slotNew     = "NEW"     // the name of a note that is to be
	slotFolder  = "FOLDER"  // a folder
	slotText    = "TEXT"    // text in quotation marks, or after a colon
	slotWith    = "WITH"    // the same, for what replaces a text
	slotHeading = "HEADING" // a heading
	slotKey     = "KEY"     // a property
	slotValue   = "VALUE"   // its value
	slotTag     = "TAG"
	slotDay     = "DAY" // a daily note
)

// slots are the parts of a sentence by slot: a note and a folder as its path.
type slots map[string]string

func commands() []command {
	return []command{
		{
			`create a note NAME in FOLDER with "TEXT"`, []string{"create", "make", "new", "start"}, []string{
				"create|new [a|the] [new] note [called|named] NEW", "create|new [a|the] [new] note [called|named] NEW [with] [the] [text] TEXT",
				"create|new [a|the] [new] note [called|named] NEW in FOLDER", "create|new [a|the] [new] note [called|named] NEW in FOLDER [with] [the] [text] TEXT",
				"make [a] [new] note called|named NEW", "make [a] [new] note called|named NEW in FOLDER", "make [a] new note NEW", "make [a] new note NEW in FOLDER",
				"make [a] [new] note called|named NEW [with] [the] [text] TEXT", "make [a] [new] note called|named NEW in FOLDER [with] [the] [text] TEXT",
				"create|new [a|the] [new] note in FOLDER called|named NEW", "create|new [a|the] [new] note in FOLDER called|named NEW [with] [the] [text] TEXT",
				"in FOLDER create [a|the] [new] note [called|named] NEW", "in FOLDER create [a|the] [new] note [called|named] NEW [with] [the] [text] TEXT",
			}, (*session).create,
		},
		{
			`add "TEXT" to NOTE under HEADING`, []string{"add", "append", "put", "insert", "write", "jot", "record", "log"}, []string{
				"add|append|put [the] [line|text|words] TEXT to|in|into [the_end_of|end_of] NOTE", "add|append|put [the] [line|text|words] TEXT to|in|into NOTE under HEADING",
				"add|append|put [the] [line|text|words] TEXT under HEADING in|of|to NOTE", "in|to NOTE add|append|put [the] [line|text|words] TEXT",
				"in|to NOTE add|append|put [the] [line|text|words] TEXT under HEADING", "in|to NOTE under HEADING add|append|put [the] [line|text|words] TEXT",
				"under HEADING in|of NOTE add|append|put [the] [line|text|words] TEXT",
				"add|append to [the_end_of|end_of] NOTE TEXT", "add|append to NOTE under HEADING TEXT", "add|append [the_line|a_line|this] to [the_end_of|end_of] NOTE TEXT",
			}, (*session).add,
		},
		{
			`add a task "TEXT" to NOTE`, []string{"remind", "schedule"}, []string{
				"add [a|the] [new] task TEXT to|in NOTE", "add [a|the] [new] task TEXT to|in NOTE under HEADING", "add [a|the] [new] task TEXT under HEADING in|of|to NOTE",
				"add [a|the] [new] task to|in NOTE TEXT", "add [a|the] [new] task to|in NOTE under HEADING TEXT", "in|to NOTE add [a|the] [new] task TEXT",
			}, (*session).addTask,
		},
		{
			`add "TEXT" to today's note`, nil, []string{
				"add|append|put|write [the] [line|text|words] TEXT to|in|into DAY", "add|append|put|write [the] [line|text|words] TEXT to|in|into DAY under HEADING",
				"add|append to DAY TEXT", "add|append to DAY under HEADING TEXT", "in|to DAY add|append|put|write [the] [line|text|words] TEXT",
			}, (*session).addDaily,
		},
		{`add a task "TEXT" to today's note`, nil, []string{
			"add [a|the] [new] task TEXT to|in DAY", "add [a|the] [new] task TEXT to|in DAY under HEADING", "add [a|the] [new] task to|in DAY TEXT",
		}, (*session).addDailyTask},
		{
			`replace "OLD" with "NEW" in NOTE`, []string{"replace", "change", "edit", "correct", "fix", "update", "rewrite", "swap", "substitute", "modify"}, []string{
				"replace|change [the] [text|words|word|line] TEXT with|to|by|into WITH in NOTE", "in NOTE replace|change [the] [text|words|word|line] TEXT with|to|by|into WITH",
				"replace|change [the] [text|words|word|line] TEXT in NOTE with|to|by|into WITH",
			}, (*session).replace,
		},
		{`rename NOTE to NAME`, []string{"rename", "retitle"}, []string{"rename NOTE to|as NEW"}, (*session).rename},
		{`move NOTE to FOLDER`, []string{"move", "archive", "file", "transfer"}, []string{"move NOTE to|into FOLDER"}, (*session).move},
		{`delete NOTE`, []string{"delete", "remove", "erase", "trash", "drop", "clear", "strike", "discard", "throw"}, []string{"delete|trash NOTE"}, (*session).delete},
		{`set PROPERTY of NOTE to VALUE`, []string{"set", "give"}, []string{
			"set|change [the] [property] KEY of|in|on|for NOTE to VALUE", "set|change [the] [property] KEY to VALUE in|of|on|for NOTE", "in|for NOTE set|change [the] [property] KEY to VALUE",
		}, (*session).set},
		{`remove property PROPERTY from NOTE`, nil, []string{"remove|delete [the] property KEY from|of|in NOTE"}, (*session).unset},
		{`add tag TAG to NOTE`, []string{"tag"}, []string{"add [the|a] tag TAG to NOTE", "tag NOTE with|as TAG"}, (*session).tag},
		{`remove tag TAG from NOTE`, []string{"untag"}, []string{"remove [the] tag TAG from NOTE"}, (*session).untag},
		{`tick "TEXT" in NOTE`, []string{"tick", "complete", "finish", "mark"}, []string{
			"tick [off] [the] [task] TEXT", "tick [off] [the] [task] TEXT in NOTE", "in NOTE tick [off] [the] [task] TEXT", "mark [the] [task] TEXT in NOTE as done", "mark [the] [task] TEXT as done in NOTE", "mark [the] [task] TEXT as done",
		}, (*session).tick},
		{`untick "TEXT" in NOTE`, []string{"untick", "uncheck", "unmark", "reopen"}, []string{"untick|uncheck [the] [task] TEXT", "untick|uncheck [the] [task] TEXT in NOTE", "in NOTE untick|uncheck [the] [task] TEXT"}, (*session).untick},
		{`create a folder NAME`, nil, []string{"create|make [a] [new] folder [called|named] NEW"}, (*session).folder},
		{`show NOTE`, nil, []string{"show|open|read [me] NOTE", "show|open|read [me] DAY"}, (*session).show},
	}
}

// Forms returns the forms of the commands, as help shows them. A word in capitals stands for a part of the command.
func Forms() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.help)
	}
	return out
}

// element is a word of a form.
type element struct {
	slot     string
	words    [][]string // alternatives, folded
	optional bool
}

type pattern struct {
	command  *command
	elements []element
}

// patterns are the forms of all commands.
var patterns = sync.OnceValue(func() []pattern {
	var out []pattern
	all := commands()
	for i := range all {
		for _, f := range all[i].forms {
			p := pattern{command: &all[i]}
			for _, w := range strings.Fields(f) {
				e := element{optional: strings.HasPrefix(w, "[")}
				if w = strings.Trim(w, "[]"); w == strings.ToUpper(w) {
					e.slot = w
				} else {
					for alternative := range strings.SplitSeq(w, "|") {
						e.words = append(e.words, strings.Split(alternative, "_"))
					}
				}
				p.elements = append(p.elements, e)
			}
			out = append(out, p)
		}
	}
	return out
})

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
func tokens(sentence string) []token {
	var out []token
	for _, at := range tokenRE().FindAllStringSubmatchIndex(sentence, -1) {
		m := func(i int) string {
			if at[2*i] < 0 {
				return ""
			}
			return sentence[at[2*i]:at[2*i+1]]
		}
		word := m(7)
		switch {
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
				return append(out, token{tokens(rest)[0].text, 'q'})
			}
			return append(out, token{rest, ':'})
		case !endMarks().MatchString(word):
			out = append(out, token{text: word})
		}
	}
	for len(out) > 0 && (out[0].is("please") || out[0].is("")) {
		out = out[1:]
	}
	if n := len(out); n > 0 && out[n-1].kind == 0 {
		out[n-1].text = strings.TrimRight(out[n-1].text, ".!")
		if out[n-1].is("please") || out[n-1].is("") {
			out = out[:n-1]
		}
	}
	return out
}

var endMarks = lazyregexp.New(`^[.!,;]+$`)

// command carries out a sentence that is a command. ok is false for any other that does not look like a change.
func (s *session) command(sentence string) (r reply, ok bool) {
	words := tokens(sentence)
	if len(words) == 0 || strings.HasSuffix(strings.TrimSpace(sentence), "?") {
		return reply{}, false
	}
	m := matcher{session: s, words: words}
	for _, p := range patterns() {
		m.match(p, 0, 0, slots{})
	}
	var found []reply
	for _, r := range m.found {
		if !slices.ContainsFunc(found, func(x reply) bool { return x.step == r.step && x.text == r.text }) {
			found = append(found, r)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	if len(found) > 1 {
		steps := bullets(len(found), func(i int) string { return cmp.Or(found[i].step, found[i].text) })
		return unablef("This can mean more than one thing, so nothing was changed:\n\n%s\n\nGive the path of the note, or put names into quotation marks.", steps), true
	}
	return s.nearest(sentence, words)
}

// matcher finds what a sentence means by the forms.
type matcher struct {
	*session
	words []token
	found []reply
}

func (m *matcher) match(p pattern, element, at int, bound slots) {
	if element == len(p.elements) {
		if at == len(m.words) {
			m.found = append(m.found, p.command.do(m.session, bound))
		}
		return
	}
	e := p.elements[element]
	if e.optional {
		m.match(p, element+1, at, bound)
	}
	if e.slot == "" {
		for _, alternative := range e.words {
			if n := len(alternative); at+n <= len(m.words) && m.stand(alternative, at) {
				m.match(p, element+1, at+n, bound)
			}
		}
		return
	}
	for end := at + 1; end <= min(len(m.words), at+longestSlot); end++ {
		for _, value := range m.values(e.slot, m.words[at:end]) {
			with := slots{}
			for k, v := range bound {
				with[k] = v
			}
			with[e.slot] = value
			m.match(p, element+1, end, with)
		}
	}
}

// longestSlot bounds the words of a slot.
const longestSlot = 14

func (m *matcher) stand(words []string, at int) bool {
	for i, w := range words {
		if !m.words[at+i].is(w) {
			return false
		}
	}
	return true
}

var (
	tagRE  = lazyregexp.New(`^#?[\p{L}\p{N}_/-]+$`)
	newRE  = lazyregexp.New(`(?i)(?:^|\s)(?:and|or|then|that|which|with|containing|saying|called|named|in|into|under|if|unless|but|except|to|from|about|for|on|of|listing|where|when|as)(?:\s|$)|[,;:?*"<>|#^\[\]]|^(?:it|this|that|them|note|page|folder|a|the)$|…`)
	dayRE  = lazyregexp.New(`(?i)^(?:(?:the |my )?(?:daily|today'?s|today’s) (?:daily )?note|today|(?:the |my )?(?:daily )?note (?:of|for|from) (today|yesterday|tomorrow|\d{4}-\d{2}-\d{2})|(?:the |my )?daily note (?:of|for|from) (today|yesterday|tomorrow|\d{4}-\d{2}-\d{2})|(yesterday|tomorrow)(?:'s|’s) (?:daily )?note)$`)
	manyRE = lazyregexp.New(`(?i)(?:^|\s)(?:and|or|then|in|of|on|for|to|if|unless|but|not|with)(?:\s|$)|,`)
)

// values are what some words can be in a slot: none where they are not of its kind.
func (m *matcher) values(slot string, words []token) []string {
	one := len(words) == 1
	quoted := one && words[0].kind == 'q'
	if len(words) > 1 && slices.ContainsFunc(words, func(t token) bool { return t.kind == 'q' || t.kind == ':' }) {
		if !(slot == slotHeading || slot == slotNote || slot == slotFolder) || words[len(words)-1].kind != 'q' {
			return nil
		}
	}
	text := joined(words)
	switch slot {
	case slotText, slotWith:
		if one && (quoted || words[0].kind == ':' && !asksMore(text)) && strings.TrimSpace(text) != "…" && (slot == slotWith || strings.TrimSpace(text) != "") {
			return []string{text}
		}
	case slotNote:
		if one && words[0].kind == ':' {
			return nil
		}
		return m.names().note(text)
	case slotFolder:
		if list := m.names().folder(text); len(list) > 0 {
			return list
		}
		if parent := path.Dir(strings.Trim(text, "/")); quoted && !strings.ContainsAny(text, `:*?"<>|…`) || one && len(m.names().folder(parent)) == 1 {
			return []string{strings.Trim(text, "/")}
		}
	case slotNew:
		if name := strings.TrimSuffix(strings.TrimSuffix(text, ".md"), " note"); one && words[0].kind != ':' && words[0].kind != 0 && name != "…" || !quoted && words[0].kind != ':' && !newRE().MatchString(text) {
			return []string{name}
		}
	case slotHeading:
		name := strings.TrimLeft(bareName(text, "heading", "section", "header"), "# ")
		if name != "" && name != "…" && (quoted || words[len(words)-1].kind == 'q' || !manyRE().MatchString(name)) {
			return []string{name}
		}
	case slotKey:
		if len(words) > 3 || !quoted && manyRE().MatchString(text) || !m.isKey(text) {
			return nil
		}
		return []string{text}
	case slotValue:
		if quoted || words[0].kind == ':' && one || len(words) <= 4 && !manyRE().MatchString(text) && text != "…" {
			return []string{text}
		}
	case slotTag:
		if one && tagRE().MatchString(text) {
			return []string{strings.TrimPrefix(text, "#")}
		}
	case slotDay:
		if d := dayRE().FindStringSubmatch(text); d != nil {
			return []string{strings.ToLower(d[1] + d[2] + d[3] + map[bool]string{true: "today"}[d[1]+d[2]+d[3] == ""])}
		}
	}
	return nil
}

// asksMore reports whether a line after a colon goes on with a second request: "book a massage, then delete Gran".
func asksMore(line string) bool {
	if strings.Contains(line, "\n") {
		return false
	}
	for _, m := range nextRE().FindAllStringSubmatch(line, -1) {
		if slices.ContainsFunc(commands(), func(c command) bool { return slices.Contains(c.verbs, folded(m[1])) }) {
			return true
		}
	}
	return false
}

var nextRE = lazyregexp.New(`(?i)(?:[.;!,]\s+|\b(?:and|then|also)\s+)(?:(?:and|then|also|please)\s+)*([\p{L}]+)\s`)

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

// joined are words as they were typed, a space apart, without a comma after the last.
func joined(words []token) string {
	var out []string
	for _, w := range words {
		out = append(out, w.text)
	}
	s := strings.Join(out, " ")
	if len(words) > 0 && words[len(words)-1].kind == 0 {
		s = strings.TrimRight(s, ",;")
	}
	return s
}
