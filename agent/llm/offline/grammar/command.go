// Package grammar turns ordinary English requests about notes into commands. It is a pure
// function of the text and the time: it knows no vault, so names are as the user typed them
// and whoever carries a command out resolves them. Any text is understood somehow: what is no
// command is a question. Parse never panics and takes time linear in the text, times a constant.
package grammar

import (
	"strings"
	"time"
)

// Kind is what a command wants.
type Kind int

// The kinds of commands.
const (
	Question   Kind = iota // answer Topic from the notes
	Show                   // show Note
	List                   // list Folder, or notes with Tag
	Count                  // how many notes, in Folder
	Tags                   // list the tags
	Recent                 // notes changed in When
	Tasks                  // open (or Done) tasks, in Note, Folder, with Tag
	Tick                   // mark the task Old as done, in Note
	Summarise              // summarise Note
	Create                 // create Title in Folder with Body
	Add                    // add Body to Note, under Heading
	Replace                // replace Old by New in Note
	Remove                 // remove the text Old from Note
	Move                   // move Note to To
	Rename                 // rename Note to To
	Delete                 // delete Note
	MakeFolder             // make Folder
	Find                   // find the literal text Old
	Links                  // which notes link to Note; without one, what Topic says: unresolved, orphans
	Outline                // the headings of Note
	Info                   // size and times of Note
	Help                   // what can you do
	About                  // who or what are you
	Greet                  // hello
	Thanks                 // thank you
	Goodbye                // the end of the conversation
	More                   // more of what the last answer was about
	Follow                 // the bare question word Topic, after an answer
	Asked                  // which request of this conversation was the one that Topic says: first, last
	Earlier                // what was said in earlier conversations
	Beyond                 // what a program that looks things up cannot do
	Continue               // go on
	Cancel                 // never mind
	Undo                   // take it back
	Unclear                // asks for something to be done, but not in words that are understood
)

// BodyKind is the form that text to be written was asked for in.
type BodyKind int

// The forms.
const (
	Plain   BodyKind = iota
	Task             // as "- [ ] …"
	Bullet           // as "- …"
	Items            // a list given in a sentence: "eggs, milk and bread"
	Section          // as a heading
)

// Command is one thing a user asks for. Which fields count depends on Kind.
type Command struct {
	Kind   Kind
	Text   string // the clause as it was typed
	Note   string // a note (or folder) by the name the user gave; "it" for the last one
	Folder string
	Sure   bool // the text says that Folder is a folder, or Note a note
	Title  string
	Whole  string // Create: the title, should Folder turn out to be part of it; Add: likewise Body with Heading
	Body   string
	Unsure bool // a change that the words may ask for, and may not: it is asked about first
	// Verbatim says that Body stood in quotation marks: it is written as it is.
	Verbatim bool
	Form     BodyKind
	Heading  string
	Loose    bool // Add: Heading was not said to be one, so that without it Whole is the text
	Fresh    bool // Add: Heading is a new one
	Top      bool // Add: at the top instead of the end
	Old      string
	New      string
	All      bool // Replace: every occurrence; Remove: the whole line that holds Old
	To       string
	Tag      string
	Ignored  string // of a list: words that narrow it and are not followed
	Topic    string
	Done     bool // Tasks: the done ones
	Limit    int
	When     Range
	// Others are further readings of the same words, to be tried in order
	// when the names of this one fit nothing.
	Others []Command
}

// reader understands a clause, which is without the words that only make it polite.
type reader func(s string, now time.Time) (Command, bool)

// form reads the clauses that fit an expression, the first of several that does; of makes a command of
// its groups, the first of which is all of the clause.
func form(of func(m []string) Command, forms ...expression) reader {
	return func(s string, _ time.Time) (Command, bool) {
		m := submatches(s, forms...)
		if m == nil {
			return Command{}, false
		}
		return of(m), true
	}
}

// about makes a command of a kind whose groups name a note.
func about(kind Kind) func(m []string) Command {
	return func(m []string) Command { return Command{Kind: kind, Note: NoteName(strings.Join(m[1:], ""))} }
}

// readers are tried in order; the first that understands a clause has it.
var readers = []reader{
	tickOf, makeFolderOf,
	leadInOf, // says the rest the other way round
	createOf, replaceOf, renameOf, removeOf,
	putOf, // Add or Move
	archiveOf, moveOf, addOf, deleteOf, tasksOf, dailyNoteOf,
	form(about(Outline), outlineRE),
	form(func([]string) Command { return Command{Kind: Links, Topic: "unresolved"} }, unresolvedRE),
	form(func([]string) Command { return Command{Kind: Links, Topic: "orphans"} }, orphansRE),
	recentOf, countOf, listOf, summariseOf,
	form(about(Links), linksRE),
	form(about(Info), infoRE),
	findOf, showOf,
}

