package grammar

import (
	"strings"
	"time"

	"chatvault/agent/llm/offline/retrieval"
)

var (
	makeFolderRE = pattern(`^(?:create|make|add|start|new|set up)\s+(?:me\s+)?(?:a\s+|an\s+|another\s+|the\s+)?(?:new\s+|empty\s+)*(?:sub-?)?<FOLDER>s?\s*(?:called|named|titled|for|:)?\s+(.+)$`)
	makeFolderQ  = pattern(`^(?:create|make|add)\s+(?:the\s+|a\s+|an?\s+new\s+)?(.+?)\s+<FOLDER>(?:\s+(?:in|inside|under|within)\s+(.+))?$`)
	inParent     = pattern(`^(.+?)\s+(?:in|inside|under|within)\s+(.+)$`)
)

func makeFolderOf(s string, _ time.Time) (Command, bool) {
	m := submatches(s, makeFolderRE)
	parent := ""
	if m == nil {
		if m = submatches(s, makeFolderQ); m == nil || createRE().MatchString(mask(s)) {
			return Command{}, false
		}
		parent = m[2]
	}
	name := m[1]
	if strings.Contains(name, "\n") || name == strings.ToLower(name) && onlyArticles().MatchString(mask(name)) {
		return Command{}, false
	}
	if p := submatches(name, inParent); p != nil && parent == "" {
		name, parent = p[1], p[2]
	}
	folder := folderName(name)
	if parent != "" {
		folder = folderName(parent) + "/" + folder
	}
	return Command{Kind: MakeFolder, Folder: strings.Trim(folder, "/")}, folder != ""
}

// onlyArticles is what stands before a name that is missing.
var onlyArticles = pattern(`^(?:(?:an?|the|my|new|empty|another|some|called|named)\s*)+$`)

var (
	createRE     = pattern(`^(?:create|make|start|write|add|new|draft|begin|set up|take|jot down|prepare)\s+(?:me\s+|up\s+)?(?:an?\s+|another\s+|the\s+)?(?:new\s+|blank\s+|empty\s+|quick\s+|short\s+|markdown\s+)*((?:[\w\x00-]+\s+){0,2}?)(?:<NOTE>|entry)\b(?:\s+(?:called|named|titled|with (?:the )?(?:title|name)|entitled))?(.*)$`)
	createKindRE = pattern(`^(?:create|make|start|write|add|draft)\s+(?:me\s+)?(?:an?|another)\s+(?:new\s+)?([\w-]+(?:\s+[\w-]+)?)\s+(?:called|named|titled|entitled)\s+(.+)$`)
	bareCreateRE = pattern(`^(?:create|draft|make|start)\s+(\x00+.*)$|^(?:create|draft)\s+(\S*/\S.*|\S.*\.md\b.*)$`)
	thatRE       = pattern(`^(?:make|take|write|add)\s+(?:a\s+|another\s+)?(?:quick\s+)?note\s+(?:that|to self|of(?: the fact that)?)[,:]?\s+(.+)$|^(?:note|remember|jot down|write down|note down|record)\s+(?:that\s+|to self[,:]?\s+|this[,:]\s+|down[,:]?\s+)(.+)$|^(?:jot|write|note)\s+down\s+(.+)$|^note to self[,:]?\s+(.+)$|^(?:save|store|keep)\s+(?:this|the following)\s*:\s*(.+)$`)
	bodyMark     = pattern(`(?:\s+(?:with|containing|having|including)\s+(?:the\s+)?(?:following\s+)?(?:text|contents?|body|words?|line|sentence|message)\s*:?\s+|\s+(?:that|which)\s+(?:says?|reads?|contains)\s*:?\s+|\s+(?:saying|containing)\s*:?\s+|\s+reading\s*:\s+|\s+and\s+(?:write|put|add)\s+(?:in\s+it\s+)?|\s*:\s*\n|\s*:\s+|\s*\n+)`)
	withMark     = pattern(`\s+(?:with|including|listing)\s+`)
	itemsMark    = pattern(`^(?:(?:the|a|an|some)\s+)?(?:following\s+)?(?:(?:check)?list of\s+|(?:list )?items?|ingredients|steps|bullets?|bullet points|points|tasks?|to-?dos?|(?:a )?checklist)\b(?:\s+(?:of|for|to|:))*\s*:?\s+(.+)$`)
	tasksWord    = pattern(`^(?:(?:the|a|an|some)\s+)?(?:following\s+)?(?:checklist|tasks?|to-?dos?)`)
	folderAtEnd  = pattern(`^(.*?)\s*\b(?:in|inside|under|into|within)\s+(?:the\s+|my\s+|our\s+)?([^,\n]+?)(\s+<FOLDER>)?\s*$`)
	toFolder     = pattern(`^(.+?)\s+to\s+(the\s+.+?\s+<FOLDER>|my\s+.+|[A-Z\x00][^\s]*)$`)
	namingWords  = pattern(`^(?:called|named|titled|entitled|about|on|for|with (?:the )?(?:title|name))\s+`)
	calledEnd    = pattern(`\s+(?:called|named|titled)$`)
	folderCalled = pattern(`^(.+?)\s+(?:called|named|titled)\s+(.+)$`)
)

