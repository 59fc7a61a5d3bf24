package offline

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// filter selects the items of a list. Its shown form is also valid as a request.
type filter struct {
	of      string // "tasks", "notes", "tags" or "folders"
	asked   bool   // the request is worded as one
	count   bool   // the request is for a number
	state   string // of tasks: "open", "done" or "all"
	undated bool   // tasks without a due date
	when    span   // tasks due then, or notes of that time
	recent  bool   // the latest notes
	has     []condition
	kinds   []string // "quick", "recipes": by folder, tag or property
	heading string   // above a task
	folder  string
	note    string
	links   string   // a mode of get_links
	words   []string // not understood
}

// condition is a tag or property that notes have.
type condition struct {
	tag        bool
	name       string // "" means any tag
	how, value string // of a property: "≥", "4"; "" means any value
	not        bool   // notes must not have it
}

func (c condition) shown() string {
	lead := ""
	if c.not {
		lead = "without "
	} else if !c.tag && c.value == "" {
		lead = "with "
	}
	if c.tag {
		lead += "tag "
	}
	return text.OneLine(lead + c.name + " " + c.how + " " + c.value)
}

// shown formats the filter: "open tasks · in Recipes/ · due until 2026-11-30".
func (f filter) shown() string {
	of := f.of
	var parts []string
	add := func(format, s string) {
		if s != "" {
			parts = append(parts, fmt.Sprintf(format, s))
		}
	}
	switch name := retrieval.Name(f.note); {
	case f.links != "":
		of = map[string]string{"unresolved": "unresolved links", "orphans": "orphan notes", "backlinks": "links to " + name, "outgoing": "links of " + name}[f.links]
	case f.recent && f.when.isZero():
		of = "latest notes"
	case f.note != "":
		add("in %s", name)
	}
	if f.of == "tasks" && f.state != "all" {
		of = f.state + " tasks"
	}
	for _, kind := range f.kinds {
		add("kind %s", kind)
	}
	add("in %s/", f.folder)
	add("under %s", f.heading)
	for _, c := range f.has {
		add("%s", c.shown())
	}
	add(map[bool]string{true: "due %s", false: "dated %s"}[f.of == "tasks"], f.when.shown())
	if f.undated {
		add("%s", "without a due date")
	}
	add("about %s", strings.Join(f.words, " "))
	return strings.Join(append([]string{of}, parts...), " · ")
}

