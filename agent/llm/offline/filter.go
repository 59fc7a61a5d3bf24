package offline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// filter selects the items of a list. Its shown form is also valid as a request.
type filter struct {
	of      string // "tasks", "notes", "tags" or "folders"
	asked   bool   // the words ask for a list
	count   bool   // the number is asked for
	state   string // of tasks: "open", "done" or "all"
	due     span
	when    span // dated or changed then
	recent  bool // ordered by the time of the change
	created bool // when is the creation time
	tags    []condition
	keys    []condition // properties
	kind    string      // "recipes": by folder, tag or property
	folder  string
	note    string
	heading string
	links   string   // a mode of get_links
	undated bool     // tasks without a due date
	words   []string // what was not understood
	negated bool     // by a "not" that was not understood
}

// condition is a tag, or a property with a value, that a note has; not: that it has not.
type condition struct {
	name, how, value string
	not              bool
}

func (c condition) shown(noun string) string {
	out := noun + c.name
	if c.value != "" {
		out += " " + c.how + " " + c.value
	}
	if c.not {
		return "without " + out
	}
	if noun == "" && c.value == "" {
		return "with " + out
	}
	return out
}

// shown is the filter as an answer shows it: "open tasks · due until 2026-11-30 · in Recipes/".
func (f filter) shown() string {
	parts := []string{f.of}
	if f.of == "tasks" && f.state != "all" {
		parts[0] = f.state + " tasks"
	}
	if f.recent && f.when.isZero() {
		parts[0] = "latest notes"
	}
	add := func(word, s string) {
		if s != "" {
			parts = append(parts, strings.TrimSpace(word+" "+s))
		}
	}
	switch {
	case f.links == "unresolved" || f.links == "orphans":
		parts[0] = map[string]string{"unresolved": "unresolved links", "orphans": "orphan notes"}[f.links]
	case f.links != "":
		parts[0] = map[string]string{"backlinks": "links to ", "outgoing": "links of "}[f.links] + retrieval.Name(f.note)
	default:
		add("in", retrieval.Name(f.note))
	}
	add("kind", f.kind)
	if f.folder != "" {
		add("in", f.folder+"/")
	}
	for _, t := range f.tags {
		add("", t.shown("tag "))
	}
	for _, k := range f.keys {
		add("", k.shown(""))
	}
	add("under", f.heading)
	if !f.due.isZero() {
		add("due", f.due.shown())
	}
	if f.undated {
		add("", "without a due date")
	}
	if !f.when.isZero() {
		add("dated", f.when.shown())
	}
	if f.of == "tasks" {
		add("about", strings.Join(f.words, " "))
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "in ." }), " · ")
}