// phrases are the sentences that are recognised as they stand, or without what only makes them polite.
// What they leave open is the topic.
var phrases = []struct {
	kind     Kind
	sentence expression
}{
	{Goodbye, pattern(leavesRE)},
	{Help, pattern(helpRE)},
	{About, pattern(meRE)},
	{Greet, pattern(greetRE)},
	{Cancel, pattern(cancelRE)},
	{Thanks, pattern(thanksRE)},
	{Continue, pattern(continueRE)},
	{Undo, pattern(undoRE)},
	{More, pattern(moreRE)},
	{Follow, pattern(followRE)},
	{Asked, pattern(askedRE)},
	{Earlier, pattern(earlierRE)},
	{Beyond, pattern(beyondRE)},
	{Tags, pattern(tagsAllRE)},
}

// phraseOf understands a clause that is a phrase, raw as it was typed, s without what makes it polite.
func phraseOf(raw, s string) (Command, bool) {
	for _, p := range phrases {
		for _, text := range []string{raw, s} {
			if m := p.sentence().FindStringSubmatch(text); m != nil && (p.kind != Thanks || text == raw) {
				return Command{Kind: p.kind, Topic: strings.ToLower(strings.Join(m[1:], ""))}, true
			}
		}
	}
	return Command{}, false
}

// complete says whether a command has what it needs to stand on its own.
func complete(c Command) bool {
	switch c.Kind {
	case Unclear:
		return len(c.Others) > 0 && complete(c.Others[0])
	case Show, Delete, Summarise, Outline, Info:
		return c.Note != ""
	case Tick, Remove, Find:
		return c.Old != ""
	case Replace:
		return c.Note != "" && c.Old != ""
	case Move, Rename:
		return c.Note != "" && c.To != ""
	case Add:
		return c.Note != "" && c.Body != ""
	case Create:
		return c.Title+c.Body != "" // from which a title is taken
	case MakeFolder:
		return c.Folder != ""
	}
	return true
}

// Changes says whether carrying the command out changes the vault.
func (c Command) Changes() bool {
	switch c.Kind {
	case Tick, Create, Add, Replace, Remove, Move, Rename, Delete, MakeFolder, Undo:
		return true
	}
	return false
}

// Range is a stretch of time, From inclusive, To exclusive. The zero Range is no time.
type Range struct {
	From, To time.Time
	Words    string // as the user said it: "last week"
}

// IsZero says that no time was named.
func (r Range) IsZero() bool { return r.From.IsZero() }

// Contains says whether t lies in the range.
func (r Range) Contains(t time.Time) bool { return !t.Before(r.From) && t.Before(r.To) }

