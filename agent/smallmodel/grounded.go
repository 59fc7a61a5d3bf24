package smallmodel

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/base/lazyregexp"
)

// Unsupported returns the invented names and numbers of an answer: those in none of the sources. Numbers count in any
// language. Names are words with a capital letter within a sentence, except in German, which capitalizes all nouns. An
// answer that only repeats the question is unsupported, too.
func Unsupported(answer, message string, sources ...string) []string {
	names, all := !german().MatchString(message), strings.Join(sources, "\n")
	if said := echoed(answer, message, all); said != nil {
		return said
	}
	for _, a := range address().FindAllString(answer, -1) {
		if !strings.Contains(all, strings.TrimLeft(strings.TrimRight(a, ".,;:!?)"), "@")) {
			return []string{a}
		}
	}
	known := map[string]bool{
		strconv.Itoa(strings.Count(answer, "[[")):        true, // a count of what it lists
		strconv.Itoa(strings.Count("\n"+answer, "\n- ")): true,
	}
	for _, s := range sources {
		for _, w := range wordsOf(s) {
			known[strings.ToLower(w.text)] = true
		}
	}
	var out []string
	for _, w := range wordsOf(answer) {
		folded := strings.ToLower(w.text)
		switch {
		case known[folded], known[strings.TrimSuffix(folded, "s")], known[folded+"s"]:
		case isNumber(folded):
			if !knownNumber(folded, known) {
				out = append(out, w.text)
			}
		case names && !w.first && startsUpper(w.text) && !slices.Contains(commonCapital, folded):
			out = append(out, w.text)
		}
	}
	if out == nil {
		return invented(answer, message, all)
	}
	return out
}

// invented returns the words that an English answer adds to the question, or nil if a source contains one of them.
func invented(answer, message, sources string) []string {
	words := Words(strings.ToLower(answer))
	if Foreign(message) || Foreign(answer) || len(words) == 0 || slices.Contains(yesOrNo, words[0]) {
		return nil
	}
	asked, said := strings.ToLower(message), strings.ToLower(sources)
	var out []string
	for _, w := range words {
		switch {
		case isNumber(w) && strings.Contains(said, w) && !strings.Contains(asked, w):
			return nil
		case len(w) < 4 || mentionsForm(asked, w) || slices.Contains(commonWords, w) || slices.Contains(weakWords, w):
		case mentionsForm(said, w):
			return nil
		default:
			out = append(out, w)
		}
	}
	return out
}

// address matches a mail address, a web address, an account, or a placeholder for one.
var address = lazyregexp.New(`[^\s()\[\]"']*@[^\s()\[\]"']+|https?://[^\s()\[\]"']+|\[(?:email|e-mail|phone|name|address|number|date|your)\b[^\]]*\]`)

// Unanswered reports whether the passages found for an English question do not answer it: none of those about its
// subject contains another of its words. It is false if that cannot be decided: for comparisons, other languages and
// requests for something else than facts.
func Unanswered(question, along string, found []Passage) bool {
	asked := strings.ToLower(question)
	if len(found) == 0 || Foreign(question) || choice().MatchString(asked) || !slices.Contains(questionWords, strings.FieldsFunc(asked+" ", unicode.IsSpace)[0]) {
		return false
	}
	about := subject(question, found)
	texts := strings.Split(along, "\n\n")
	for _, p := range found {
		texts = append(texts, p.about())
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return len(about) > 0 && !mentions(text, about) })
	return Unmentioned(question, about, texts...)
}

// OnSubject returns the passages that mention the subject of a question, or all if none does or the question is a
// comparison.
func OnSubject(question string, found []Passage) []Passage {
	about := subject(question, found)
	on := slices.DeleteFunc(slices.Clone(found), func(p Passage) bool { return !mentions(p.about(), about) })
	if len(on) == 0 || choice().MatchString(strings.ToLower(question)) {
		return found
	}
	return on
}

// mentions reports whether a text holds one of the words.
func mentions(text string, words []string) bool {
	return slices.ContainsFunc(Words(strings.ToLower(text)), func(w string) bool { return slices.Contains(words, w) })
}

