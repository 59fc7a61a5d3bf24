package grammar

import (
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/text"
)

// A sentence that asks for more than its parts say is not followed in part: what follows finds
// the signs of that which need no look at the notes.

var (
	// derived is text that is to be made of the notes, and not written as it stands.
	derived = pattern(`^(?:(?:an?|the|my|your|its|some)\s+)?(?:(?:short|brief|quick|one-line|new|full|little|nice|good)\s+)*(?:(?:summary|overview|digest|recap|gist|synopsis|outline|translation|transcript|table of contents|toc|comparison|analysis)(?:\s+(?:of|from|for|about)\b.*)?|(?:contents?|results?|findings)\s+(?:of|from|for)\b.*|(?:list|table|index|count|number)\s+of\s+(?:all|every|my|the|open|done|overdue|recent)\b.*|(?:(?:back)?links?)\s+(?:back\s+)?to\s+\S.*)$|` +
		`^(?:what(?:ever)?|everything|anything|all|the (?:results?|notes?|answers?|ones?|things?|lines?|parts?)|which)\s+(?:that\s+)?(?:you|i|we)\s+\S.*$|^(?:(?:all|every|each of)\s+(?:my\s+|the\s+)?|my\s+)(?:open |done |overdue )?(?:notes?|tasks?|to-?dos?|tags?|links?)\b.*$|^(?:the\s+)?(?:results?|findings|answers?|search results?)$`)
	// aboutNote is what belongs to a note beside its text.
	aboutNote = pattern(`^(?:(?:an?|the)\s+)?(?:new\s+)?(?:tags?|alias(?:es)?|propert(?:y|ies)|front ?matter|links?|images?|pictures?|attachments?|tables?|columns?|footnotes?)\b.*$`)
	severalIt = pattern(`^\S+\s+(?:all\s+of\s+|both\s+of\s+|each\s+of\s+|all\s+)?(?:them|those|these)\b|\b(?:to|in|into|from|under)\s+(?:(?:all|each|both)\s+of\s+)?(?:them|those|these)[\s.!]*$`)
	calledIt  = pattern(`\b(?:called|named|titled|entitled)\b`)
	// goesOn are words by which a request goes on: they are no part of a name or a short text.
	goesOn = pattern(`(?:\band|,|;)\s*(?:also\s+|please\s+)*then\b|\bthen\s+(?:an?|the|another)\b|\band\s+(?:another|also)\b|\b(?:except|excluding|apart from|other than|unless|until|instead of|as soon as)\b|\bif\s+(?:it|there|you|that|the|i)\b|\bbut\s+not\b`)
	// joins are the signs that a name is not all that was said.
	joins = pattern(`[,;:?]|\b(?:and|then|but|every|each|all|any|while|when|where|because|so that)\b`)
)

// doubtful says whether a command leaves something of its words undone: text that is to be made
// of the notes would be written in words, "them" would be one note.
func doubtful(c Command, s string) bool {
	plain := mask(s)
	switch c.Kind {
	case Add:
		if !c.Verbatim && (derived().MatchString(trimEnd(c.Body)) || c.Form == Plain && aboutNote().MatchString(c.Body)) {
			return true
		}
	case Create:
		if !c.Verbatim && derived().MatchString(trimEnd(c.Body)) || c.Title != "" && derived().MatchString(c.Title) && !calledIt().MatchString(plain) && !strings.Contains(plain, "\x00") {
			return true
		}
		if m := submatches(s, createKindRE); m != nil && nearly(m[1], "note") {
			return true
		}
		for w := range strings.FieldsSeq(c.Title) {
			if sameLetters(strings.ToLower(w), "with") && !strings.Contains(plain, "\x00") {
				return true
			}
		}
		return false
	}
	return c.Changes() && severalIt().MatchString(plain) && IsPronoun(c.Note)
}