// The sentences that are about the conversation, or beyond what the notes can answer.
const (
	helpRE = `^(?:help|help me|/help|\?+|h|commands?|usage|how (?:do|does|can|should) (?:i|this|it|you) (?:work|use (?:this|you|it|chatvault))|how does this work|what can (?:you|i|this) (?:do|ask|say|type)(?: here| for me| with (?:my |the )?(?:notes|vault))?|what (?:do|can) you (?:do|know how to do|understand|offer)|what are (?:you able to do|your (?:commands|abilities|features|capabilities))|what (?:is|are) (?:possible|the commands)|show (?:me )?(?:the )?(?:help|commands)|what now|where do i (?:start|begin)|getting started|tutorial)[\s?!.]*$`
	meRE   = `^(?:who|what) are you[\s?!.]*$|^are you (?:an? |the )?(?:ai|llm|real|human|bot|robot|language model|chat ?gpt|gpt|claude|model|person|chatbot|online|offline|connected)\b.*$|^(?:which|what) (?:model|llm|ai|engine|language model)\b.*(?:you|this|use|using)?[\s?!.]*$|^(?:what(?:'s| is) your name|who made you|what is chatvault|what is the offline engine|how do you work)[\s?!.]*$`
	// the words that thanks, greetings and farewells come with
	praise   = `(?:ok(?:ay)?|great|good|nice|cool|perfect|awesome|excellent|super|wonderful|lovely|brilliant|fine|alright|right|got it|i see|well done|(?:good|great|nice) (?:job|work|one)|that(?:'?s| is| was| really)? (?:all|it|great|perfect|good|helpful|helps?(?: a lot)?|useful|what i (?:needed|wanted))|nothing else|no)`
	thanked  = `(?:(?:no,? )?(?:many |much )?(?:thanks?(?: you| u)?|thx|ty|cheers|tysm|ta|merci|danke|gracias|much appreciated|appreciate it|i appreciate (?:it|that))(?: (?:a lot|a bunch|so much|very much|again|for (?:now|that|this|everything|(?:all )?(?:your|the) help)|mate|buddy|a million|anyway))*)`
	thanksRE = `^(?:` + praise + `|` + thanked + `)(?:[\s,;!.]+(?:and\s+)?(?:` + praise + `|` + thanked + `))*[\s!.:)]*$`
	greeting = `(?:hi+|hello+|hey+|hiya|howdy|yo|greetings|(?:good )?(?:morning|afternoon|evening|day)|hallo|salut|hola|what'?s up|sup|moin|how(?:'s| is) it going|how(?: a|')re you(?: doing)?(?: today)?|nice to meet you)`
	greetRE  = `^` + greeting + `(?:[\s,!.]+(?:chatvault|there|again|you|friend|all|everyone|to you|` + greeting + `))*[\s!.,?:)]*$`
	leaving  = `(?:(?:good ?)?bye(?:[ -]bye)?|good ?night|see (?:you|ya)(?: (?:later|tomorrow|soon|around|next time|then))?|talk to you (?:later|soon|tomorrow)|ciao|farewell|take care|(?:i'?m|i am|we'?re|we are) done (?:here|for (?:today|now|tonight))|that'?s (?:all|it|enough) for (?:today|now|tonight)|have a (?:nice|good|great) (?:day|evening|weekend|one))`
	leavesRE = `^(?:(?:` + praise + `|` + thanked + `)[\s,;!.]*(?:and\s+)?)*` + leaving + `(?:[\s,!.]+(?:and\s+)?(?:` + leaving + `|chatvault|everyone|` + thanked + `|for now|for today))*[\s!.]*$` +
		`|^(?:please )?(?:(?:end|close|finish|leave) (?:this|the|our) (?:conversation|chat)|(?:(?:start|begin|open) )?(?:a |another )?(?:new|fresh|different) (?:conversation|chat|topic|subject)|(?:change|switch) (?:the )?(?:topic|subject))(?: please)?[\s!.?]*$`
	continueRE = `^(?:(?:continue|go on|carry on|keep going|keep at it|proceed|resume|go ahead)(?: with (?:it|that|this|the rest|what you were doing|my (?:last )?request))?(?: now)?|next|and then|(?:and |now )?the rest|finish (?:it|that|the rest)|(?:bitte )?(?:weiter(?:machen)?|(?:mach(?:e|en sie)?|fahr(?:e|en sie)?) (?:bitte )?(?:weiter|fort)|fortfahren)(?: bitte)?|continu(?:er|ez|a|ar|are)|contin[uú]a|va avanti|sigue|prosigue|poursui[st]|verder|ga (?:door|verder)|forts[aä]tt|kontynuuj)[\s!.]*$`
	cancelRE   = `^(?:cancel|never ?mind|forget (?:it|that|about it)|stop|abort|leave it|don'?t bother|no,? (?:don'?t|leave it|stop|cancel|thanks?(?: you)?))[\s!.]*$`
	undoRE     = `^(?:(?:undo|revert|take back|roll back|reverse)(?:\s+(?:it|that|this|everything|what you (?:just |have |have just )?(?:did|done|changed)|(?:the |that |this |my |your )?(?:last |latest )?(?:one|changes?|edits?|turn|step|move|rename|deletion)))?|(?:take|roll|put|change|undo) (?:it|that|this) back|put it back)(?:,?\s*(?:please|again))?[\s!.?]*$`
	moreRE     = `^(?:and |but )?(?:(?:what|anything|something|is there anything|do you have anything) (?:else|more)|(?:show|tell|give|find) me (?:some )?more|(?:some )?more|show more|any(?:thing)? more|what other notes|others?|other notes|the (?:other|next) ones?)(?: (?:of (?:them|that|those)|about (?:it|that|this)|results?|notes|on (?:it|that|this)|is there|do you have))*(?: please)?[\s?!.]*$`
	followRE   = `^(?:and |but |so |ok(?:ay)?,? )?(why|where|when|who|how|how come|since when|says who|which note|what note|which one|source)(?: (?:exactly|is (?:it|that)(?: from)?|was (?:it|that)|does it say (?:that|so)|though|not|so|then|does (?:it|that) (?:stand|come from)|did (?:that|it) happen))?[\s?!.]*$`
	askedRE    = `^(?:and )?(?:what (?:was|were|is)|(?:do you )?(?:remember|know|recall)|tell me|repeat|show(?: me)?) (?:what )?(?:my|the) (first|second|third|last|previous|latest|\d+(?:st|nd|rd|th)) (?:question|message|request|thing i (?:asked|said)|one)(?: (?:i (?:asked|sent)(?: you)?|again|here|in this (?:chat|conversation)))*[\s?!.]*$|^what (?:did|have|had) i (?:just |already )?(?:ask|asked|said?|say|tell|told)(?: you)?(?: (first|last|before|just now|so far|today|at first|to do|earlier))*[\s?!.]*$|^what was (?:my|the) (?:question|request)[\s?!.]*$|^what (?:have|did|had) we (?:talk(?:ed)?|chat(?:ted)?|speak|spoken|discuss(?:ed)?)(?: about)?(?: (?:so far|here|just now|in this (?:chat|conversation)))?[\s?!.]*$`
	earlierRE  = `^(?:(?:do you (?:still )?(?:remember|recall|know)|remind me|tell me|recall|remember)(?: of)?\s+)?what (?:did|had|have)? ?(?:we|you and i) (?:last |already |just |ever )?(?:talk(?:ed)?|chat(?:ted)?|spoken?|speak|discuss(?:ed)?)(?: about)?\s+(?:last|yesterday|the last|earlier|before|previous|on |in |this|a )\b[^?]*[\s?!.]*$|^(?:did|have|had|when did|when was the last time) (?:we|you and i) (?:ever |already |last |previously )*(?:talk(?:ed)?|chat(?:ted)?|spoken?|speak) about\b.*$|^(?:(?:show|list|give|tell)(?: me)?(?: about)?\s+|what (?:was|were|is|are)\s+|summari[sz]e\s+|recap\s+|look (?:at|into)\s+)?(?:all )?(?:of )?(?:the |my |our )?(?:(?:earlier|past|previous|recent|last|latest|old|other|ended) )?(?:(?:\d+|two|three|four|five|ten) )?(?:conversations?|chats)(?: (?:we had|i had(?: with you)?|with you|about\b.*))*[\s?!.]*$`
	beyondRE   = `^(?:please )?(?:write|compose|make up|tell|sing|draw|paint|generate|invent|make|create|give|design|code|program)\s+(?:me\s+|us\s+)?(?:an?|some|another|the)\s+(?:(?:[\w'-]+)\s+){0,3}(?:poem|song|story|joke|essay|haiku|limerick|sonnet|speech|blog ?post|tweet|picture|image|drawing|logo|website|app|program|script|python|code|lyrics|riddle|fairy ?tale)\b.*$` +
		`|^(?:translate|condense|rewrite|rephrase|paraphrase|proofread|improve|spell-?check)\b.+$|^(?:how do (?:you|i) say|what(?:'s| is) .{1,40} in (?:german|french|spanish|italian|english|dutch|portuguese|polish|russian|chinese|japanese|latin))\b.*$` +
		`|^(?:(?:what(?:'s|’s| is| are)?|calculate|compute|solve|how much is|evaluate|work out)\s+)?[\d\s().,]*\d\s*(?:[-+*/x×÷^]|% of|percent of|plus|minus|times|divided by|to the power of)\s*[\d\s().,+*/x×÷^%=-]*\d[\d\s().,=]*[?.!]*$` +
		`|^(?:what(?:'s|’s| is) the time|what time is it|(?:what(?:'s|’s| is| will)|how(?:'s|’s| is)) the weather(?: be)?(?: like)?\b.*|will it rain\b.*|set (?:an? |the )?(?:alarm|timer)\b.*|play (?:some )?music\b.*|(?:google|search the (?:web|internet)|browse|look up online)\b.*)[\s?!.]*$`
)

// newTopic announces that what follows has nothing to do with what was before.
var newTopic = pattern(`^(?:(?:(?:a |and now (?:to )?)?(?:new|different|another|next) (?:topic|subject|question)|change of (?:topic|subject))\s*[:;,.!–—-]+\s+)`)
