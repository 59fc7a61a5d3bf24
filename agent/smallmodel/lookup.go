package smallmodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
)

// Query returns a question without a request about its form: "…? Just the names please".
func Query(question string) string {
	q := strings.TrimRight(strings.TrimSpace(question), ".")
	if asked, rest, ok := strings.Cut(q, "? "); ok && !strings.Contains(rest, "?") {
		q = asked + "?"
	}
	return q
}

// Lookups returns what a request for a change in English needs from the index first: what it says to find, count or
// list, and, as each, the notes that it means with "all" or "every"; "" if it means none.
func Lookups(message string) (first []string, each string) {
	text := strings.TrimSpace(message)
	for _, clause := range clauseEnd().Split(quoted().ReplaceAllString(text, `""`), -1) {
		if lookup().MatchString(clause) {
			first = append(first, Query(clause))
		}
	}
	if m := everyNote().FindStringSubmatch(text); m != nil {
		each = Query("list all notes " + m[1])
	}
	return first, each
}

var (
	lookup     = lazyregexp.New(`(?i)^(?:please |then )*(?:find|look up|get|collect|gather|search for|list|check|count) `)
	everyNote  = lazyregexp.New(`(?i)\b(?:all|every|each)(?: of)?(?: the| my)? (?:notes?|pages?|files?) ((?:tagged|with|that|which|in|from|linking|having|about|under)\b.*?)(?:,|[.!?]?\s*$| (?:to|into|and|as|from) )`)
	listedNote = lazyregexp.New(`(?m)^- \[\[[^\]]*\]\] \(([^)]+\.md)\)`)
)

// Listed returns the paths of the notes that an answer of the index lists.
func Listed(answer string) []string {
	var out []string
	for _, m := range listedNote().FindAllStringSubmatch(answer, -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// NotEach returns the answer to a request to change each of the notes that an answer of the index lists, n of them, if
// that cannot be done; "" if it can.
func NotEach(answer string, n int) string {
	first, _, _ := strings.Cut(answer, "\n")
	switch all, err := strconv.Atoi(firstNumber().FindString(first)); {
	case n == 0 && strings.HasPrefix(first, "There "):
		return "Nothing was changed. " + first
	case n == 0:
		return NotDone("it is not clear which notes are meant.")
	case n > llm.MaxToolCalls || err == nil && all > n:
		return fmt.Sprintf("Nothing was changed: these are more than %d notes, the most that one request to a small model changes. Name a folder or a tag that holds fewer, or choose a larger model with /model.", llm.MaxToolCalls)
	}
	return ""
}

var firstNumber = lazyregexp.New(`^\d+`)

// spelled returns the content that a part of a message spells out: items after "with the tasks", links to each of the
// notes that the index listed, or one to the note that was created before; "" if it does not.
func spelled(part string, listed, created []string) string {
	var b strings.Builder
	if m := itemsGiven().FindStringSubmatch(part); m != nil {
		bullet := "- "
		if taskWord().MatchString(strings.ToLower(m[1])) {
			bullet = "- [ ] "
		}
		for _, item := range itemEnd().Split(strings.TrimRight(m[2], ".,! "), -1) {
			if item = strings.TrimSpace(item); item != "" && !slices.Contains(joiners, item) {
				b.WriteString(bullet + item + "\n")
			}
		}
		return b.String()
	}
	if linksWanted().MatchString(part) {
		for _, p := range listed {
			b.WriteString("- [[" + Name(p) + "]]\n")
		}
	} else if len(created) > 0 && linkIt().MatchString(part) {
		return "[[" + Name(created[len(created)-1]) + "]]"
	}
	return b.String()
}

var (
	itemsGiven  = lazyregexp.New(`(?i)\b(?:with|mit|avec|con) (?:the |den |les |las )?(tasks?|to-?dos?|items?|points?|lines?|steps?|aufgaben|punkten|tâches|tareas)\b:? ([^:]+?,? (?:and|und|et|y) .+|[^:]+, .+)$`)
	itemEnd     = lazyregexp.New(`,\s*(?:(?:and|und|et|y)\s+)?|\s(?:and|und|et|y)(?:\s|$)`)
	linksWanted = lazyregexp.New(`(?i)\b(?:links? to|linking|list(?:s|ing)?|links?) (?:to )?(?:each|all|every|them|these|those)\b`)
	linkIt      = lazyregexp.New(`(?i)\blink(?: to)? (?:it|that note|this note|the (?:new )?note)\b`)
)

// linkedNote returns the target of a request such as "add a link to Futurama in Blade Runner", or "".
func linkedNote(message string, notes []string) string {
	at := linkTo().FindStringIndex(message)
	if at == nil || len(notes) < 2 || strings.Contains(message, ": ") {
		return ""
	}
	linked, rest := "", strings.ToLower(message[at[1]:])
	for _, n := range notes {
		if strings.HasPrefix(rest, strings.ToLower(n)) && len(n) > len(linked) {
			linked = n
		}
	}
	return linked
}

var linkTo = lazyregexp.New(`(?i)\b(?:link(?: (?:to|zu|auf|naar))?|lien vers|enlace a|collegamento a) (?:the |my |den |die |das |la |le )?(?:notes? |notiz |nota )?[“"„«]?`)

// ForEach returns a call that changes one of several notes as calls that change each of them so; none if it
// changes no such note.
func ForEach(call llm.ToolCall, notes []string) []llm.ToolCall {
	var args map[string]any
	if len(notes) < 2 || json.Unmarshal(llm.Arguments(call.Arguments), &args) != nil {
		return nil
	}
	for _, key := range []string{"path", "source"} {
		note, _ := args[key].(string)
		if !slices.ContainsFunc(notes, func(n string) bool { return n == note || Name(n) == Name(note) }) {
			continue
		}
		var out []llm.ToolCall
		for i, n := range notes {
			args[key] = n
			raw, err := json.Marshal(args)
			if err != nil {
				return nil
			}
			c := call
			c.ID, c.Arguments = call.ID+"-"+strconv.Itoa(i+1), string(raw)
			out = append(out, c)
		}
		return out
	}
	return nil
}

// said returns the runs of up to five words of a message that can be a new name, those in quotation marks alone where
// there are some; notes are the names of notes that it names, each of which ends a run where it stands first.
func said(message string, notes ...string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) && len(out) < maxSaid {
			out = append(out, s)
		}
	}
	for _, q := range quoted().FindAllString(message, -1) {
		if q = strings.Trim(q, `"“”„«»`); !slices.Contains(notes, q) {
			add(q)
		}
	}
	for _, n := range notes {
		if before, after, ok := cutFold(message, n); ok {
			message = before + "\n" + after
		}
	}
	if len(out) > 0 || otherScript().MatchString(message) {
		return out
	}
	for _, clause := range pause().Split(message, -1) {
		words := strings.Fields(clause)
		for from := len(words) - 1; from >= 0; from-- {
			for to := from + 1; to <= min(from+maxRun, len(words)); to++ {
				if first, last := strings.ToLower(words[from]), strings.ToLower(words[to-1]); !slices.Contains(joiners, first) && !slices.Contains(joiners, last) {
					add(strings.TrimRight(strings.Join(words[from:to], " "), ".!?"))
				}
			}
		}
	}
	return out
}