// saysThat recognises a statement to be noted: where it speaks of places, they are its own.
var saysThat = pattern(`^(?:make|take|write|add|note|remember|jot down|write down|note down|record)\s+(?:an?\s+|another\s+)?(?:quick\s+)?(?:note\s+)?(?:that|to self)\b|^(?:save|store|keep|note|record|remember)\s+(?:this|the following)\s*:`)

func createOf(s string, _ time.Time) (Command, bool) {
	if m := submatches(s, thatRE); m != nil {
		if body := literal(strings.Join(m[1:], "")); body != "" {
			if !saysThat().MatchString(s) && addTargetRE().MatchString(mask(" "+body)) {
				return Command{}, false // "jot down X in Y" adds to Y
			}
			return Command{Kind: Create, Body: body}, true
		}
	}
	var kind, tail string
	named := false
	if m := submatches(s, createRE); m != nil {
		kind, tail, named = strings.TrimSpace(m[1]), m[2], true
		if articleOnly()[strings.ToLower(kind)] || severalWord().MatchString(kind) || strings.Contains(strings.ToLower(" "+kind+" "), " to ") || addsTo().MatchString(mask(s)) {
			return Command{}, false
		}
		if q, ok := quoted(kind); ok && q != "" {
			kind, tail = "", " "+strings.TrimSpace(m[1])+tail // create the "X" note in Y
		}
	} else if m := submatches(s, createKindRE); m != nil {
		if notANote().MatchString(m[1]) {
			return Command{}, false
		}
		kind, tail, named = m[1], " "+m[2], true
	} else if m := submatches(s, bareCreateRE); m != nil {
		tail = " " + m[1] + m[2]
	} else {
		return Command{}, false
	}
	c := newNote(tail, kind, named)
	return c, c.Title != "" || c.Body != "" || named
}

// notANote are kinds of things that are put into notes, or are none.
var notANote = pattern(`\b(?:section|heading|header|subheading|task|to-?do|item|bullet|line|paragraph|sentence|checkbox|reminder|folder|directory|tag|link)s?\b`)

// addsTo recognises "add a note to X": text for a note, not a new note.
var addsTo = pattern(`^(?:add|write|put)\s+(?:a\s+)?(?:quick\s+)?note\s+(?:to|in|under|on)\s+(?:the\s+)?(?:note\s+)?\S+.*:`)

// severalWord is a number of notes to be made: which, it is not safe to guess.
var severalWord = pattern(`^(?:two|three|four|five|six|several|some|many|\d+)$`)

var articleOnly = retrieval.WordSet(`in to my this that existing`)