var (
	noListRE   = lazyregexp.New(`(?i)^(?:why|how (?:do|does|did|is|are|was|can|should|long|much|old|far|often)|when|where|what do i know|what did .{1,40} say|tell me (?:about|what|why|how)|explain|compare|describe|summari[sz]e)\b`)
	politeRE   = lazyregexp.New(`(?i)^(?:please|hey|hi|ok|so|and|can you|could you|would you|i want to see|i'd like to see)[, ]+`)
	listLeads  = lazyregexp.New(`(?i)^(?:(?:show|list|give|find|get|tell|display|print|see|look up|collect|gather)(?: me)?|what are|what's|which(?: ones)?|what|are there|is there|do i have|have i got|any|all|my|count)\b`)
	countRE    = lazyregexp.New(`(?i)\b(?:how many|number of|count(?: of)?)\b`)
	tasksRE    = lazyregexp.New(`(?i)\b(?:tasks?|to-?dos?|to dos?|action items|check ?boxes)\b`)
	overdueRE  = lazyregexp.New(`(?i)\b(?:that are |are |is )?(?:overdue|past due|late)\b`)
	dueRE      = lazyregexp.New(`(?i)\b(?:that are |are |is |fall )?due\b`)
	openRE     = lazyregexp.New(`(?i)\b(?:open|unfinished|undone|not (?:yet )?(?:done|finished|completed?|ticked)|incomplete|remaining|pending|outstanding|left(?: to do)?|still to do|unticked)\b`)
	doneRE     = lazyregexp.New(`(?i)\b(?:done|finished|completed?|ticked(?: off)?|closed)\b`)
	allRE      = lazyregexp.New(`(?i)\b(?:all|every)\b`)
	tagsRE     = lazyregexp.New(`(?i)(\b(?:not|without|no|un)[ -]?)?\b?(?:(?:that are |are |is )?(tag+ed)(?: (?:with|as))?|(?:with |that have |having |have )?(?:the |a |any )?(?:hash)?tags?(?: of| called| named)?)\s+[#“"]*([\p{L}\p{N}_/-]+)[”"]?|(\b(?:not|without|no)\s+)?(?:\bwith\s+)?#([\p{L}\p{N}_/-]+)`)
	noTagRE    = lazyregexp.New(`(?i)\b(?:with no|without|no|have no|having no)(?: any)? tags\b|\b(?:with no|without)(?: a)? tag$|\buntagged\b`)
	ownedRE    = lazyregexp.New(`(?i)\s+(?:do i have|have i got|do we have|are there|in (?:my|the) vault)$`)
	monthRE    = lazyregexp.New(`(?i)\b(?:` + months + `)\b`)
	yearRE     = lazyregexp.New(`\d{4}`)
	tagListRE  = lazyregexp.New(`(?i)^(?:list|show|what|which|all|my|how many|are there|the|do i have|use|have|i|me|there|are| )*\btags?\b(?: do i (?:have|use)| are there| are used)?\s*$`)
	foldersRE  = lazyregexp.New(`(?i)^(?:list|show|what|which|all|my|how many|the|me| )*\bfolders?\b(?: do i have| are there| exist)?\s*$`)
	linksRE    = lazyregexp.New(`(?i)\b(?:what |which notes |which |notes that |notes |pages that |who |that )?(?:links?|linking|linked|points?|refers?|backlinks?) (to|of|for|from|in)\s+(.+)$`)
	orphansRE  = lazyregexp.New(`(?i)\borphan(?:ed|s)?\b|\b(?:nothing|no (?:other )?notes?) links? to\b|\bnot linked (?:from|by|to)\b`)
	brokenRE   = lazyregexp.New(`(?i)\b(?:broken|unresolved|dead|missing) links?\b|\blinks? (?:that )?(?:are |is )?(?:broken|unresolved|dead|lead to nothing|go nowhere)\b`)
	notesRE    = lazyregexp.New(`(?i)\b(?:notes?|pages?|files?|everything|anything|things|stuff)\b`)
	undatedRE  = lazyregexp.New(`(?i)\b(?:without|with no|have no|has no|having no|do(?:es)? not have|don't have|lack(?:ing)?)(?: an?| any)? (?:due )?dates?\b|\bundated\b`)
	alsoDueRE  = lazyregexp.New(`(?i)^(?:what is |what are |is |are |do i have |have i )?(?:anything|something|everything|what|which|all|there)?\s*(?:that )?(?:is |are |was )?(?:(?:overdue|late)(?: in .{2,40})?|due(?: (?:today|tomorrow|now|soon|(?:this|next) (?:week|month|weekend)|(?:on |by |until |before )?.{3,24})?)?)$`)
	recentRE   = lazyregexp.New(`(?i)\b(?:recent(?:ly)?|latest|newest|last)\b`)
	changedRE  = lazyregexp.New(`(?i)\b(?:(?:did|have) i |i |was |were |been )*(?:chang(?:ed?|es)|edit(?:ed|s)?|modif(?:y|ied)|updated?|touched|written|write|work(?:ed)? on|created?|added|dated)\b`)
	createdRE  = lazyregexp.New(`(?i)creat|add|writ`)
	underRE    = lazyregexp.New(`(?i)\bunder (?:the )?(?:heading |section )?["“]?([^"”?]+?)["”]?(?: heading| section)?$`)
	nestedRE   = lazyregexp.New(`(?i)\bin (?:the |my )?(?:notes|files) (in|under|of)\b`)
	categoryRE = lazyregexp.New(`(?i)\b(?:in|of|with) (?:the |my )?category (?:of )?`)
	authorRE   = lazyregexp.New(`(?i)\b(?:that (?:was|were|are|is) )?(?:written )?by ([\p{L}][^?]*)$`)
	placeRE    = lazyregexp.New(`(?i)\b(?:in|of|from|inside|within|under)\s+`)
	notRE      = lazyregexp.New(`(?i)\b(?:not|no|without|except|but|excluding|other than|never|isn't|aren't|don't|doesn't|haven't|hasn't|nor|neither)\b`)
	fillRE     = lazyregexp.New(`(?i)^(?:the|a|an|my|of|do|i|have|got|there|are|is|me|with|all|any|every|each|that|which|what|on|in|list|lists|show|find|give|see|get|still|to|be|please|currently|now|right|for|was|were|did|has|been|and|from|vault|whole|it|them|you|your|can|total|together|altogether|existing|who|need|we|our|s|look|up|collect|gather|folder|kind|about)$`)
	wordRE     = lazyregexp.New(`[\p{L}\p{N}][\p{L}\p{N}'’_-]*`)
)