var (
	noListRE  = lazyregexp.New(`(?i)^(?:why|how (?:do|does|did|is|are|was|can|should|long|much|old|far|often)|when|where|what do i know|what did .{1,40} say|tell me (?:about|what|why|how)|explain|compare|describe|summari[sz]e)\b`)
	politeRE  = lazyregexp.New(`(?i)^(?:please|hey|hi|ok|so|and|can you|could you|would you|i want to see|i'd like to see)[, ]+`)
	listLeads = lazyregexp.New(`(?i)^(?:(?:show|list|give|find|get|tell|display|print|see|look up|collect|gather)(?: me)?|what are|what's|which(?: ones)?|what|are there|is there|do i have|have i got|any|all|my|count)\b`)
	countRE   = lazyregexp.New(`(?i)\b(?:how many|number of|count(?: of)?)\b`)
	tasksRE   = lazyregexp.New(`(?i)\b(?:tasks?|to-?dos?|to dos?|action items|check ?boxes)\b`)
	overdueRE = lazyregexp.New(`(?i)\b(?:that are |are |is )?(?:overdue|past due|late)\b`)
	dueRE     = lazyregexp.New(`(?i)\b(?:that are |are |is |fall )?due\b`)
	openRE    = lazyregexp.New(`(?i)\b(?:open|unfinished|undone|not (?:yet )?(?:done|finished|completed?|ticked)|incomplete|remaining|pending|outstanding|left(?: to do)?|still to do|unticked)\b`)
	doneRE    = lazyregexp.New(`(?i)\b(?:done|finished|completed?|ticked(?: off)?|closed)\b`)
	allRE     = lazyregexp.New(`(?i)\b(?:all|every|everything)\b`)
	tagsRE    = lazyregexp.New(`(?i)(\b(?:not|without|no|un)[ -]?)?\b?(?:(?:that are |are |is )?(tag+ed)(?: (?:with|as))?|(?:with |that have |having |have )?(?:the |a |any )?(?:hash)?tags?(?: of| called| named)?)\s+[#“"]*([\p{L}\p{N}_/-]+)[”"]?|(\b(?:not|without|no)\s+)?(?:\bwith\s+)?#([\p{L}\p{N}_/-]+)`)
	noTagRE   = lazyregexp.New(`(?i)\b(?:with no|without|no|have no|having no)(?: any)? tags\b|\b(?:with no|without)(?: a)? tag$|\buntagged\b`)
	ownedRE   = lazyregexp.New(`(?i)\s+(?:do i have|have i got|do we have|are there|in (?:my|the) vault)$`)
	monthRE   = lazyregexp.New(`(?i)\b(?:` + months + `)\b`)
	yearRE    = lazyregexp.New(`\d{4}`)
	tagListRE = lazyregexp.New(`(?i)^(?:list|show|what|which|all|my|how many|are there|the|do i have|use|have|i|me|there|are| )*\btags?\b(?: do i (?:have|use)| are there| are used)?\s*$`)
	foldersRE = lazyregexp.New(`(?i)^(?:list|show|what|which|all|my|how many|the|me| )*\bfolders?\b(?: do i have| are there| exist)?\s*$`)
	linksRE   = lazyregexp.New(`(?i)\b(?:what |which notes |which |notes that |notes |pages that |who |that )?(?:links?|linking|linked|points?|refers?|backlinks?) (to|of|for|from|in)\s+(.+)$`)
	orphansRE = lazyregexp.New(`(?i)\borphan(?:ed|s)?\b|\b(?:nothing|no (?:other )?notes?) links? to\b|\bnot linked (?:from|by|to)\b`)
	brokenRE  = lazyregexp.New(`(?i)\b(?:broken|unresolved|dead|missing) links?\b|\blinks? (?:that )?(?:are |is )?(?:broken|unresolved|dead|lead to nothing|go nowhere)\b`)
	notesRE   = lazyregexp.New(`(?i)\b(?:notes?|pages?|files?|everything|anything|things|stuff)\b`)
	undatedRE = lazyregexp.New(`(?i)\b(?:without|with no|have no|has no|having no|do(?:es)? not have|don't have|lack(?:ing)?)(?: an?| any)? (?:due )?dates?\b|\bundated\b`)
	alsoDueRE = lazyregexp.New(`(?i)^(?:what is |what are |is |are |do i have |have i )?(?:anything|something|everything|what|which|all|there)?\s*(?:that )?(?:is |are |was )?(?:(?:overdue|late)(?: in .{2,40})?|due(?: (?:today|tomorrow|now|soon|(?:this|next) (?:week|month|weekend)|(?:on |by |until |before )?.{3,24})?)?)$`)
	recentRE  = lazyregexp.New(`(?i)\b(?:recent(?:ly)?|latest|newest|last)\b`)
	changedRE = lazyregexp.New(`(?i)\b(?:(?:did|have) i |i |was |were |been )*(?:chang(?:ed?|es)|edit(?:ed|s)?|modif(?:y|ied)|updated?|touched|written|write|work(?:ed)? on|created?|added|dated)\b`)
	authorRE  = lazyregexp.New(`(?i)\b(?:that (?:was|were|are|is) )?(?:written )?by ([\p{L}][^?]*)$`)
	underRE   = lazyregexp.New(`(?i)\b(?:(?:under|below) (?:the )?(?:heading |section )?|(?:in|from|of) (?:the )?(?:heading|section) )[“"]?(.+?)[”"]?(?: heading| section)?$`)
	placeRE   = lazyregexp.New(`(?i)\b(?:in|of|from|inside|within|under)\s+`)
	notRE     = lazyregexp.New(`(?i)\b(?:not|no|without|except|but|excluding|other than|never|isn't|aren't|don't|doesn't|haven't|hasn't|nor|neither)\b`)
	fillRE    = lazyregexp.New(`(?i)^(?:the|a|an|my|of|do|i|have|got|there|are|is|me|with|all|any|every|each|that|which|what|on|in|list|lists|show|find|give|see|get|still|to|be|please|currently|now|right|for|was|were|did|has|been|and|from|vault|whole|it|them|you|your|can|total|together|altogether|existing|who|need|we|our|s|look|up|heading|section|collect|gather|folder|kind|about)$`)
	wordRE    = lazyregexp.New(`[\p{L}\p{N}][\p{L}\p{N}'’_-]*`)
)

