// Package grammar turns ordinary English requests about notes into commands. It is a pure
// function of the text and the time: it knows no vault, so names are as the user typed them
// and whoever carries a command out resolves them. Any text is understood somehow: what is no
// command is a question. Parse never panics and takes time linear in the text, times a constant.
package grammar

import "time"

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
	Goodbye                // end the conversation; New: the next one begins with another topic
	Past                   // what was said in earlier conversations: about Topic, in When, the last Limit
	Continue               // go on
	Cancel                 // never mind
	Undo                   // take it back
	Unclear                // asks for a change, but not in words that are understood
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
	// Verbatim says that Body stood in quotation marks: it is written as it is.
	Verbatim bool
	// Tail are the lines that follow, where a line end alone says that another command begins:
	// they may as well be text of the note that is made.
	Tail    string
	Form    BodyKind
	Heading string
	Loose   bool // Add: Heading was not said to be one, so that without it Whole is the text
	Fresh   bool // Add: Heading is a new one
	About   bool // Show: Note says what the note is about, not surely its name
	Top     bool // Add: at the top instead of the end
	Old     string
	New     string
	All     bool // Replace: every occurrence; Remove: the whole line that holds Old
	To      string
	Tag     string
	Topic   string
	Done    bool // Tasks: the done ones
	Limit   int
	When    Range
	// Others are further readings of the same words, to be tried in order
	// when the names of this one fit nothing.
	Others []Command
}

// Changes says whether carrying the command out changes the vault.
func (c Command) Changes() bool {
	switch c.Kind {
	case Tick, Create, Add, Replace, Remove, Move, Rename, Delete, MakeFolder:
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