// unsure says whether the words of a command may as well mean something else, so that it is asked
// about before it is carried out. What its note is called is for whoever knows the notes.
func unsure(c Command, s string) bool {
	plain := mask(s)
	if goesOn().MatchString(plain) && !strings.Contains(s, "\n") {
		return true
	}
	switch c.Kind {
	case Create:
		_, isQuoted := quoted(c.Title)
		named := calledIt().MatchString(plain) || isQuoted || isQuotedIn(s, c.Title)
		return c.Title == "" || !named && (aboutTopic().MatchString(plain) || !properName(c.Title) || joins().MatchString(c.Title))
	case MakeFolder:
		return !isQuotedIn(s, c.Folder) && (forSome().MatchString(plain) || joins().MatchString(c.Folder) || !calledIt().MatchString(plain) && !properName(c.Folder))
	case Rename:
		return !isQuotedIn(s, c.To) && (joins().MatchString(c.To) || !properName(c.To) && strings.Contains(c.To, " "))
	case Add:
		return !c.Verbatim && !strings.Contains(s, ":") && (looseVerb().MatchString(s) || c.Form == Plain && c.Whole == "" && aThing().MatchString(c.Body))
	}
	return false
}

var (
	// aboutTopic tells what a note is to be about, not what it is to be called.
	aboutTopic = pattern(`^(?:\S+\s+){0,6}?<NOTE>\s+(?:about|on|for|regarding|of|from)\b`)
	forSome    = pattern(`\b<FOLDER>\s+for\b`)
	// aThing is rather something to put there than the text for it: "add a photo to Piranesi".
	aThing = pattern(`^(?:(?:an?|the|my|some|more|another)\s+[\w-]+|more|something(?:\s+\w+)?|some|anything|stuff|things)$`)
	// looseVerb begins sentences that add something to a note only perhaps: "write a letter to Gran".
	looseVerb = pattern(`^(?:write|note|save|include|enter|stick|record)\s`)
)

// properName says whether a name that nothing sets off is written as one: with a capital, a number
// or a path.
func properName(name string) bool {
	return name != "" && (name[0] < 'a' || name[0] > 'z' || strings.Contains(name, "/") || strings.HasSuffix(strings.ToLower(name), ".md"))
}

// isQuotedIn says whether a part of a text stands in quotation marks or brackets there.
func isQuotedIn(text, part string) bool {
	i := strings.Index(text, part)
	return part != "" && i >= 0 && mask(text)[i] == 0
}

// looksThen is a request to look that goes on with a change: "find it and delete it".
var looksThen = pattern(`^(?:find|search|look|show|list|get|open|read|take|go|check|collect|gather|pick|choose|select|count|summari[sz]e|give|tell|see|first|do not|don['’]?t)\b.*?(?:,|;|\band\b|\bthen\b|\bbut\b)\s+(?:then\s+|also\s+|please\s+)*(\w+)\s+(?:it|its|them|those|these|that|this|all|each|every|everything|both|any|the|my|an?|what(?:ever)?|\x00+|\S+\s+(?:to|into|in|from|as|with)\b)`)

// The verbs of sentences that want something done. Those of the second list are as often the
// names of things, so that one must stand before an article or a pronoun.
var (
	orderVerbs = retrieval.WordSet(`add append insert prepend delete remove erase discard rename retitle replace swap substitute merge
		combine duplicate split reorder translate rewrite rephrase reformat convert export import email send print publish
		untag pin unpin tick untick uncheck create make move put clear empty wipe overwrite edit modify correct encrypt
		decrypt share upload download sync schedule remind close install uninstall enable disable activate deactivate
		increase decrease reduce enlarge resize hide unhide collapse expand attach detach embed crop rotate paste
		restore recover revert revoke reset restart reload disconnect connect subscribe unsubscribe cancel turn switch
		sort arrange organise organize rearrange tidy clean archive assign apply generate compose unlink join extract
		strip trim shorten extend populate proofread capitalise capitalize alphabetise alphabetize customise customize
		configure transfer migrate invite kick ban register update upgrade downgrade buy cook bake fry mix stir roll wash
		throw bring take keep start begin stop quit finish complete forget save store scan
		zip unzip compress mute unmute block unblock log fold unfold resume pause deploy fix repair
		set use run try let go`)
	orderNouns = retrieval.WordSet(`copy sort change link tag format mark star number bold highlight record cut drop lock note write jot draft
		file trash bin plan book call ring water plant paint post photograph rate check test review order clip group index indent play measure`)
	beforeThing = retrieval.WordSet(`a an the my our your his her its their this that these those it them all every each everything some any two three both me us new`)
	// notAfterVerb follows a verb where that is the name of a thing: "copy editing", "change of address".
	notAfterVerb = retrieval.WordSet(`of is are was were for about and or vs plan plans list ideas idea notes note`)
	asksFirst    = retrieval.WordSet(`what who whom whose when where why how which is are was were do does did has have can could should would will`)
)