// Bounds of the runs of words.
const (
	maxSaid = 120
	maxRun  = 5
)

var pause = lazyregexp.New(`[,;:!?]\s|\.\s|\n`)

// joiners are words that no name begins or ends with.
var joiners = strings.Fields(`to into in as from with and or of by that for please it zu nach als mit und um von bitte à en de dans avec et au vers a`)

// afterName returns the part of a message after the first name of a note in it; "" if there is none.
func afterName(message string, notes []string) string {
	for _, n := range notes {
		if _, after, ok := cutFold(message, n); ok {
			return strings.TrimLeft(after, `"”»`)
		}
	}
	return ""
}

// cutFold is strings.Cut, ignoring case.
func cutFold(s, sep string) (before, after string, found bool) {
	folded := strings.ToLower(s)
	i := strings.Index(folded, strings.ToLower(sep))
	if i < 0 || len(folded) != len(s) { // as in Turkish
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// titles returns possible names of a requested new note: the words after "note" or "called", up to a folder.
func titles(message string, folders []string) []string {
	var out []string
	for _, m := range titled().FindAllStringIndex(message, -1) {
		rest := strings.TrimSpace(message[m[1]:])
		if q := quoted().FindStringIndex(rest); q != nil && q[0] == 0 {
			return []string{strings.Trim(rest[:q[1]], `"“”„«» `)}
		}
		rest, _, _ = strings.Cut(pause().ReplaceAllString(rest, "\n"), "\n")
		words := beforeFolder(strings.Fields(strings.TrimRight(rest, ".!?:")), folders)
		for to := 1; to <= min(len(words), 2*maxRun); to++ {
			last := strings.ToLower(words[to-1])
			if slices.Contains(titleEnds, last) || to == 1 && slices.Contains(joiners, last) {
				break
			}
			if !slices.Contains(joiners, last) {
				out = append(out, strings.Join(words[:to], " "))
			}
		}
	}
	return out
}

// beforeFolder returns the words before one that names a folder, such as "in Projects".
func beforeFolder(words, folders []string) []string {
	for at := 1; at < len(words)-1; at++ {
		if rest := strings.ToLower(strings.Join(words[at+1:], " ")); slices.Contains(within, strings.ToLower(words[at])) &&
			slices.ContainsFunc(folders, func(f string) bool {
				after, ok := strings.CutPrefix(folderArticle().ReplaceAllString(rest, ""), strings.ToLower(Name(f)))
				return ok && strings.TrimLeft(after, " .,:;!?") != after || after == ""
			}) {
			return words[:at]
		}
	}
	return words
}

// within are the prepositions that precede a folder.
var within = strings.Fields(`in into inside under im unter dans en`)

var folderArticle = lazyregexp.New(`^(?:the|my|den|das|meinen?|le|la|mon|ma) |(?:folder|ordner|dossier) `)

var (
	titled    = lazyregexp.New(`(?i)\b(?:notes?|notiz|nota|seite|page|notitie|called|named|titled|namens|appelée?|intitulée?|llamada)\b[\s:]*`)
	titleEnds = strings.Fields(`with that saying containing which and mit und die der das avec qui et con que called named titled namens`)
)

// headingsSaid returns the headings that a message names, apart from the names of the notes.
func headingsSaid(headings, notes []string, message string) []string {
	rest := strings.ToLower(message)
	for _, n := range notes {
		rest = strings.ReplaceAll(rest, strings.ToLower(n), " ")
	}
	return slices.DeleteFunc(slices.Clone(headings), func(h string) bool { return !standsIn(strings.ToLower(h), rest) })
}