// subject returns the subject of a question as words in lower case: names in it, and the names of notes that it
// mentions.
func subject(question string, found []Passage) []string {
	var about []string
	for _, w := range wordsOf(question) {
		if startsUpper(w.text) && !w.first && len(w.text) > 1 { // not "I"
			about = append(about, strings.ToLower(w.text))
		}
	}
	for _, p := range found {
		if p.Full != "" {
			about = append(about, Words(strings.ToLower(Name(p.Path)))...)
		}
	}
	return about
}

// Unmentioned reports whether texts contain no word of an English question, apart from its subject and words that a
// note would not repeat. It is false if the question has no such words.
func Unmentioned(question string, about []string, texts ...string) bool {
	said := Words(strings.ToLower(strings.Join(texts, "\n")))
	asked := false
	for _, w := range Words(strings.ToLower(question)) {
		if len(w) < 3 || isNumber(w) || slices.Contains(about, w) || slices.Contains(commonWords, w) || slices.Contains(weakWords, w) {
			continue
		}
		if slices.ContainsFunc(said, func(x string) bool { return alike(w, x) }) {
			return false
		}
		asked = true
	}
	return asked
}

// mentionsForm reports whether text contains a form of the word w, such as its plural.
func mentionsForm(text, w string) bool {
	return slices.ContainsFunc(Words(text), func(x string) bool { return alike(w, x) })
}

// alike reports whether two words are forms of one.
func alike(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || len(a) > 3 && stem(a) == stem(b) || len(a) > 3 && len(b) > 4 && strings.HasPrefix(b, a[:min(len(a), 5)]) && len(b)-len(a) < 4
}

// stem returns an English word without its ending.
func stem(w string) string {
	for _, ending := range []string{"ing", "ed", "es", "s", "e"} {
		if s, ok := strings.CutSuffix(w, ending); ok && len(s) > 2 {
			return s
		}
	}
	return w
}

// weakWords are words of questions that the note with the answer need not contain.
var weakWords = strings.Fields(`about according actually after again ago all also any ask asked ate away bad been before being best better between
	big both bring bring came can come comes could cost costs date day days decide decided did different does doing done during each early earlier
	eat eats else end ever far find first from full get gets give gives given goes going good got great had happen happened happens hard have having heavy
	help her here him his hold hot info information its just keep kind know known large last late latest later least left less like likes live lives
	long look made main make makes many may mean means mention mentioned met mine month more most much must name named names need needs new next
	note notes now number often old one only other our out over own part people person place plan planned put read right said same saw say says see
	should show since small some somebody someone something still stuff take takes tell than that the their them then there these they thing things think this those through time times
	today told too took two type until use used uses using very via want wanted was way week well went were what when where which while who whom whose
	why will with work works would write writes written wrote year years yesterday yet you your`)

// SaysNothing reports whether the unsupported words of an answer are the question's own.
func SaysNothing(words []string, message string) bool {
	asked := strings.ToLower(message)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(asked, strings.ToLower(w)) })
}

// word is a run of letters, Latin or others, or of digits.
type word struct {
	text  string
	first bool // it begins a sentence, a line or a quotation
}

// wordForms matches numbers, words in Latin letters, and words of other scripts.
var wordForms = lazyregexp.New(`\p{Nd}+|[\p{Latin}'’\p{Mn}]+|[^\P{L}\p{Latin}]+`)