// newNote reads what follows "create a note": title, folder and text, in any usual order.
func newNote(tail, kind string, named bool) Command {
	c := Command{Kind: Create}
	head, body := splitBody(tail)
	if strings.TrimSpace(head) == "" && body != "" && !strings.Contains(body, "\n") && len(strings.Fields(body)) <= 8 {
		head, body = body, "" // "create a note: Title"
		if h, b := splitBody(" " + head); strings.TrimSpace(h) != "" {
			head, body = h, b
		}
	}
	head = strings.TrimSpace(namingWords().ReplaceAllString(strings.TrimSpace(head), ""))
	whole := head
	if m := submatches(head, toFolder); m != nil {
		head = m[1] + " in " + m[2] // "add a note called X to Travel"
	}
	if m := submatches(head, folderAtEnd); m != nil {
		title, folder := strings.TrimSpace(m[1]), folderName(m[2])
		said := m[3] != "" || strings.Contains(m[2], "/") || title == "" && head[0] >= 'a' // "in Travel", not "Into the Wild"
		_, isQuoted := quoted(title)
		c.Folder, c.Sure = folder, said || isQuoted
		if !c.Sure {
			c.Whole = titleOf(whole)
		}
		head = strings.TrimSpace(calledEnd().ReplaceAllString(title, ""))
		if rest := submatches(folder, folderCalled); rest != nil && head == "" {
			c.Folder, head = folderName(rest[1]), rest[2] // "in Travel called Packing"
		}
	}
	c.Title = titleOf(head)
	if c.Title == "" && kind != "" && named {
		c.Title = titleOf(kind)
	}
	if kind != "" && c.Folder == "" {
		c.Tag = strings.ToLower(kind) // what kind of note it is: a hint where it belongs
	}
	if m := itemsMark().FindStringSubmatch(body); m != nil {
		c.Form = Items
		if tasksWord().MatchString(body) {
			c.Form = Task
		}
		body = m[1]
	}
	c.write(body)
	return c
}

func titleOf(s string) string {
	s = strings.TrimSpace(s)
	if q, ok := quoted(strings.TrimRight(s, trailingDots)); ok {
		return q
	}
	return strings.Trim(trimEnd(s), "\"“”")
}

// splitBody finds where the text of a new note begins.
func splitBody(tail string) (head, body string) {
	masked := mask(tail)
	head, body = tail, ""
	at := bodyMark().FindStringIndex(masked)
	if at != nil {
		head, body = tail[:at[0]], tail[at[1]:]
	}
	with := withMark().FindStringIndex(masked)
	if with == nil || at != nil && with[0] >= at[0] {
		return head, body
	}
	before, after := tail[:with[0]], tail[with[1]:]
	if at == nil {
		if titleGoesOn(before, after) {
			return head, ""
		}
		return before, after
	}
	line := "" // what follows "with" up to the mark
	if with[1] < at[0] {
		line = tail[with[1]:at[0]]
	}
	lineEnd := strings.TrimSpace(tail[at[0]:at[1]]) == ""
	switch {
	case line != "" && itemsMark().MatchString(line+": x"):
		return before, line + ": " + body
	case lineEnd && (line == "" || !titleGoesOn(before, line)), !lineEnd && line != "" && inFolder(before):
		return before, after // the text runs on over the line ends
	}
	return head, body
}

// inFolder says whether what comes before "with …" names a title and a folder already.
func inFolder(before string) bool {
	return folderAtEnd().MatchString(mask(before)) && strings.TrimSpace(before) != ""
}

// titleGoesOn says whether "with …" is a part of the title, as in "Meeting with Ana".
func titleGoesOn(before, after string) bool {
	if inFolder(before) {
		return false
	}
	if strings.HasPrefix(mask(after), "\x00") || strings.Contains(after, ",") || itemsMark().MatchString(after) {
		return false
	}
	if strings.HasSuffix(mask(strings.TrimSpace(before)), "\x00") {
		return false
	}
	words := strings.Fields(after)
	return 0 < len(words) && len(words) <= 4 && 'A' <= words[0][0] && words[0][0] <= 'Z'
}

