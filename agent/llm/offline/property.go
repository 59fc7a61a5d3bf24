package offline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// keysFor are the properties that answer a word of a question, beside those that are called so.
var keysFor = map[string]string{
	"wrote": "author writer by", "write": "author writer by", "written": "author writer by published year", "writer": "author",
	"made": "maker creator studio brand company author", "makes": "maker creator studio brand company", "created": "creator author created", "designed": "designer maker",
	"sings": "artist singer band", "recorded": "artist recorded year", "plays": "artist cast players", "stars": "cast actors starring", "starred": "cast actors starring", "acted": "cast actors", "directed": "director", "direct": "director", "directs": "director", "starring": "cast actors", "acts": "cast actors", "actor": "cast", "actors": "cast",
	"hosts": "host", "born": "born birthday birthdate birth", "old": "born birthday birthdate birth", "birthday": "birthday born birthdate birth",
	"published": "published publication year date", "released": "released release published year date", "came": "released published year", "come": "released published year",
	"watched": "last watched seen", "seen": "last watched seen", "played": "last played cast players", "saw": "last watched seen", "finished": "finished completed end last", "started": "started start begin",
	"where": "loc location place city address country venue", "located": "loc location place address", "long": "pages duration length runtime", "cost": "price cost", "costs": "price cost", "much": "price cost",
	"rated": "rating", "stars?": "rating", "score": "rating", "genre": "genre genres type", "kind": "genre type category", "when": "date start published released year born when",
	"work": "org organisation organization company employer job", "works": "org organisation organization company employer job",
	"phone": "phone tel telephone mobile", "email": "email mail", "website": "url website site link", "link": "url link website", "attended": "people attendees participants with", "who": "people author director host artist with attendees participants",
	"people": "people attendees participants with servings", "serves": "servings serves", "feed": "servings serves", "slices": "servings", "portions": "servings serves",
}

// weakKeys answer a word only where nothing else in the question asks for a property.
const weakKeys = " when who where much long old come came kind people "

// property answers a question that asks for a property: of a note that it names, or for all notes
// with a value. It is false where the question is about something else.
func (s *script) property(c grammar.Command) bool {
	if why, _ := everyHas(s.entries(), c.Text); why != "" {
		s.sayf("%s", why)
		return true
	}
	if !asksRE().MatchString(c.Text) && !wantsAllRE().MatchString(c.Text) {
		return false
	}
	return s.withValue(c) || s.propertyOf(c) || s.madeBy(c)
}

// madeBy lists the notes of whose properties one that a verb asks for is somebody: "what did X write?"
func (s *script) madeBy(c grammar.Command) bool {
	text := " " + naming.Normal(c.Text) + " "
	var out []retrieval.Entry
	key, value := "", ""
	for w := range strings.FieldsSeq(text) {
		if keysFor[w] == "" || strings.Contains(weakKeys, " "+w+" ") {
			continue
		}
		for _, e := range s.entries() {
			for _, p := range e.Properties {
				if v := naming.Normal(shownText(p.Value)); len(v) > 3 && strings.Contains(" "+keysFor[w]+" ", " "+p.Key+" ") && strings.Contains(text, " "+v+" ") && (key == "" || p.Key == key) {
					key, value = p.Key, shownText(p.Value)
					out = append(out, e)
				}
			}
		}
	}
	if len(out) > 0 {
		s.sayf("%s with %s %s:\n\n%s", counted(len(out), "note"), key, value, entryList(out))
	}
	return len(out) > 0
}

// everyRE is a statement, or a question, that all notes of a kind have something.
var everyRE = lazyregexp.New(`(?i)^(?:does |do |is it true that )?(?:every|each|all)\s+(?:of\s+)?(?:the\s+|my\s+)?([\p{L}-]+)(?:\s+notes?)?\s+(?:has|have)\s+(.+?)[\s?.!]*$`)

// everyHas says whether all notes of a kind have what a text says they have, and names those that
// lack it. It is empty where the text says something else.
func everyHas(entries []retrieval.Entry, said string) (why string, all bool) {
	m := everyRE().FindStringSubmatch(said)
	if m == nil {
		return "", false
	}
	kind := ofKind(entries, m[1])
	if len(kind) == 0 {
		return "", false
	}
	var out []string
	all = true
	for _, want := range enumeration().Split(m[2], -1) {
		what := strings.Join(naming.TokensOf(want), " ")
		stem := retrieval.Stem(what)
		has := func(e retrieval.Entry) bool {
			return slices.ContainsFunc(e.Properties, func(p retrieval.Property) bool {
				return p.Value != "" && retrieval.Stem(strings.Join(naming.TokensOf(p.Key), " ")) == stem
			})
		}
		switch stem {
		case "tag":
			has = func(e retrieval.Entry) bool { return len(e.Tags) > 0 }
		case "task", "open task", "open tasks":
			has = func(e retrieval.Entry) bool { return e.OpenTasks > 0 }
		default:
			what = "a property “" + what + "”"
		}
		lack := text.Of(slices.DeleteFunc(slices.Clone(kind), has), func(e retrieval.Entry) string { return "- " + cite(e.Path, 0) })
		if len(lack) == 0 {
			out = append(out, fmt.Sprintf("%s of the kind “%s”, all with %s.", counted(len(kind), "note"), m[1], what))
			continue
		}
		all = false
		out = append(out, fmt.Sprintf("%d of %s of the kind “%s” without %s:\n\n%s", len(lack), counted(len(kind), "note"), m[1], what, strings.Join(lack, "\n")))
	}
	return strings.Join(out, "\n\n"), all
}

