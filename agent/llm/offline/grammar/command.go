// Package grammar turns ordinary English requests about notes into commands. It is a pure
// function of the text and the time: it knows no vault, so names are as the user typed them
// and whoever carries a command out resolves them. Any text is understood somehow: what is no
// command is a question. Parse never panics and takes time linear in the text, times a constant.
package grammar

import (
	"cmp"
	"strings"
	"sync"
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

// need is what a command must name to be carried out.
type need uint8

const (
	needNote need = 1 << iota
	needBody
	needOld
	needTo
	needFolder
	needTitle // or a text to take it from
)

// reader understands a clause, which is without the words that only make it polite.
type reader func(s string, now time.Time) (Command, bool)

// intent is a thing that a clause can ask for.
type intent struct {
	kind  Kind
	needs need
	read  reader
	// phrase recognises the clause as it stands, names one that is about a note; read is nil then.
	phrase, names expression
	topic         string // of a phrase; empty: what its groups match
}

// intents are tried in order; the first that understands a clause has it. Some readers understand
// several kinds of commands: theirs stand further down.
var intents = sync.OnceValue(func() []intent {
	return []intent{
		{kind: Goodbye, phrase: pattern(leavesRE)},
		{kind: Help, phrase: pattern(helpRE)},
		{kind: About, phrase: pattern(meRE)},
		{kind: Greet, phrase: pattern(greetRE)},
		{kind: Cancel, phrase: pattern(cancelRE)},
		{kind: Thanks, phrase: pattern(thanksRE)},
		{kind: Continue, phrase: pattern(continueRE)},
		{kind: Undo, phrase: pattern(undoRE)},
		{kind: More, phrase: pattern(moreRE)},
		{kind: Follow, phrase: pattern(followRE)},
		{kind: Asked, phrase: pattern(askedRE)},
		{kind: Earlier, phrase: pattern(earlierRE)},
		{kind: Beyond, phrase: pattern(beyondRE)},
		{kind: Tags, phrase: pattern(tagsAllRE)},
		{kind: Tick, needs: needOld, read: tickOf},
		{kind: MakeFolder, needs: needFolder, read: makeFolderOf},
		{kind: Question, read: leadInOf}, // says the rest the other way round
		{kind: Create, needs: needTitle, read: createOf},
		{kind: Replace, needs: needNote | needOld, read: replaceOf},
		{kind: Rename, needs: needNote | needTo, read: renameOf},
		{kind: Remove, needs: needOld, read: removeOf},
		{kind: Question, read: putOf}, // Add or Move
		{kind: Move, needs: needNote | needTo, read: moveOf},
		{kind: Add, needs: needNote | needBody, read: addOf},
		{kind: Delete, needs: needNote, read: deleteOf},
		{kind: Tasks, read: tasksOf},
		{kind: Show, needs: needNote, read: dailyNoteOf},
		{kind: Outline, needs: needNote, names: outlineRE},
		{kind: Links, phrase: unresolvedRE, topic: "unresolved"},
		{kind: Links, phrase: orphansRE, topic: "orphans"},
		{kind: Recent, read: recentOf},
		{kind: Count, read: countOf},
		{kind: List, read: listOf},
		{kind: Summarise, needs: needNote, read: summariseOf},
		{kind: Links, names: linksRE},
		{kind: Info, needs: needNote, names: infoRE},
		{kind: Find, needs: needOld, read: findOf},
		{kind: Show, needs: needNote, read: showOf},
	}
})

// reads understands a clause, raw as it was typed, s without what makes it polite.
func (in intent) reads(raw, s string, now time.Time) (Command, bool) {
	if in.read != nil {
		return in.read(s, now)
	}
	if in.names != nil {
		m := submatches(s, in.names)
		if m == nil {
			return Command{}, false
		}
		return Command{Kind: in.kind, Note: NoteName(strings.Join(m[1:], ""))}, true
	}
	for _, text := range []string{raw, s} {
		if m := in.phrase().FindStringSubmatch(text); m != nil && (in.kind != Thanks || text == raw) {
			return Command{Kind: in.kind, Topic: cmp.Or(in.topic, strings.ToLower(strings.Join(m[1:], "")))}, true
		}
	}
	return Command{}, false
}

// complete says whether a command has what it needs to stand on its own.
func complete(c Command) bool {
	if c.Kind == Unclear {
		return len(c.Others) > 0 && complete(c.Others[0])
	}
	var needs need
	for _, in := range intents() {
		if in.kind == c.Kind {
			needs |= in.needs
		}
	}
	for n, has := range map[need]string{needNote: c.Note, needBody: c.Body, needOld: c.Old, needTo: c.To, needFolder: c.Folder, needTitle: c.Title + c.Body} {
		if needs&n != 0 && has == "" {
			return false
		}
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