var (
	replaceRE   = pattern(`^(?:replace|substitute|swap|exchange)\s+(?:out\s+)?(.+?)\s+(?:with|by|for)\s+(.+?)(?:\s+(?:in|inside|within|of|throughout)\s+(?:the\s+(?:whole\s+)?)?(.+))?$`)
	changeRE    = pattern(`^(?:change|correct|fix|update|turn|edit|modify|amend)\s+(.+?)\s+(?:to|into|->|→|=>)\s+(.+?)(?:\s+(?:in|inside|within|of|throughout)\s+(.+))?$`)
	changeInRE  = pattern(`^(?:change|correct|fix|update|edit|modify)\s+(.+?)\s+(?:in|inside|of)\s+(.+?)\s+(?:to|with|by|into|->|→)\s+(.+)$`)
	everywhere  = pattern(`\s*\b(?:everywhere|throughout|all (?:the )?(?:occurrences|instances|mentions) of|(?:every|each) (?:occurrence|instance|mention) of)\b\s*`)
	partOfText  = pattern(`^(?:the\s+)?(?:word|words|text|phrase|line|sentence|string|typo|name)\s+`)
	titleChange = pattern(`^(?:change|update|edit|set)\s+(?:the\s+)?(?:name|title|filename|file name)\s+of\s+(.+?)\s+(?:to|into)\s+(.+)$`)
)

func replaceOf(s string, _ time.Time) (Command, bool) {
	if titleChange().MatchString(s) {
		return Command{}, false
	}
	c := Command{Kind: Replace}
	m := submatches(s, replaceRE, changeRE)
	if m == nil {
		return Command{}, false
	}
	old, new, note := m[1], m[2], m[3]
	if n := submatches(s, changeInRE); n != nil && note == "" {
		old, note, new = n[1], n[2], n[3]
	}
	if everywhere().MatchString(mask(s)) {
		c.All = true
		old, new, note = dropEverywhere(old), dropEverywhere(new), dropEverywhere(note)
	}
	c.Old = literal(partOfText().ReplaceAllString(strings.TrimSpace(old), ""))
	c.New = literal(partOfText().ReplaceAllString(strings.TrimSpace(new), ""))
	c.Note = It
	if n := NoteName(note); n != "" {
		c.Note = n
	}
	return c, c.Old != ""
}

func dropEverywhere(s string) string {
	if strings.Contains(mask(s), "\x00") {
		at := everywhere().FindStringIndex(mask(s))
		if at == nil {
			return s
		}
		return s[:at[0]] + " " + s[at[1]:]
	}
	return strings.TrimSpace(everywhere().ReplaceAllString(s, " "))
}

var renameRE = pattern(`^(?:rename|retitle|re-name)\s+(.+?)\s+(?:to|as|into|->|→)\s+(.+)$`)

var renameOf = form(func(m []string) Command {
	return Command{Kind: Rename, Note: NoteName(stripFolder(m[1])), Sure: saysFolder().MatchString(mask(m[1])), To: titleOf(m[2])}
}, renameRE, titleChange)

var folderFirst = pattern(`^(?:the\s+|my\s+)?(?:folder|directory)\s+(?:called\s+|named\s+)?|\s+(?:folder|directory)$`)

// stripFolder drops the word "folder" beside a name.
func stripFolder(s string) string {
	return strings.TrimSpace(folderFirst().ReplaceAllString(strings.TrimSpace(s), ""))
}

var (
	moveRE    = pattern(`^(?:move|shift|relocate|transfer|drag|file)\s+(.+?)\s+(?:to|into|in|under|inside)\s+(.+)$`)
	moveBack  = pattern(`^(?:move|shift|transfer)\s+(.+?)\s+(back(?: again)?)[.!]*$`)
	moveThere = pattern(`^(?:move|shift|relocate|transfer|drag)\s+((?:\S+\s+){0,5}?\S+)\s+(there)[.!]*$`)
	archiveRE = pattern(`^archive\s+(.+)$`)
)

var archiveOf = form(func(m []string) Command {
	return Command{Kind: Move, Note: NoteName(stripFolder(m[1])), To: "Archive"}
}, archiveRE)

