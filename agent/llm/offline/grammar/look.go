package grammar

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

var (
	tickRE  = pattern(`^(?:tick(?:\s+off)?|check\s+off|cross\s+off|complete|finish)\s+(?:the\s+)?(?:task\s+|to-?do\s+|item\s+)?(.+?)(?:\s+(?:in|from|on)\s+(.+))?$`)
	markRE  = pattern(`^mark\s+(?:the\s+)?(?:task\s+|to-?do\s+|item\s+)?(.+?)\s+(?:as\s+)?(?:done|complete|completed|finished|ticked)(?:\s+(?:in|from|on)\s+(.+))?$`)
	markIn  = pattern(`^mark\s+(?:the\s+)?(?:task\s+|to-?do\s+|item\s+)?(.+?)\s+in\s+(.+?)\s+as\s+(?:done|complete|completed|finished|ticked)$`)
	taskEnd = pattern(`\s+(?:task|to-?do|item)$`)
)

var tickOf = form(func(m []string) Command {
	return Command{Kind: Tick, Old: literal(taskEnd().ReplaceAllString(trimEnd(m[1]), "")), Note: NoteName(m[2])}
}, markIn, markRE, tickRE)

var (
	taskWords  = pattern(`\b(?:tasks?|to-?dos?|to do(?:s| list)?|action items?|open items|checkboxes|unfinished (?:items|things|business))\b`)
	taskStart  = pattern(`^(?:show|list|display|give|find|get|what|which|any|are there|do i have|how many|my|all|open|unfinished|outstanding|remaining|pending|overdue|due|incomplete|done|completed|finished|closed|tasks?|to-?dos?|the|see|view)\b`)
	todoRE     = pattern(`^what (?:do|did|must|should|have) (?:i|we) (?:still |got |need )*(?:have|need|got)?\s*(?:left )?to (?:do|get done|finish)\b(.*)$|^what(?:'s|’s| is| are)(?: still)? (?:left to do|left|outstanding|unfinished|overdue|due|open|pending|on my (?:plate|list|to-?do list))\b((?:\s+(?:in|for|from|on|today|this|next|tomorrow|by|before|after|until|between|within)\b.*)?)[\s?.!]*$|^what should i (?:do|work on|tackle)(?: next| now)?\b(.*)$`)
	taskScope  = pattern(`\b(?:in|from|for|of|on|about|under|inside|within)\s+(.+?)$`)
	taggedRE   = pattern(`(?:\b(?:tagged|with (?:the )?tags?|labelled|labeled|having (?:the )?tag)\s+(?:as\s+|with\s+)?)?#([\p{L}\d_/-]*[\p{L}_/-][\p{L}\d_/-]*)|\b(?:tagged|with the tag|with tag|labelled|labeled)\s+(?:as\s+|with\s+)?["“']?([\p{L}\d_/-]+)`)
	doneWords  = pattern(`\b(?:done|completed|finished|closed|ticked)\b`)
	dueRE      = pattern(`\b(?:overdue|due)\b`)
	wholeVault = retrieval.WordSet(`all vault notes everywhere everything all notes my notes the vault`)
	taskNot    = pattern(`\b(?:who|when|where|why|about|with)\b`)
	tasksOfRE  = pattern(`^(?:show(?: me)?|list|what are|give me)?\s*(?:all\s+)?(?:the\s+|my\s+)?(?:open\s+|unfinished\s+|remaining\s+|outstanding\s+|done\s+|completed\s+|finished\s+|pending\s+)*(.*)$`)
	notDone    = pattern(`\b(?:not|un|undone|isn't|aren't)\s*(?:done|completed|finished)`)
)