// take cuts a match out of a text and returns its groups, or nil.
func take(re *regexp.Regexp, s *string) []string {
	at := re.FindStringSubmatchIndex(*s)
	if at == nil {
		return nil
	}
	m := re.FindStringSubmatch(*s)
	*s = strings.TrimSpace((*s)[:at[0]] + " " + (*s)[at[1]:])
	return m
}

// longestRequest bounds a request for a list, in bytes.
const longestRequest = 300

// filterOf reads a request for a list. ok is false if the text is something else.
func (s *session) filterOf(request string) (f filter, ok bool) {
	if len(request) > longestRequest || noListRE().MatchString(request) {
		return f, false
	}
	rest := strings.TrimRight(strings.ReplaceAll(request, "·", " "), "?.! ")
	for politeRE().MatchString(rest) {
		take(politeRE(), &rest)
	}
	rest = ownedRE().ReplaceAllString(rest, "")
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
		m := linksRE().FindStringSubmatch(rest)
		found := s.catalog.note(m[2])
		if len(found) != 1 {
			return f, false
		}
		f.note, f.links = found[0], "backlinks"
		if m[1] != "to" && m[1] != "for" && !strings.Contains(strings.ToLower(m[0]), "backlink") {
			f.links = "outgoing"
		}
		return f, true
	case isTasks || alsoDueRE().MatchString(rest):
		take(tasksRE(), &rest)
		f.of, f.asked = "tasks", f.asked || !isTasks
		return f, s.readTasks(&f, rest)
	}
	return f, s.readNotes(&f, rest)
}

// readTasks reads which tasks are asked for. It returns false if the text is rather a question.
func (s *session) readTasks(f *filter, rest string) bool {
	f.state = "open"
	f.undated = take(undatedRE(), &rest) != nil
	overdue, due := take(overdueRE(), &rest) != nil, take(dueRE(), &rest) != nil
	written := rest
	f.when, rest = findSpan(rest, s.now)
	today := calendarSpan(midnight(s.now), "day", 0)
	switch {
	case overdue:
		f.when = span{to: today.from}
	case due && f.when.isZero():
		f.when = span{to: today.to}
	case !f.when.to.IsZero() && f.when.to.Before(s.now) && monthRE().MatchString(written) && !yearRE().MatchString(written):
		f.when.from, f.when.to = f.when.from.AddDate(1, 0, 0), f.when.to.AddDate(1, 0, 0)
	}
	switch {
	case take(openRE(), &rest) != nil:
	case take(doneRE(), &rest) != nil:
		f.state = "done"
	case !f.count && f.when.isZero() && take(allRE(), &rest) != nil && len(wordRE().FindAllString(rest, -1)) == 0:
		f.state = "all"
	}
	f.takeTags(&rest)
	s.takePlace(f, &rest)
	if m := take(underRE(), &rest); m != nil {
		f.heading = m[1]
	}
	take(notesRE(), &rest)
	f.keepWords(rest)
	return len(f.words) == 0 || f.asked && len(f.words) < 4 || f.state == "open" && len(f.words) == 1
}

// readNotes reads which notes are asked for. It returns false if the text is rather a question.
func (s *session) readNotes(f *filter, rest string) bool {
	switch {
	case take(brokenRE(), &rest) != nil:
		f.links = "unresolved"
	case take(orphansRE(), &rest) != nil:
		f.links = "orphans"
	}
	f.takeTags(&rest)
	if m := authorRE().FindStringSubmatch(rest); m != nil && s.keyNamed("author") == "author" {
		take(authorRE(), &rest)
		f.has = append(f.has, condition{name: "author", how: "=", value: strings.TrimSpace(m[1])})
	}
	for c := s.takeProperty(&rest); c != nil; c = s.takeProperty(&rest) {
		f.has = append(f.has, *c)
	}
	changed := take(changedRE(), &rest) != nil
	f.when, rest = findSpan(rest, s.now)
	recent := f.when.isZero() && take(recentRE(), &rest) != nil
	f.recent = changed || recent
	s.takePlace(f, &rest)
	named := take(notesRE(), &rest) != nil
	f.keepWords(rest)
	if f.links != "" {
		return len(f.words) == 0
	}
	s.takeKinds(f)
	filtered := f.folder != "" || len(f.has) > 0 || !f.when.isZero() || f.recent
	switch named = named || len(f.kinds) > 0; {
	case f.negated():
		return named && (filtered || len(f.words) < 4)
	case len(f.words) > 0:
		return false
	case named:
		return f.asked || filtered || len(f.kinds) > 0
	}
	return filtered && f.count || changed && (recent || !f.when.isZero())
}