// take cuts a match out of a text.
func take(re *regexp.Regexp, s *string) []string {
	at := re.FindStringSubmatchIndex(*s)
	if at == nil {
		return nil
	}
	m := make([]string, len(at)/2)
	for i := range m {
		if at[2*i] >= 0 {
			m[i] = (*s)[at[2*i]:at[2*i+1]]
		}
	}
	*s = strings.TrimSpace((*s)[:at[0]] + " " + (*s)[at[1]:])
	return m
}

// longestRequest bounds a request for a list, in bytes.
const longestRequest = 300

// filterOf reads a request for a list. ok is false where a text asks for none.
func (s *session) filterOf(request string) (f filter, ok bool) {
	if len(request) > longestRequest || noListRE().MatchString(request) {
		return f, false
	}
	rest := strings.TrimRight(strings.ReplaceAll(request, "·", " "), "?.! ")
	for politeRE().MatchString(rest) {
		take(politeRE(), &rest)
	}
	rest = ownedRE().ReplaceAllString(rest, "")
	rest = categoryRE().ReplaceAllString(nestedRE().ReplaceAllString(rest, "$1"), "with categories ")
	f.asked = listLeads().MatchString(rest) || strings.Contains(request, "·")
	f.count = take(countRE(), &rest) != nil
	f.asked = f.asked || f.count
	f.of = "notes"
	switch isTasks := tasksRE().MatchString(rest); {
	case tagListRE().MatchString(rest) && len(wordRE().FindAllString(rest, -1)) < 7:
		return filter{of: "tags"}, true
	case foldersRE().MatchString(rest):
		return filter{of: "folders"}, true
	case linksRE().MatchString(rest):
		return f, s.linkFilter(&f, linksRE().FindStringSubmatch(rest))
	case isTasks || alsoDueRE().MatchString(rest):
		take(tasksRE(), &rest)
		f.asked = f.asked || !isTasks
		return f, s.taskFilter(&f, rest)
	}
	return f, s.noteFilter(&f, rest)
}

// linkFilter reads which links are asked for: m is a match of linksRE.
func (s *session) linkFilter(f *filter, m []string) bool {
	found := s.names().note(m[2])
	if e, _ := s.noteIn(m[2]); len(found) == 0 && e.Path != "" {
		found = []string{e.Path}
	}
	if len(found) != 1 {
		return false
	}
	f.note, f.links = found[0], "backlinks"
	if m[1] != "to" && m[1] != "for" && !strings.Contains(strings.ToLower(m[0]), "backlink") {
		f.links = "outgoing"
	}
	return true
}

// tagFilter takes the tags from a text.
func (f *filter) tagFilter(rest *string) {
	if take(noTagRE(), rest) != nil {
		f.tags = append(f.tags, condition{name: "", not: true})
	}
	for m := take(tagsRE(), rest); m != nil; m = take(tagsRE(), rest) {
		f.tags = append(f.tags, condition{name: m[3] + m[5], not: m[1]+m[4] != ""})
	}
}

// leftOver takes the words of a text that are no filler.
func (f *filter) leftOver(rest string) {
	for _, w := range wordRE().FindAllString(rest, -1) {
		if !fillRE().MatchString(w) {
			f.words = append(f.words, w)
		}
	}
}