func tasksOf(s string, now time.Time) (Command, bool) {
	c := Command{Kind: Tasks}
	body := trimEnd(s)
	var rest string
	if m := submatches(body, todoRE); m != nil {
		rest = m[1] + m[2] + m[3]
	} else if taskWords().MatchString(mask(body)) && taskStart().MatchString(body) && len(strings.Fields(body)) <= 14 {
		at := taskWords().FindStringIndex(mask(body))
		if before := body[:at[0]]; taskNot().MatchString(before) {
			return Command{}, false
		} else if m := submatches(before, tasksOfRE); m != nil {
			if name := strings.TrimSpace(m[1]); name != "" && !fillers().MatchString(name) {
				c.Note = NoteName(strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")) // "show the Heron tasks"
			}
		}
		rest = body[at[1]:]
		c.Done = doneWords().MatchString(mask(body)) && !notDone().MatchString(body)
		if words := strings.Fields(rest); len(words) > 0 && strings.EqualFold(words[0], "list") {
			rest = strings.TrimSpace(rest)[len(words[0]):]
		}
	} else {
		return Command{}, false
	}
	if m := taggedRE().FindStringSubmatch(body); m != nil {
		c.Tag = m[1] + m[2]
		rest = taggedRE().ReplaceAllString(rest, "")
		if c.Note != "" && strings.Contains(c.Note, "#") {
			c.Note = ""
		}
	}
	if dueRE().MatchString(body) {
		c.Topic = "due"
	}
	c.When, rest = FindTime(rest, now, false)
	if c.When.IsZero() && strings.Contains(strings.ToLower(body), "overdue") {
		c.When = Range{From: time.Date(1970, 1, 1, 0, 0, 0, 0, now.Location()), To: Midnight(now), Words: "overdue"}
	}
	c.lookAhead(now)
	if m := submatches(strings.TrimSpace(rest), taskScope); m != nil {
		place := trimEnd(m[1])
		if !wholeVault()[strings.ToLower(place)] && place != "" {
			c.Sure = saysFolder().MatchString(mask(place))
			c.Note = NoteName(stripFolder(place))
		}
	}
	if wholeVault()[strings.ToLower(c.Note)] {
		c.Note = ""
	}
	c.Ignored = c.ignored(body)
	return c, true
}

// lookAhead takes a month without a year, or a weekday, for the next one: what is due lies ahead.
func (c *Command) lookAhead(now time.Time) {
	if c.Done || c.When.IsZero() || !bareAhead().MatchString(c.When.Words) {
		return
	}
	end := &c.When.To
	if end.Year() == farOff.Year() {
		end = &c.When.From
	}
	years, days := 1, 0
	if weekdayIn().MatchString(c.When.Words) {
		years, days = 0, 7
	}
	for !end.After(now) {
		if both := c.When.From.Year() != longAgo.Year() && end == &c.When.To; both {
			c.When.From = c.When.From.AddDate(years, 0, days)
		}
		*end = end.AddDate(years, 0, days)
	}
}

var (
	// bareAhead is a month without a year or a weekday, alone or as a bound.
	bareAhead = pattern(`^(?:(?:in|during|for|on|before|until|till|up to|by|no later than|after|later than)\s+)?(?:` + monthWord + `|` + weekdayWord + `)$`)
	weekdayIn = pattern(`\b` + weekdayWord + `$`)
)

// ignored are the words of a request for tasks that narrow them down and are not followed.
func (c *Command) ignored(body string) string {
	known := taskFillers().ReplaceAllString(" "+strings.ToLower(body)+" ", " ")
	used := " " + strings.ToLower(strings.Join([]string{c.Note, c.Tag, c.When.Words}, " ")) + " "
	return strings.Join(slices.DeleteFunc(retrieval.ContentWords(known), func(w string) bool { return strings.Contains(used, w) }), " ")
}

var taskFillers = pattern(`\b(?:tasks?|to-?dos?|to do|action|items?|lists?|checkboxes|unfinished|business|things?|open|done|completed|finished|closed|ticked|outstanding|remaining|pending|overdue|due|incomplete|left|plate|work|tackle|current|tagged|tags?|labell?ed|display|view|folder|directory|dates?|not|yet|undone)\b`)

var fillers = pattern(`^(?:(?:what|which|any|are|is|there|do|i|have|how|many|me|of|my|the|all|still|open|a|list|your|our|see|view|get|find|display|overdue|due|incomplete|pending|outstanding|remaining|closed|done|finished|completed|unfinished|current|to)\b\s*)+$`)

var (
	recentRE    = pattern(`^(?:what|which)\s+(?:<NOTE>\s+|pages?\s+|have\s+|has\s+)?(?:did|have|had|has|was|were|i|got)\b.*\b(?:chang|edit|modif|updat|touch|work|writ|wrote|creat|add|dated)\w*|^what(?:'s| is| has|’s)?\s+(?:new|changed)\b|^(?:show|list|display|give|see|get|what are|which are|what were)?\s*(?:me\s+)?(?:the\s+|my\s+|all\s+)*(?:most\s+)?(?:recent(?:ly)?|latest|newest|last(?:\s+(\d+|few|couple of))?)\s+(?:changed\s+|edited\s+|modified\s+|updated\s+|created\s+|touched\s+|opened\s+)?(?:<NOTE>|changes|edits|activity|work)\b|^(?:show|list|display|give|see|get)?\s*(?:me\s+)?(?:the\s+|my\s+|all\s+)*<NOTE>\s+(?:that\s+|which\s+)?(?:i\s+|were\s+|was\s+|have been\s+)?(?:from|of|changed|edited|modified|updated|created|written|wrote|touched|since)\b|^recent(?:ly)?\b.*|^(?:show|list)(?: me)? recent\w*\b.*`)
	notRecent   = pattern(`\b(?:about|regarding|concerning|to|for|with)\s+\S+`)
	activityRE  = pattern(`\b(?:chang|edit|modif|updat|touch|writ|wrote|creat|recent|latest|newest|new\b|work)`)
	recentWords = pattern(`\b(?:recent|latest|newest|last|new|changed|did i (?:change|edit|modify|update|touch)|work(?:ed|ing)? on)`)
)

// Written is the Topic of a Recent command for what was written in a time, rather than changed.
const Written = "written"

var changedRE = pattern(`\b(?:chang|edit|modif|updat|touch)`)

func recentOf(s string, now time.Time) (Command, bool) {
	m := recentRE().FindStringSubmatch(s)
	if m == nil {
		return Command{}, false
	}
	when, rest := FindTime(s, now, true)
	if notRecent().MatchString(rest) || when.IsZero() && m[1] == "" && (!activityRE().MatchString(rest) || !recentWords().MatchString(rest)) {
		return Command{}, false
	}
	c := Command{Kind: Recent, When: when}
	if !changedRE().MatchString(rest) {
		c.Topic = Written
	}
	if n, err := strconv.Atoi(m[1]); err == nil {
		c.Limit = min(max(n, 1), 100)
		if when.Words != "" && strings.HasPrefix(when.Words, "last") {
			c.When = Range{}
		}
	}
	return c, true
}

var countRE = pattern(`^how many\s+<NOTE>\b(?:\s+(?:do (?:i|we) have|are there|have i got|exist))?(?:\s+(?:are\s+)?(?:there\s+)?(?:in|inside|under|from)\s+(.+?))?(?:\s+(?:are\s+)?(?:tagged|with (?:the )?tag)\s+#?(\S+?))?[\s?.!]*$`)

var countOf = form(func(m []string) Command {
	c := Command{Kind: Count, Folder: folderName(m[1]), Tag: m[2]}
	if low := strings.ToLower(c.Folder); low == "vault" || low == "total" {
		c.Folder = ""
	}
	return c
}, countRE)

var (
	listRE   = pattern(`^(?:list|show(?:\s+me)?|give\s+me|what\s+are|which\s+are|display|browse|see|ls)\s+(?:(?:an?|the)\s+(?:full\s+|complete\s+)?list\s+of\s+)?(?:all\s+|of\s+|my\s+|the\s+|every\s+)*(?:<NOTE>|folders?|directories|everything|contents?|subfolders?)(?:\s+(?:that\s+are\s+|are\s+)?(?:there\s+)?(?:in|inside|from|under|of|within)\s+(.+?))?[\s?.!]*$`)
	listInRE = pattern(`^what(?:'s|’s|\s+is|\s+notes?\s+(?:are|do\s+i\s+have)|\s+files?\s+(?:are|do\s+i\s+have))?\s*(?:there\s+)?(?:in|inside|under)\s+(.+?)(\s+<FOLDER>)[\s?.!]*$`)
	listSoft = pattern(`^what(?:'s|’s|\s+is)\s+(?:in|inside)\s+(?:the\s+|my\s+)?(.+?)[\s?.!]*$`)
	listHave = pattern(`^(?:what|which)\s+(?:<NOTE>|folders?)\s+(?:do\s+i\s+have|are\s+there|exist|are)(?:\s+(?:in|inside|under)\s+(.+?))?[\s?.!]*$`)
	listName = pattern(`^(?:list|ls|browse|(?:(?:give|show|get)(?:\s+me)?\s+)?(?:an?|the)\s+(?:full\s+|complete\s+)?list\s+of|(?:show|give)(?:\s+me)?\s+all)\s+(?:(?:all|of|my|our|the|every)\s+)*(.+?)(?:\s+(?:<FOLDER>|<NOTE>))?[\s?.!]*$`)
	openDir  = pattern(`^(?:show|open|display|view)(?:\s+me)?\s+(.+?)\s+<FOLDER>[\s?.!]*$`)
	tagsRE   = pattern(`^(?:(?:list|show(?:\s+me)?|find|which|what|give\s+me|all|my|the)\s+)*(?:<NOTE>|everything|things)?\s*(?:are\s+|that\s+are\s+|is\s+)?(?:tagged|with\s+(?:the\s+)?tags?|labelled|labeled|having\s+the\s+tag)\s+(?:as\s+|with\s+)?["“']?#?([\p{L}\d_/-]+)["”']?[\s?.!]*$`)
	tagAlone = pattern(`^(?:(?:list|show(?: me)?|find)\s+)?#([\p{L}\d_/-]+)(?:\s+notes?)?\s*$`)
	listNot  = pattern(`\b(?:about|that|which)\b`)
	folders  = pattern(`^\W*(?:\w+\s+){0,4}?(?:sub)?(?:folders|directories)\b`)
)

// tagsAllRE asks for the tags in use.
const tagsAllRE = `^(?:(?:list|show|show me|what are|give me|which are)\s+)?(?:all\s+|all of\s+)?(?:my\s+|the\s+)?tags(?:\s+(?:do i (?:have|use)|are there|i use))?[\s?.!]*$|^(?:what|which) tags (?:do i (?:have|use)|are there|exist)[\s?.!]*$`

func listOf(s string, now time.Time) (Command, bool) {
	for _, re := range []expression{tagsRE, tagAlone} {
		if m := re().FindStringSubmatch(s); m != nil {
			return Command{Kind: List, Tag: m[1]}, true
		}
	}
	if m := submatches(s, listRE, listInRE, listHave, openDir); m != nil {
		what := map[bool]string{true: "folders"}[folders().MatchString(s)] // and not notes
		return Command{Kind: List, Folder: vaultRoot(folderName(m[1])), Sure: true, Topic: what}, true
	}
	if m := submatches(s, listSoft); m != nil && len(strings.Fields(m[1])) <= 3 {
		return Command{Kind: List, Folder: vaultRoot(folderName(m[1]))}, true
	}
	if m := submatches(s, listName); m != nil && !listNot().MatchString(m[1]) {
		if when, _ := FindTime(m[1], now, true); when.IsZero() { // "all meetings in November" is a question
			return Command{Kind: List, Folder: folderName(m[1])}, true
		}
	}
	return Command{}, false
}

func vaultRoot(folder string) string {
	switch strings.ToLower(folder) {
	case "vault", "root", "here", "my vault", "everything", "all":
		return ""
	}
	return folder
}

var summariseRE = pattern(`^(?:summari[sz]e|sum up|tl;?dr|digest|recap|outline)\s*:?\s+(?:of\s+)?(.+?)[\s?.!]*$|^(?:give me |show me |write |make |get )?(?:an?\s+|the\s+)?(?:short\s+|brief\s+|quick\s+)?(?:summary|overview|gist|recap|digest|synopsis|key points|main points|highlights|tl;?dr)\s+(?:of|for|from|about)\s+(.+?)[\s?.!]*$|^what(?:'s|’s| is| are) (?:the )?(?:gist|key points|main points|summary|highlights) (?:of|in)\s+(.+?)[\s?.!]*$`)

var summariseOf = form(func(m []string) Command {
	return Command{Kind: Summarise, Note: NoteName(stripFolder(m[1] + m[2] + m[3])), Sure: saysFolder().MatchString(mask(m[0]))}
}, summariseRE)

var linksRE = pattern(`^(?:what|which(?:\s+<NOTE>)?|who|show(?: me)? what|find what)\s+(?:links?|refers?|points?)\s+(?:back\s+)?to\s+(.+?)[\s?.!]*$|^(?:show(?: me)?\s+|list\s+|find\s+|what are\s+)?(?:all\s+)?(?:the\s+)?(?:backlinks|incoming links|links|references)\s+(?:to|of|for)\s+(.+?)[\s?.!]*$`)

var (
	unresolvedRE = pattern(`^(?:show(?: me)?\s+|list\s+|find\s+|what are\s+|which are\s+|are there(?: any)?\s+|do i have(?: any)?\s+)?(?:all\s+)?(?:the\s+|my\s+)?(?:broken|dead|dangling|unresolved)\s+links[\s?.!]*$|^(?:which|what)\s+links\s+(?:are\s+(?:broken|dead|unresolved)|lead\s+nowhere|go\s+nowhere)[\s?.!]*$`)
	orphansRE    = pattern(`^(?:show(?: me)?\s+|list\s+|find\s+|what are\s+|which are\s+|are there(?: any)?\s+|do i have(?: any)?\s+)?(?:all\s+)?(?:the\s+|my\s+)?(?:orphan(?:ed|s)?(?:\s+<NOTE>)?|unlinked\s+<NOTE>)[\s?.!]*$|^(?:which|what)\s+<NOTE>\s+(?:are\s+(?:orphan(?:s|ed)|not\s+linked|unlinked)|have\s+no\s+(?:back)?links)[\s?.!]*$`)
	outlineRE    = pattern(`^(?:show(?: me)?\s+|give me\s+|list\s+|get\s+|what(?:'s|’s| is| are)\s+)?(?:all\s+)?(?:an?\s+|the\s+)?(?:outline|headings|table of contents|structure)\s+(?:of|in)\s+(.+?)[\s?.!]*$|^(?:what|which)\s+headings\s+(?:are in|does)\s+(.+?)(?:\s+have)?[\s?.!]*$`)
)

var infoRE = pattern(`^when (?:was|did i|have i)\s+(?:last\s+)?(?:change|edit|modify|update|create)?\s*(.+?)\s+(?:last\s+)?(?:changed|edited|modified|updated|created|written|touched)[\s?.!]*$|^(?:file\s+)?(?:info|details|metadata|properties)\s+(?:on|of|for|about)\s+(?:the\s+)?(?:note|file|folder)\s+(.+?)[\s?.!]*$|^how (?:big|large|long) is\s+(?:the\s+)?(?:note|file)\s+(.+?)[\s?.!]*$|^how (?:big|large|long) is\s+(\x00+|it)[\s?.!]*$`)

var findRE = pattern(`^(?:search(?:\s+(?:my\s+|the\s+)?(?:notes|vault))?(?:\s+for)?|find|grep|look\s+for|where\s+(?:did|do|have)\s+i\s+(?:mention|write|say|use)(?:ed)?|which\s+<NOTE>\s+(?:mentions?|contains?|have|has|says?)|what\s+<NOTE>\s+(?:mentions?|contains?)|<NOTE>\s+(?:mentioning|containing)|where\s+is)\s+(?:the\s+(?:word|words|phrase|text|string)\s+|all\s+mentions\s+of\s+|mentions\s+of\s+|every\s+mention\s+of\s+|any\s+mention\s+of\s+)?(\x00+)(?:\s+(?:mentioned|in\s+my\s+notes|in\s+the\s+vault|written))?[\s?.!]*$|^(?:grep|which\s+<NOTE>\s+(?:mentions?|contains?)|find\s+(?:all\s+|every\s+|any\s+)?mentions?\s+of|search\s+for\s+the\s+(?:word|words|phrase|text))\s+(?:the\s+(?:word|words|phrase|text|string)\s+)?(.+?)[\s?.!]*$`)

var findOf = form(func(m []string) Command { return Command{Kind: Find, Old: literal(m[1] + m[2])} }, findRE)

var (
	showRE    = pattern(`^(?:show|open|read|display|view|print|cat|pull up|bring up|let me (?:see|read)|see|go to|get|load)\s+(?:me\s+)?(?:all of\s+)?(.+?)[\s?.!]*$`)
	dailyIn   = pattern(`^what(?:'s|’s| is| stands| did i write)(?: written)? (?:in|on) ((?:today|yesterday)(?:'s|’s)? (?:daily )?(?:note|entry|journal|page)|(?:the|my) daily note(?: (?:of|for|from) .+?)?)[\s?.!]*$`)
	noteAbout = pattern(`^(?:the|my|that)\s+(?:note|file|page|document)\s+(?:about|on|regarding|with|that mentions|mentioning)\s+(.+?)$`)
	showOut   = pattern(`\b(?:about|related to|that mention|regarding)\b|^(?:everything|anything|something|all|how|what|where|when|why|who)\b`)
	noteWord  = pattern(`\b<NOTE>\b`)
)

// dailyNoteOf is "what is in today's note?", which asks for no list.
var dailyNoteOf = form(func(m []string) Command {
	return Command{Kind: Show, Note: NoteName(m[1]), Sure: true, Topic: trimEnd(m[1])}
}, dailyIn)

func showOf(s string, _ time.Time) (Command, bool) {
	m := submatches(s, showRE)
	if m == nil {
		return Command{}, false
	}
	if about := submatches(m[1], noteAbout); about != nil {
		return Command{Kind: Question, Topic: trimEnd(about[1]), Sure: true}, true
	}
	if showOut().MatchString(mask(m[1])) {
		return Command{}, false
	}
	name := NoteName(m[1])
	_, isQuoted := quoted(trimEnd(m[1]))
	return Command{Kind: Show, Note: name, Sure: isQuoted || noteWord().MatchString(mask(m[1])), Topic: trimEnd(m[1])}, name != ""
}
