package retrieval

import (
	"cmp"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
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
	isWhen = lazyregexp.New(`(?i)^(?:and |so |but )?(?:when|what (?:day|date|time))\b`)
	isWho  = lazyregexp.New(`(?i)^(?:and |so |but )?who\b`)
)

// Answer returns the values of the property that answers a question which names a note, and their last line. The key
// is "" if none does.
func Answer(asked string, e Entry) (key string, values []string, line int) {
	own := Words(Name(e.Path) + " " + strings.Join(e.Aliases, " "))
	isOwn := func(w string) bool { return slices.Contains(own, w) }
	all := KeyWords(asked)
	rest := slices.DeleteFunc(Words(asked), isOwn)
	words := slices.DeleteFunc(slices.Clone(all), isOwn)
	if len(words) == len(all) || len(words) > 2 || !asksRE().MatchString(asked) {
		return "", nil, 0
	}
	list := slices.Clone(e.Properties)
	for _, alias := range e.Aliases {
		list = append(list, Property{Key: "aliases", Value: alias})
	}
	for _, tag := range e.Tags {
		list = append(list, Property{Key: "tags", Value: tag})
	}
	list = slices.DeleteFunc(list, func(p Property) bool { // no number says who, and nothing but a number says when
		number := p.Value != "" && p.Value[0] >= '0' && p.Value[0] <= '9'
		return number && isWho().MatchString(asked) || !number && isWhen().MatchString(asked)
	})
	isWeak := func(w string) bool { return slices.Contains(weakKeys, w) }
	strong := slices.ContainsFunc(words, func(w string) bool { return !isWeak(w) && !IsStopWord(w) })
	for _, w := range rest {
		if !strong || !isWeak(w) {
			key = cmp.Or(key, keyFor(w, list))
		}
	}
	for _, p := range list {
		if p.Key == key {
			values, line = append(values, p.Value), max(line, p.Line)
		}
	}
	return key, values, line
}

// keyFor returns the property of a note that a word asks for, or "".
func keyFor(word string, list []Property) string {
	for key := range strings.FieldsSeq(keysFor[word]) {
		if slices.ContainsFunc(list, func(p Property) bool { return p.Key == key }) {
			return key
		}
	}
	if IsStopWord(word) {
		return ""
	}
	stem := Stem(word)
	for _, p := range list {
		if key := Stem(p.Key); key == stem || len(stem) > 4 && len(key) > 4 && strings.HasPrefix(key, stem[:5]) {
			return p.Key
		}
	}
	return ""
}