// named is the note whose name stands in a text as words of its own, the longest; rest is the text
// without it.
func (s *script) named(text string) (e retrieval.Entry, rest string) {
	plain, best := " "+naming.Normal(text)+" ", 0
	notes := s.notes()
	for _, entry := range notes {
		for _, n := range naming.Of(entry) {
			n = naming.Normal(n)
			if len(n) > best && strings.Contains(plain, " "+n+" ") && len(retrieval.ContentWords(n)) > 0 {
				e, best = entry, len(n)
				rest = strings.Replace(plain, " "+n+" ", " ", 1)
			}
		}
	}
	if e.Path != "" {
		return e, rest
	}
	for _, w := range retrieval.KeyWords(text) { // a word that stands in the name of one note alone
		var has []retrieval.Entry
		for _, entry := range notes {
			if slices.ContainsFunc(naming.Of(entry), func(n string) bool { return slices.Contains(naming.TokensOf(n), w) }) {
				has = append(has, entry)
			}
		}
		if len(has) == 1 && len(w) > 3 {
			return has[0], strings.Replace(plain, " "+w+" ", " ", 1)
		}
	}
	return e, plain
}

// propertyOf answers with a property of the note that a question names.
func (s *script) propertyOf(c grammar.Command) bool {
	e, rest := s.named(c.Text)
	if e.Path == "" || len(e.Properties) == 0 {
		return false
	}
	found, own := "", naming.TokensOf(retrieval.Name(e.Path))
	other := slices.ContainsFunc(retrieval.KeyWords(rest), func(w string) bool { // asks for something else than a weak key does
		return !strings.Contains(weakKeys, " "+w+" ") && !slices.Contains(own, w) && !retrieval.IsStopWord(w)
	})
	fitting := slices.DeleteFunc(slices.Clone(e.Properties), func(p retrieval.Property) bool { // whose value is no answer to the question word
		number := p.Value != "" && p.Value[0] >= '0' && p.Value[0] <= '9'
		return number && whoRE().MatchString(c.Text) || !number && whenRE().MatchString(c.Text)
	})
	for _, weak := range []bool{false, true} {
		for w := range strings.FieldsSeq(rest) {
			if strings.Contains(weakKeys, " "+w+" ") == weak && found == "" && (!weak || !other) {
				found = keyFor(w, fitting)
			}
		}
	}
	if found == "" || len(retrieval.KeyWords(rest)) > 2 {
		return false
	}
	answers := slices.DeleteFunc(slices.Clone(e.Properties), func(p retrieval.Property) bool { return p.Key != found })
	values := text.Of(answers, func(p retrieval.Property) string { return shownText(p.Value) })
	said := fmt.Sprintf("%s: %s", found, strings.Join(values, ", "))
	if born, err := time.Parse(time.DateOnly, values[0]); err == nil && strings.Contains(" "+rest, " old ") {
		said += fmt.Sprintf(" (%d years)", yearsBetween(born, s.now))
	}
	s.sayf("From your notes:\n\n%s\n\n— %s", quote(said), cite(e.Path, answers[0].Line))
	return true
}

func yearsBetween(from, to time.Time) int {
	n := to.Year() - from.Year()
	if to.Month() < from.Month() || to.Month() == from.Month() && to.Day() < from.Day() {
		n--
	}
	return n
}

// keyFor is the property that a word asks for, among those a note has; "" where none is.
func keyFor(word string, list []retrieval.Property) string {
	stem := retrieval.Stem(word)
	for key := range strings.FieldsSeq(keysFor[word]) {
		for _, p := range list {
			if p.Key == key {
				return p.Key
			}
		}
	}
	if retrieval.IsStopWord(word) {
		return ""
	}
	for _, p := range list {
		key := retrieval.Stem(p.Key)
		if key == stem || len(stem) > 4 && len(key) > 4 && strings.HasPrefix(key, stem[:5]) {
			return p.Key
		}
	}
	return ""
}

var (
	wantsAllRE = lazyregexp.New(`(?i)^(?:list|show(?: me)?|find|give me|all|every|notes?|how many)\b`)
	// valueRE is what follows the name of a property: "is 7", "over 5", ": jazz".
	valueRE = lazyregexp.New(`(?i)^(?:\s*[:=]\s*|\s+(?:is|are|was|of|equals|as|=)?\s*)(over|above|more than|at least|under|below|less than|at most|>=?|<=?)?\s*["“]?([\p{L}\d][\p{L}\d._-]*(?: [\p{L}\d._-]+){0,2}?)["”]?(?:\s+or (more|better|higher|above|less|below|lower))?[\s?.!]*$`)
	kindsRE = lazyregexp.New(`(?i)^(?:which|what|list|show(?: me)?|find|give me|how many)?\s*(?:all|every|me|my|the|of|notes?|are|do i have|have|is)?\s*(?:my|the|of)?\s*([\p{L}-]*)`)
)