// orders says whether a clause that no reader understood asks for something to be done, so that
// whoever answers it with a search says that nothing was changed.
func orders(s string) bool {
	plain := strings.TrimRight(mask(s), " \t\r\n")
	words := strings.Fields(strings.ToLower(plain))
	if strings.HasSuffix(plain, "?") || len(words) == 0 || asksFirst()[words[0]] {
		return false
	}
	if looksAndChanges(s) {
		return true
	}
	first := strings.Trim(words[0], trailingDots)
	if len(words) == 1 {
		return changeVerbs()[first]
	}
	next := strings.Trim(words[1], trailingDots+`"'“”`)
	switch {
	case orderVerbs()[first]:
		return !notAfterVerb()[next]
	case orderNouns()[first]:
		return beforeThing()[next] || properName(strings.Fields(plain)[1]) // a name stands there, or what is quoted
	}
	if particles()[next] && len(words) > 2 { // "top up the boiler"
		next = strings.Trim(words[2], trailingDots+`"'“”`)
	}
	if beforeThing()[next] && !retrieval.IsStopWord(first) && !strings.HasSuffix(first, "s") && !strings.HasSuffix(first, "ing") {
		return true // a word before "the boiler" is a verb, unless several things or an activity are spoken of
	}
	return misspelt(words)
}

// particles stand between some verbs and their object.
var particles = retrieval.WordSet(`up down out off away in on over back`)

// looksAndChanges says whether a clause that begins by looking something up goes on with a change.
func looksAndChanges(s string) bool {
	m := looksThen().FindStringSubmatch(mask(s))
	return m != nil && !strings.HasSuffix(strings.TrimSpace(s), "?") && (orderVerbs()[strings.ToLower(m[1])] || orderNouns()[strings.ToLower(m[1])])
}

// changeVerbs are the verbs of changes that can be asked for.
var changeVerbs = retrieval.WordSet(`add append insert delete remove erase rename replace create make move change edit update write put`)

// misspelt says whether a clause begins with a verb of change that a typing error hides.
func misspelt(words []string) bool {
	w := words[0]
	if len(w) < 4 || verbs()[w] || english(w) {
		return false
	}
	for v := range changeVerbs() {
		if len(v) > 3 && (text.Distance(w, v, 1) == 1 || sameLetters(w, v) || len(v) > 5 && text.Distance(w, v, 2) == 2) {
			return true
		}
	}
	return false
}

// english says whether a word is one the program knows, or a form of one.
func english(w string) bool {
	if w == "creat" || w == "delet" || w == "renam" || w == "replac" || w == "remov" || w == "archiv" {
		return false // stems, which the thesaurus has, are no words
	}
	return retrieval.IsStopWord(w) || retrieval.DefaultThesaurus().Has(retrieval.Stem(w)) || nearVerbs()[w]
}

// nearVerbs are words one letter away from a verb that mean something else.
var nearVerbs = retrieval.WordSet(`shoe show shows shower snow slow stow how opens opened lists listed last lost lose love mode mole rove move
	moves moved movie more dove hove moue open oven pen operate lust lint lisp mist fist gist list shot shop whom meal real
	reads removed removes deleted deletes created creates renamed replaced inserts creator great crease creation search starch
	research removal remote renames replay replace deplete delight append appends appended upend`)

// nearly says whether a word is another with a typing error.
func nearly(w, word string) bool {
	w = strings.ToLower(w)
	return !english(w) && (sameLetters(w, word) || text.Distance(w, word, 1) == 1)
}

// sameLetters says whether two words differ by the order of their letters alone.
func sameLetters(a, b string) bool {
	if len(a) != len(b) || a == b {
		return false
	}
	of := func(s string) []byte { return slices.Sorted(slices.Values([]byte(s))) }
	return slices.Equal(of(a), of(b))
}
