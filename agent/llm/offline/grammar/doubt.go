package grammar

import (
	"strings"

	"chatvault/agent/llm/offline/retrieval"
)

// A sentence that asks for more than its parts say is not followed in part: what follows finds
// the signs of that which need no look at the notes.

var (
	// derived is text that is to be made of the notes, and not written as it stands.
	derived = pattern(`^(?:(?:an?|the|my|your|its|some)\s+)?(?:(?:short|brief|quick|one-line|new|full|little|nice|good)\s+)*(?:(?:summary|overview|digest|recap|gist|synopsis|outline|translation|transcript|table of contents|toc|comparison|analysis)(?:\s+(?:of|from|for|about)\b.*)?|(?:contents?|results?|findings)\s+(?:of|from|for)\b.*|(?:list|table|index|count|number)\s+of\s+(?:all|every|my|the|open|done|overdue|recent)\b.*|(?:(?:back)?links?)\s+(?:back\s+)?to\s+\S.*)$|` +
		`^(?:what(?:ever)?|everything|anything|all|the (?:results?|notes?|answers?|ones?|things?|lines?|parts?)|which)\s+(?:that\s+)?(?:you|i|we)\s+\S.*$|^(?:(?:all|every|each of)\s+(?:my\s+|the\s+)?|my\s+)(?:open |done |overdue )?(?:notes?|tasks?|to-?dos?|tags?|links?)\b.*$|^(?:the\s+)?(?:results?|findings|answers?|search results?)$`)
	// aboutNote is what belongs to a note beside its text.
	aboutNote = pattern(`^(?:(?:an?|the)\s+)?(?:new\s+)?(?:(?:tags?|alias(?:es)?|propert(?:y|ies)|front ?matter)\b.*|(?:image|picture|attachment)\b.*)$`)
	severalIt = pattern(`^\S+\s+(?:all\s+of\s+|both\s+of\s+|each\s+of\s+|all\s+)?(?:them|those|these)\b|\b(?:to|in|into|from|under)\s+(?:(?:all|each|both)\s+of\s+)?(?:them|those|these)[\s.!]*$`)
	calledIt  = pattern(`\b(?:called|named|titled|entitled)\b`)
)

// doubtful says whether a command leaves something of its words undone: text that is to be made
// of the notes would be written in words, "them" would be one note.
func doubtful(c Command, s string) bool {
	switch c.Kind {
	case Add:
		if !c.Verbatim && (derived.MatchString(trimEnd(c.Body)) || c.Form == Plain && aboutNote.MatchString(c.Body)) {
			return true
		}
	case Create:
		if !c.Verbatim && derived.MatchString(trimEnd(c.Body)) {
			return true
		}
		if c.Title != "" && derived.MatchString(c.Title) && !calledIt.MatchString(mask(s)) && !strings.Contains(mask(s), "\x00") {
			return true
		}
	}
	if c.Kind == Create {
		if m := submatches(createKindRE, s); m != nil && nearly(m[1], "note") {
			return true
		}
		for _, w := range strings.Fields(c.Title) {
			if sameLetters(strings.ToLower(w), "with") && !strings.Contains(mask(s), "\x00") {
				return true
			}
		}
	}
	if c.Changes() && c.Kind != Create && c.Kind != MakeFolder && severalIt.MatchString(mask(s)) {
		return c.Note == It || IsPronoun(c.Note)
	}
	return false
}

// changing are the verbs that ask for a change wherever they stand in an order.
const changing = `(?:add|append|insert|prepend|delete|remove|erase|trash|discard|rename|retitle|replace|swap|substitute|merge|combine|duplicate|copy|split|sort|reorder|translate|rewrite|rephrase|reformat|convert|export|email|mail|send|print|publish|untag|tag|pin|tick|untick|uncheck|create|make|move|put|clear|empty|wipe|overwrite|edit|update|modify|correct|archive|change|write|save|store|mark|link|attach|put|file)`

var (
	looksThen = pattern(`^(?:find|search|look|show|list|get|open|read|take|go|check|collect|gather|pick|choose|select|count|summari[sz]e|give|tell|see|first|do not|don['’]?t)\b.*?(?:,|;|\band\b|\bthen\b|\bbut\b)\s+(?:then\s+|also\s+|please\s+)*` + changing + `\s+(?:it|its|them|those|these|that|this|all|each|every|everything|both|any|the|my|an?|what(?:ever)?|\x00+|\S+\s+(?:to|into|in|from|as|with)\b)`)
	ordered   = pattern(`^(?:save|store|keep|record|archive|rearrange|reorgani[sz]e|organi[sz]e|clean|tidy|set|turn|apply|assign|attach|generate|compose|mark|unmark|star|link|unlink|join|extract|group|number|indent|bold|highlight|underline|restore|recover|revert|trash|hide|lock|cut|paste|strip|trim|expand|extend|fill|log|write|jot|put|draft|transfer|shift|drag|rework|improve|proofread|undelete|back up|capitali[sz]e|alphabeti[sz]e|populate|change|copy|rename|replace|append|drop|shorten)\s+(?:(?:down|up|out|off)\s+)?(?:it|this|that|them|these|those|the|my|all|every|each|everything|an?|\x00+)\b`)
)

// orders says whether a clause that would only be looked up asks for a change, beside that or
// in words that are not understood.
func orders(s string) bool {
	m := mask(s)
	if strings.HasSuffix(trimSpaces(m), "?") {
		return false
	}
	return looksThen.MatchString(m) || ordered.MatchString(m+" ")
}

func trimSpaces(s string) string { return strings.TrimRight(s, " \t\r\n") }

// misspelt says whether a clause begins with a verb of change that a typing error hides.
func misspelt(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || strings.HasSuffix(words[len(words)-1], "?") {
		return false
	}
	w := strings.ToLower(words[0])
	if len(w) < 4 || verbs[w] || english(w) || words[0] != w && len(words) < 3 {
		return false
	}
	for _, v := range strings.Fields(`create append insert delete remove rename replace archive move write change`) {
		if retrieval.Distance(w, v, 1) == 1 || sameLetters(w, v) || len(v) > 5 && retrieval.Distance(w, v, 2) == 2 {
			return true
		}
	}
	return false
}

// nearly says whether a word is another with a typing error.
func nearly(w, word string) bool {
	w = strings.ToLower(w)
	return !english(w) && (sameLetters(w, word) || retrieval.Distance(w, word, 1) == 1)
}

// sameLetters says whether two words differ by the order of their letters alone.
func sameLetters(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if strings.Count(a, a[i:i+1]) != strings.Count(b, a[i:i+1]) {
			return false
		}
	}
	return a != b
}