var moveOf = form(func(m []string) Command {
	return Command{Kind: Move, Note: NoteName(stripFolder(m[1])), Sure: folderFirst().MatchString(strings.TrimSpace(m[1])), To: folderName(m[2])}
}, moveBack, moveThere, moveRE)

var putRE = pattern(`^put\s+(.+?)\s+(?:in|into|inside|under)\s+(.+)$`)

// putOf reads "put X in Y" as a move of X, and as text X for the note Y.
func putOf(s string, now time.Time) (Command, bool) {
	m := submatches(s, putRE)
	if m == nil {
		return Command{}, false
	}
	move := Command{Kind: Move, Note: NoteName(stripFolder(m[1])), To: folderName(m[2])}
	add, ok := addOf(s, now)
	if ok && newTarget().MatchString(mask(m[2])) {
		return add, true
	}
	if !ok {
		return move, true
	}
	if _, isQuoted := quoted(m[1]); isQuoted && !saysFolder().MatchString(mask(m[2])) {
		return add, true
	}
	move.Others = append([]Command{add}, add.Others...)
	return move, true
}

var (
	removeFromRE = pattern(`^(?:remove|delete|drop|take out|cut|strike|erase|take)\s+(.+?)\s+(?:from|out of)\s+(.+)$`)
	removeLineRE = pattern(`^(?:remove|delete|drop|strike|erase)\s+(?:the\s+)?(?:line|text|word|words|sentence|phrase|task|item|bullet)s?\s+(\x00+)\s*$`)
	dailyOf      = pattern(`^(?:the\s+|my\s+)?(?:daily\s+(?:note|page|entry)|journal(?:\s+entry)?|diary(?:\s+entry)?)$`)
	lineWord     = pattern(`^(?:the\s+)?(?:line|text|words?|sentence|paragraph|task|item|bullet|entry|phrase)s?\s+(?:about\s+)?`)
	lineNumber   = pattern(`^(?:the\s+)?lines?\s+\d`) // which no text stands for
	wholeLine    = pattern(`^(?:the\s+)?(?:whole\s+)?(?:lines?|sentences?|paragraphs?|tasks?|items?|bullets?|entry|entries)\s`)
	removeWhole  = pattern(`^\S+\s+(?:the\s+)?(?:lines?|sentences?|tasks?|items?|bullets?)\s`)
	deleteRE     = pattern(`^(?:delete|remove|trash|bin|erase|get rid of|throw away|throw out|discard|scrap)\s+(.+)$`)
)

func removeOf(s string, _ time.Time) (Command, bool) {
	if m := submatches(s, removeFromRE); m != nil && !lineNumber().MatchString(m[1]) {
		if dailyOf().MatchString(m[1]) { // "the daily note from 2 November"
			return Command{Kind: Delete, Note: "daily note from " + NoteName(m[2])}, true
		}
		note := NoteName(m[2])
		if low := strings.ToLower(note); low == "vault" || low == "my vault" {
			return Command{Kind: Delete, Note: NoteName(m[1])}, true
		}
		c := Command{Kind: Remove, Old: literal(lineWord().ReplaceAllString(m[1], "")), Note: note, All: wholeLine().MatchString(m[1])}
		c.Verbatim = c.Old != strings.TrimSpace(lineWord().ReplaceAllString(m[1], ""))
		if saysFolder().MatchString(mask(m[2])) { // "delete Alpha from the Projects folder"
			return Command{Kind: Delete, Note: folderName(m[2]) + "/" + NoteName(m[1])}, true
		}
		return c, c.Old != ""
	}
	if m := submatches(s, removeLineRE); m != nil {
		return Command{Kind: Remove, Old: literal(m[1]), Note: It, Verbatim: true, All: removeWhole().MatchString(s)}, true
	}
	return Command{}, false
}

var deleteOf = form(func(m []string) Command {
	target := trimEnd(m[1])
	if folderFirst().MatchString(target) {
		return Command{Kind: Delete, Note: folderName(target), Sure: true}
	}
	return Command{Kind: Delete, Note: NoteName(target)}
}, deleteRE)