// taskFilter reads which tasks are asked for. It returns false where the text is rather a question.
func (s *session) taskFilter(f *filter, rest string) bool {
	f.of, f.state = "tasks", "open"
	f.undated = take(undatedRE(), &rest) != nil
	overdue, due := take(overdueRE(), &rest) != nil, take(dueRE(), &rest) != nil
	switch f.due, rest = findSpan(rest, s.now); {
	case overdue:
		f.due = span{to: midnight(s.now), words: "overdue"}
	case due && f.due.isZero():
		f.due = span{to: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), words: "due"}
	}
	if !f.due.to.IsZero() && f.due.to.Before(s.now) && monthRE().MatchString(f.due.words) && !yearRE().MatchString(f.due.words) { // the next one
		f.due.from, f.due.to = f.due.from.AddDate(1, 0, 0), f.due.to.AddDate(1, 0, 0)
	}
	switch {
	case take(openRE(), &rest) != nil:
	case take(doneRE(), &rest) != nil:
		f.state = "done"
	case !f.count && f.due.isZero() && take(allRE(), &rest) != nil && len(wordRE().FindAllString(rest, -1)) == 0:
		f.state = "all"
	}
	f.tagFilter(&rest)
	if underRE().MatchString(rest) && !s.takePlace(f, &rest, false) {
		f.heading = take(underRE(), &rest)[1]
	}
	s.takePlace(f, &rest, true)
	take(notesRE(), &rest)
	f.leftOver(rest)
	f.negated = slices.ContainsFunc(f.words, notRE().MatchString)
	return len(f.words) == 0 || f.asked && len(f.words) < 4 || f.state == "open" && len(f.words) == 1
}

// noteFilter reads which notes are asked for. It returns false where the text is rather a question.
func (s *session) noteFilter(f *filter, rest string) bool {
	switch {
	case take(brokenRE(), &rest) != nil:
		f.links = "unresolved"
	case take(orphansRE(), &rest) != nil:
		f.links = "orphans"
	}
	f.tagFilter(&rest)
	if m := authorRE().FindStringSubmatch(rest); m != nil && s.keyNamed("author") == "author" {
		take(authorRE(), &rest)
		f.keys = append(f.keys, condition{name: "author", how: "=", value: strings.TrimSpace(m[1])})
	}
	for m := s.takeKey(&rest); m != nil; m = s.takeKey(&rest) {
		f.keys = append(f.keys, *m)
	}
	how := take(changedRE(), &rest)
	f.created = how != nil && createdRE().MatchString(how[0]) && s.keyNamed("created") == "created"
	f.when, rest = findSpan(rest, s.now)
	f.recent = how != nil || f.when.isZero() && take(recentRE(), &rest) != nil
	s.takePlace(f, &rest, true)
	isNotes := take(notesRE(), &rest) != nil
	f.leftOver(rest)
	if f.links != "" {
		return len(f.words) == 0
	}
	s.takeKind(f)
	f.negated = slices.ContainsFunc(f.words, notRE().MatchString)
	return f.asksNotes(isNotes || f.kind != "")
}

// asksNotes reports whether what was read is a request for a list; named: it says of what.
func (f *filter) asksNotes(named bool) bool {
	filtered := f.folder != "" || len(f.tags) > 0 || len(f.keys) > 0 || !f.when.isZero() || f.recent
	switch {
	case f.negated:
		return named && (filtered || len(f.words) < 4)
	case len(f.words) > 0:
		return false
	case named:
		return f.asked || filtered || f.kind != ""
	}
	return filtered && f.count || f.recent && !f.when.isZero()
}

// takePlace takes a folder or note that stands after a preposition: the longest name there is.
func (s *session) takePlace(f *filter, rest *string, notes bool) bool {
	for _, at := range placeRE().FindAllStringIndex(*rest, -1) {
		words := strings.Fields((*rest)[at[1]:])
		for n := min(len(words), longestSlot); n > 0; n-- {
			name := strings.Trim(strings.Join(words[:n], " "), `"“”,.?`)
			folders, found := s.names().folder(name), []string(nil)
			if notes && f.of == "tasks" {
				found = s.names().note(name)
			}
			switch {
			case len(folders) > 0 && (len(found) == 0 || !strings.HasSuffix(folded(name), "note")):
				f.folder = slices.MinFunc(folders, func(a, b string) int { return len(a) - len(b) })
			case len(found) == 1:
				f.note = found[0]
			default:
				continue
			}
			*rest = strings.TrimSpace((*rest)[:at[0]] + " " + strings.Join(words[n:], " "))
			return true
		}
	}
	return false
}