// withValue lists the notes whose property has a value: "which movies have rating 7".
func (s *script) withValue(c grammar.Command) bool {
	if !wantsAllRE().MatchString(c.Text) && !whichRE().MatchString(c.Text) {
		return false
	}
	key, before, m := s.asksValue(c.Text)
	if m == nil {
		return false
	}
	said := len(s.out)
	kind, notes := s.kind(before)
	out := slices.DeleteFunc(notes, func(e retrieval.Entry) bool {
		return !slices.ContainsFunc(e.Properties, func(p retrieval.Property) bool {
			return p.Key == key && matches(shownText(p.Value), strings.ToLower(m[1]+m[3]), m[2])
		})
	})
	how := oneLine(key + " " + m[1] + " " + m[2])
	if m[3] != "" {
		how += " or " + m[3]
	}
	where := " with " + how
	if kind != "" {
		where = " among “" + kind + "”" + where
	}
	if _, err := strconv.ParseFloat(m[2], 64); err != nil && len(out) == 0 {
		s.out = s.out[:said]
		return false // which may be no value at all
	}
	if len(out) == 0 {
		s.sayf("No note%s.", where)
		return true
	}
	s.sayf("%s%s:\n\n%s", counted(len(out), "note"), where, entryList(out))
	return true
}

// entryList lists notes by their paths.
func entryList(notes []retrieval.Entry) string {
	slices.SortFunc(notes, func(a, b retrieval.Entry) int { return strings.Compare(a.Path, b.Path) })
	return bullets(len(notes), func(i int) string { return cite(notes[i].Path, 0) })
}

// asksValue finds the property that a text names together with a value: what stands before it, and
// the comparison and the value.
func (s *script) asksValue(text string) (key, before string, m []string) {
	keys := map[string]string{retrieval.Stem("rated"): "rating"}
	for _, e := range s.all {
		for _, p := range e.Properties {
			keys[retrieval.Stem(p.Key)] = p.Key
		}
	}
	for _, at := range wordRE().FindAllStringIndex(text, -1) {
		k, ok := keys[retrieval.Stem(strings.ToLower(text[at[0]:at[1]]))]
		if found := valueRE().FindStringSubmatch(text[at[1]:]); ok && found != nil && at[0] > 0 {
			key, before, m = k, text[:at[0]], found
		}
	}
	return key, before, m
}

var wordRE = lazyregexp.New(`[\p{L}][\p{L}_-]*`)

var whoRE = lazyregexp.New(`(?i)^(?:and |so |but )?who\b`)

var whichRE = lazyregexp.New(`(?i)^(?:which|what|whose)\b`)

// kind is what notes are asked for, "movies", and those that are one; all where no note is one.
func (s *script) kind(text string) (name string, notes []retrieval.Entry) {
	m := kindsRE().FindStringSubmatch(text)
	if m == nil || m[1] == "" || retrieval.IsStopWord(strings.ToLower(m[1])) {
		return "", s.entries()
	}
	if notes = ofKind(s.entries(), m[1]); len(notes) == 0 {
		s.sayf("I could not narrow the notes down to “%s”: no folder, tag or property says it.", m[1])
		return "", s.entries()
	}
	return m[1], notes
}

// entries are the notes there are at this point of the task, but templates.
func (s *script) entries() []retrieval.Entry {
	return slices.DeleteFunc(s.notes(), func(e retrieval.Entry) bool { return inTemplates(e.Path) })
}

// ofKind are the notes of a kind, as "movies": by their folder, their tags and their properties.
func ofKind(entries []retrieval.Entry, kind string) []retrieval.Entry {
	stem := retrieval.Stem(strings.ToLower(kind))
	is := func(value string) bool {
		return slices.ContainsFunc(retrieval.Words(value), func(w string) bool { return retrieval.Stem(w) == stem })
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e retrieval.Entry) bool {
		return inTemplates(e.Path) || !is(path.Dir(e.Path)) && !slices.ContainsFunc(e.Tags, is) && !slices.ContainsFunc(e.Properties, func(p retrieval.Property) bool { return is(p.Value) })
	})
}

// matches says whether a value is the one asked for, or as a comparison asks.
func matches(value, how, want string) bool {
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil {
		return how == "" && naming.Normal(value) == naming.Normal(want)
	}
	switch how {
	case "over", "above", "more than", ">":
		return a > b
	case "at least", ">=", "more", "better", "higher":
		return a >= b
	case "under", "below", "less than", "<":
		return a < b
	case "at most", "<=", "less", "lower":
		return a <= b
	}
	return a == b
}
