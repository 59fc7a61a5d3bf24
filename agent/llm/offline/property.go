package offline

import (
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// keysFor maps a word of a question to the properties that answer it, in addition to a property of that name.
var keysFor = map[string]string{
	"wrote": "author writer by", "write": "author writer by", "written": "author writer by published year", "writer": "author",
	"made": "maker creator studio brand company author", "makes": "maker creator studio brand company", "created": "creator author created", "designed": "designer maker",
	"sings": "artist singer band", "recorded": "artist recorded year", "plays": "artist cast players", "starred": "cast actors starring", "acted": "cast actors", "actor": "cast", "actors": "cast",
	"directed": "director", "direct": "director", "directs": "director", "hosts": "host",
	"born": "born birthday birthdate birth", "old": "born birthday birthdate birth", "birthday": "birthday born birthdate birth",
	"published": "published publication year date", "released": "released release published year date", "came": "released published year", "come": "released published year",
	"watched": "last watched seen", "seen": "last watched seen", "saw": "last watched seen", "finished": "finished completed end last", "started": "started start begin",
	"where": "loc location place city address country venue", "located": "loc location place address", "long": "pages duration length runtime", "cost": "price cost", "costs": "price cost", "much": "price cost",
	"rated": "rating", "score": "rating", "genre": "genre genres type", "kind": "genre type category", "when": "date start published released year born when",
	"work": "org organisation organization company employer job", "works": "org organisation organization company employer job",
	"phone": "phone tel telephone mobile", "email": "email mail", "website": "url website site link", "attended": "people attendees participants with", "who": "people author director host artist with attendees participants",
	"names": "aliases alias", "called": "aliases alias", "known": "aliases alias", "people": "people attendees participants with servings", "serves": "servings serves", "feed": "servings serves", "portions": "servings serves",
}

// weakKeys answer a word only where nothing else in the question asks for a property.
var weakKeys = strings.Fields("when who where much long old come came kind people")

var (
	asksRE = lazyregexp.New(`(?i)^(?:and |so |but |please |tell me )*(?:who|what|when|where|which|whose|how|do|does|did|is|are|was)\b|^(?:the )?[\p{L}_-]+ of `)
	isWho  = lazyregexp.New(`(?i)^(?:and |so |but )?who\b`)
)

// property answers a question with a property of the note that it names, or with the notes that have a value it names.
func (s *session) property(asked string) (reply, bool) {
	if !asksRE().MatchString(asked) {
		return reply{}, false
	}
	if r, ok := s.propertyOf(asked); ok {
		return r, true
	}
	return s.withValue(asked)
}

// propertyOf answers with a property of the note that a question names.
func (s *session) propertyOf(asked string) (reply, bool) {
	e, rest := s.noteIn(asked)
	own := tokensOf(retrieval.Name(e.Path))
	words := slices.DeleteFunc(retrieval.KeyWords(rest), func(w string) bool { return slices.Contains(own, w) })
	if e.Path == "" || len(words) > 2 {
		return reply{}, false
	}
	for _, alias := range e.Aliases {
		e.Properties = append(slices.Clip(e.Properties), retrieval.Property{Key: "aliases", Value: alias})
	}
	for _, tag := range e.Tags {
		e.Properties = append(slices.Clip(e.Properties), retrieval.Property{Key: "tags", Value: tag})
	}
	fitting := slices.DeleteFunc(slices.Clone(e.Properties), func(p retrieval.Property) bool { // no number says who, and nothing but one when
		number := p.Value != "" && p.Value[0] >= '0' && p.Value[0] <= '9'
		return number && isWho().MatchString(asked) || !number && dateAskRE().MatchString(asked)
	})
	other := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(weakKeys, w) && !retrieval.IsStopWord(w) })
	found := ""
	for _, weak := range []bool{false, true} {
		for _, w := range tokensOf(rest) {
			if slices.Contains(weakKeys, w) == weak && found == "" && (!weak || !other) {
				found = keyFor(w, fitting)
			}
		}
	}
	if found == "" {
		return reply{}, false
	}
	values, line := []string{}, 0
	for _, p := range e.Properties {
		if p.Key == found {
			values = append(values, shownText(p.Value))
			line = max(line, p.Line)
		}
	}
	return sayf("From your notes:\n\n%s\n\n— %s", quote(found+": "+strings.Join(values, ", ")), cite(e.Path, line)), true
}

// noteIn returns the note named in a question (the longest name, or a word that occurs in one name only) and the rest
// of the question.
func (s *session) noteIn(asked string) (e retrieval.Entry, rest string) {
	words := " " + strings.Join(tokensOf(asked), " ") + " "
	named := s.catalog.named(asked)
	for _, w := range retrieval.KeyWords(asked) {
		if has := s.catalog.word[w]; len(named) == 0 && len(w) > 3 && len(has) == 1 {
			named, rest = has, strings.Replace(words, " "+w+" ", " ", 1)
		}
	}
	if len(named) == 0 {
		return e, words
	}
	for _, e := range s.catalog.entries {
		if e.Path == named[0] {
			if rest == "" {
				rest = strings.Replace(words, " "+strings.Join(tokensOf(nameIn(asked, e.Path)), " ")+" ", " ", 1)
			}
			return e, rest
		}
	}
	return e, words
}

// keyFor returns the property of a note that a word asks for, or "".
func keyFor(word string, list []retrieval.Property) string {
	for key := range strings.FieldsSeq(keysFor[word]) {
		if slices.ContainsFunc(list, func(p retrieval.Property) bool { return p.Key == key }) {
			return key
		}
	}
	if retrieval.IsStopWord(word) {
		return ""
	}
	stem := retrieval.Stem(word)
	for _, p := range list {
		if key := retrieval.Stem(p.Key); key == stem || len(stem) > 4 && len(key) > 4 && strings.HasPrefix(key, stem[:5]) {
			return p.Key
		}
	}
	return ""
}

// withValue lists the notes whose property names the person in a question such as "what did X write?"
func (s *session) withValue(asked string) (reply, bool) {
	plain := " " + strings.Join(tokensOf(asked), " ") + " "
	var found []string
	key, value := "", ""
	for _, w := range tokensOf(asked) {
		if keysFor[w] == "" || slices.Contains(weakKeys, w) {
			continue
		}
		for _, e := range s.catalog.entries {
			for _, p := range e.Properties {
				v := strings.Join(tokensOf(shownText(p.Value)), " ")
				if len(v) > 3 && slices.Contains(strings.Fields(keysFor[w]), p.Key) && strings.Contains(plain, " "+v+" ") && (key == "" || key == p.Key) {
					key, value = p.Key, shownText(p.Value)
					found = append(found, e.Path)
				}
			}
		}
	}
	if len(found) == 0 {
		return reply{}, false
	}
	slices.Sort(found)
	return sayf("%s · %s = %s:\n\n%s", text.Count(len(found), "note"), key, value, bullets(text.Of(found, func(p string) string { return cite(p, 0) }))), true
}