// negated reports whether the words that were not understood exclude something.
func (f *filter) negated() bool { return slices.ContainsFunc(f.words, notRE().MatchString) }

// takeTags takes the tags from a text.
func (f *filter) takeTags(rest *string) {
	if take(noTagRE(), rest) != nil {
		f.has = append(f.has, condition{tag: true, not: true})
	}
	for m := take(tagsRE(), rest); m != nil; m = take(tagsRE(), rest) {
		f.has = append(f.has, condition{tag: true, name: m[3] + m[5], not: m[1]+m[4] != ""})
	}
}

// keepWords keeps the words of a text that are no filler.
func (f *filter) keepWords(rest string) {
	f.words = slices.DeleteFunc(wordRE().FindAllString(rest, -1), fillRE().MatchString)
}

// takePlace takes a folder, or a note for tasks, that stands after a preposition: the longest name there is.
func (s *session) takePlace(f *filter, rest *string) {
	for _, at := range placeRE().FindAllStringIndex(*rest, -1) {
		words := strings.Fields((*rest)[at[1]:])
		for n := min(len(words), longestSlot); n > 0; n-- {
			name := strings.Trim(strings.Join(words[:n], " "), `"“”,.?`)
			folders, notes := s.catalog.folder(name), []string(nil)
			if f.of == "tasks" {
				notes = s.catalog.note(name)
			}
			switch {
			case len(folders) > 0 && (len(notes) == 0 || !strings.HasSuffix(folded(name), "note")):
				f.folder = slices.MinFunc(folders, func(a, b string) int { return len(a) - len(b) })
			case len(notes) == 1:
				f.note = notes[0]
			default:
				continue
			}
			*rest = strings.TrimSpace((*rest)[:at[0]] + " " + strings.Join(words[n:], " "))
			return
		}
	}
}

// takeKinds moves the kinds of the notes ("quick recipes") from the words to the filter.
func (s *session) takeKinds(f *filter) {
	var rest []string
	for i, w := range f.words {
		if s.catalog.kinds[retrieval.Stem(folded(w))] && (i == 0 || !notRE().MatchString(f.words[i-1])) {
			f.kinds = append(f.kinds, strings.ToLower(w))
		} else {
			rest = append(rest, w)
		}
	}
	f.words = rest
}

// valueRE matches what follows the name of a property: "is 7", "over 5", ": jazz".
var valueRE = lazyregexp.New(`(?i)^(?:\s*(=|:|<=?|>=?|≤|≥)\s*|\s+(?:is\s+|are\s+|was\s+|of\s+|equals\s+|set to\s+)?(over|above|more than|at least|under|below|less than|at most)?\s*)["“]?([\p{L}\d][\p{L}\d._-]*(?: [\p{L}\d._-]+){0,3}?)["”]?(?:\s+or (more|better|higher|above|less|below|lower))?((?:\s+and\b.*)?)\s*$`)

// takeProperty takes a property with its value from the end of a text: "rating over 4", "without author".
func (s *session) takeProperty(rest *string) *condition {
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
			return &condition{name: key, how: cmp.Or(comparisons[strings.ToLower(m[1]+m[2]+m[4])], "="), value: m[3], not: not}
		}
	}
	return nil
}

// keyNamed returns the property that a word names, in any inflection, or "".
func (s *session) keyNamed(word string) string {
	if word == "rated" || word == "rate" {
		word = "rating"
	}
	key := s.catalog.keys[retrieval.Stem(word)]
	if key != word && retrieval.IsStopWord(word) {
		return ""
	}
	return key
}

var comparisons = map[string]string{
	"over": ">", "above": ">", "more than": ">", ">": ">", "under": "<", "below": "<", "less than": "<", "<": "<",
	"at least": "≥", ">=": "≥", "≥": "≥", "more": "≥", "better": "≥", "higher": "≥", "at most": "≤", "<=": "≤", "≤": "≤", "less": "≤", "lower": "≤",
}

// holds reports whether a value satisfies the condition.
func (c condition) holds(value string) bool {
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(c.value, 64)
	if errA != nil || errB != nil {
		has, wanted := retrieval.Words(text.Unmarked(value)), retrieval.Words(c.value)
		if n := len(has) - len(wanted); c.name == "author" && n > 0 {
			has = has[n:] // the last name
		}
		return c.how == "=" && slices.Equal(has, wanted)
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