func wordsOf(s string) []word {
	var out []word
	end := 0
	for _, at := range wordForms().FindAllStringIndex(s, -1) {
		first := len(out) == 0 || strings.ContainsAny(s[end:at[0]], ".!?:\n\"“”„«»*-–—([|")
		text := strings.Trim(s[at[0]:at[1]], "'’")
		out = append(out, word{strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s"), first})
		end = at[1]
	}
	return out
}

func isNumber(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// knownNumber reports whether a number stands in the sources in another form: with leading zeros or without,
// or as a word.
func knownNumber(n string, known map[string]bool) bool {
	short := strings.TrimLeft(n, "0")
	spelled := ""
	if i := slices.Index(numberWords, short); i >= 0 {
		spelled = numberWords[i+1]
	}
	return known[short] || known["0"+n] || known[spelled]
}

// numberWords are numbers, each followed by its English word.
var numberWords = strings.Fields(`1 one 2 two 3 three 4 four 5 five 6 six 7 seven 8 eight 9 nine 10 ten 11 eleven 12 twelve 13 thirteen 14 fourteen
	15 fifteen 16 sixteen 17 seventeen 18 eighteen 19 nineteen 20 twenty 30 thirty 40 forty 50 fifty 60 sixty 70 seventy 80 eighty 90 ninety`)

func startsUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// commonCapital are words with a capital letter that need not be in a note.
var commonCapital = strings.Fields(`i i'm i'll i've january february march april may june july august september october november
	december monday tuesday wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec
	mon tue wed thu fri sat sun english french german japanese markdown note notes yes no ok am pm c f kg g ml l km cm mm`)

var german = lazyregexp.New(`(?i)\b(?:der|die|das|und|ist|wie|wer|welche\w*|wann|wo|nicht|meine?n?|ich|habe?|für|mit|von|auf|den|dem|ein|eine)\b`)

// Broken reports whether an answer repeats itself or the prompt, and so says nothing.
func Broken(answer, system string) bool {
	words := strings.Fields(answer)
	if strings.Contains(answer, "<|im_") || strings.Contains(answer, fromNotes+"\n") {
		return true
	}
	runs := map[string]bool{}
	for i := range max(len(words)-brokenRun+1, 0) {
		run := strings.Join(words[i:i+brokenRun], " ")
		if strings.Contains(system, run) {
			return true
		}
		runs[run] = true
	}
	return len(words) >= 5*brokenRun && len(runs) < len(words)/2
}

// brokenRun is the number of consecutive words that an answer shares with a prompt only by copying it.
const brokenRun = 6

// echoed returns the words of an answer if all of them are the question's, apart from links, so that it says nothing.
// Yes, no, and a choice among what the question names say something.
func echoed(answer, message, sources string) []string {
	asked := strings.ToLower(message)
	if choice().MatchString(asked) || otherScript().MatchString(message) {
		return nil
	}
	names, named := "", ""
	for _, m := range linkText().FindAllStringSubmatch(answer, -1) {
		if strings.Contains(sources, "[["+m[1]+"]] (") { // a note that went along
			names += strings.ToLower(m[0])
			named += strings.ToLower(m[1]) + " "
			answer = strings.ReplaceAll(answer, m[0], "")
		}
	}
	words := Words(strings.ToLower(answer))
	if len(words) == 0 && names != "" && !slices.ContainsFunc(Words(named), func(w string) bool { return !strings.Contains(asked, w) && !isNumber(w) }) {
		return []string{names} // the note that the question named
	}
	if number().MatchString(asked) && !slices.ContainsFunc(words, isNumber) && !namedNumber().MatchString(answer) {
		return words
	}
	for _, w := range words {
		if strings.Contains(names, w) {
			continue
		}
		if isNumber(w) || slices.Contains(yesOrNo, w) || len(w) > 3 && !strings.Contains(asked, w) && !mentionsForm(asked, w) && !slices.Contains(commonWords, w) {
			return nil
		}
	}
	return words
}

var (
	// number matches questions for a number or a day, namedNumber a number that is spelled out.
	number      = lazyregexp.New(`\b(?:how (?:many|much|long|old|hot|far|big)|phone|number|wie (?:viele?|lange|alt)|combien|telefonnummer)\b`)
	namedNumber = lazyregexp.New(`(?i)\b(?:no|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|once|twice|keine?|eine?[nrs]?|zwei|drei|vier|fünf|un|une|deux|trois|quatre|cinq|huit)\b`)

	choice   = lazyregexp.New(`\b(?:or|oder|ou|both|two|beiden|deux|common|gemeinsam|commun|versus|vs|compare[ds]?)\b`)
	linkText = lazyregexp.New(`\[\[([^\]]*)\]\](?: ?\([^)]*\))?(?:,? lines? [\d-]+)?(?:,? under [“"][^”"]*[”"])?`)
	yesOrNo  = strings.Fields(`yes no ja nein oui non`)
)