// takeKind moves the kind of the notes ("recipes") and tags ("not fiction") from the words to the filter.
func (s *session) takeKind(f *filter) {
	if i := slices.IndexFunc(f.words, func(w string) bool {
		return s.vocabulary().kinds[retrieval.Stem(folded(w))] && !s.vocabulary().tags[folded(w)]
	}); i > 0 {
		f.kind = strings.ToLower(f.words[i])
		f.words = slices.Delete(slices.Clone(f.words), i, i+1)
	}
	var out []string
	for _, w := range f.words {
		n := len(out)
		switch not := n > 0 && (folded(out[n-1]) == "not" || folded(out[n-1]) == "no" || folded(out[n-1]) == "without"); {
		case not && s.vocabulary().tags[folded(w)]:
			f.tags = append(f.tags, condition{name: strings.ToLower(w), not: true})
			out = out[:n-1]
		case f.kind == "" && !not && s.vocabulary().kinds[retrieval.Stem(folded(w))]:
			f.kind = strings.ToLower(w)
		case f.kind != "" && s.vocabulary().tags[folded(w)]:
			f.tags = append(f.tags, condition{name: strings.ToLower(w)})
		default:
			out = append(out, w)
		}
	}
	f.words = out
}

func inTemplates(file string) bool {
	return strings.Contains("/"+folded(file), "/templates/") || strings.HasPrefix(folded(file), "templates/")
}

// valueRE is what follows the name of a property: "is 7", "over 5", ": jazz".
var valueRE = lazyregexp.New(`(?i)^(?:\s*(=|:|<=?|>=?|≤|≥)\s*|\s+(?:is\s+|are\s+|was\s+|of\s+|equals\s+|set to\s+)?(over|above|more than|at least|under|below|less than|at most)?\s*)["“]?([\p{L}\d][\p{L}\d._-]*(?: [\p{L}\d._-]+){0,3}?)["”]?(?:\s+or (more|better|higher|above|less|below|lower))?((?:\s+and\b.*)?)\s*$`)

// takeKey takes a property with its value from the end of a text: "rating over 4", "without author".
func (s *session) takeKey(rest *string) *condition {
	for _, at := range wordRE().FindAllStringIndex(*rest, -1) {
		word := (*rest)[at[0]:at[1]]
		key := s.keyNamed(folded(word))
		if key == "" {
			continue
		}
		before, after := strings.TrimSpace((*rest)[:at[0]]), (*rest)[at[1]:]
		lead := strings.ToLower(before[strings.LastIndexAny(before, " ")+1:])
		not := lead == "without" || lead == "no"
		with := not || slices.Contains([]string{"with", "whose", "where", "the", "have", "having", "property", "a"}, lead)
		if strings.TrimSpace(after) == "" && with {
			*rest = strings.TrimSpace(before[:len(before)-len(lead)])
			return &condition{name: key, not: not}
		}
		if m := valueRE().FindStringSubmatch(after); m != nil && (with || m[1] != "" || strings.HasPrefix(folded(word), "rate")) {
			if *rest = before + m[5]; with && lead != "the" {
				*rest = strings.TrimSpace(before[:len(before)-len(lead)]) + m[5]
			}
			return &condition{name: key, how: comparison(strings.ToLower(m[1] + m[2] + m[4])), value: m[3], not: not}
		}
	}
	return nil
}

// keyNamed returns the property that a word names, in any inflection, or "".
func (s *session) keyNamed(word string) string {
	if word == "rated" || word == "rate" {
		word = "rating"
	}
	key := s.vocabulary().keys[retrieval.Stem(word)]
	if key != word && retrieval.IsStopWord(word) {
		return ""
	}
	return key
}

func comparison(words string) string {
	switch words {
	case "over", "above", "more than", ">":
		return ">"
	case "at least", ">=", "≥", "more", "better", "higher":
		return "≥"
	case "under", "below", "less than", "<":
		return "<"
	case "at most", "<=", "≤", "less", "lower":
		return "≤"
	}
	return "="
}

// holds reports whether a value satisfies the condition.
func (c condition) holds(value string) bool {
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(c.value, 64)
	if errA != nil || errB != nil {
		return c.how == "=" && strings.Join(tokensOf(text.Unmarked(value)), " ") == strings.Join(tokensOf(c.value), " ")
	}
	switch c.how {
	case ">":
		return a > b
	case "≥":
		return a >= b
	case "<":
		return a < b
	case "≤":
		return a <= b
	}
	return a == b
}
