// Package prosediff says how one note becomes another, as one who writes reads it: passage by
// passage (front matter by key; headings, paragraphs, list items, table rows, lines of code), and
// within a passage word by word. It knows no file, no screen and no model.
//
// It promises that a Diff loses nothing: with all of its hunks applied the old text is the new
// one, byte for byte, and with none it is the old one. The time it takes grows with the length of
// the texts and not with its square: where too much differs to be aligned well, the alignment is
// coarser, never wrong.
package prosediff

import "strings"

// Kind is what a passage is.
type Kind int

// The kinds of passages.
const (
	Blank     Kind = iota // empty lines at the beginning of a text
	Property              // of the front matter: a key with its value, or one of the lines around it
	Heading               // #, ##, …
	Paragraph             // lines up to an empty one
	Item                  // of a list, with the lines that go on with it
	Row                   // of a table
	Quote                 // lines that begin with >
	Code                  // a line of a code or math block, its fences included
)

// Op is what becomes of a passage.
type Op int

// The ops.
const (
	Same     Op = iota
	Added       // only the new text has it
	Removed     // only the old one has it
	Changed     // it has other words: Passage.Words says which
	Reflowed    // it has the same words; only its spaces and line breaks are others
	Spaced      // it is the same; only the empty lines after it, or its line end, are others
)

// Passage is a part of a text, in the old text, the new one, or both.
type Passage struct {
	Kind Kind
	Op   Op
	// Old and New are its text, without the end of its last line and the empty lines after it,
	// which are OldTail and NewTail. Those of a text that does not have it are empty.
	Old, New         string
	OldTail, NewTail string
	Words            []Span // Changed: New, with what was taken from Old, in order
	Line             int    // where it begins: in the old text, of an added one in the new; from 1
	Hunk             int    // in Diff.Hunks; -1: it belongs to none
	Piece            bool   // it is a line of a passage that is compared line by line
	Cut              int    // bytes of what changes in it that Bounded left out at its end
	// Gap says that something unknown stands before it: the diff was made from an excerpt.
	Gap bool
}

// Span is a part of a changed passage.
type Span struct {
	Op   Op // Same, Added or Removed
	Text string
}

// Diff is how a text becomes another.
type Diff struct {
	Passages []Passage // all of both texts, in order
	Hunks    []Hunk    // what can be taken or left by itself, in order
	// Left counts the passages, of those that differ, that Bounded left out at the end; LeftLines
	// the lines that an excerpt says were left out of it.
	Left, LeftLines int

	old, new       side
	lines          bool // each is a passage
	added, removed int  // words
}

// Hunk is a change that can be taken or left without regard to the others.
type Hunk struct {
	From, To int    // of Diff.Passages; the same: it is no change of passages, Whole says what
	Line     int    // where it begins, as Passage.Line; 0: it is a change of the whole text
	Under    string // the heading it stands below, without its marks; may be empty
	Whole    string // "Line ends: CR LF become LF"; empty for a change of passages
	Old, New string // what is replaced, and by what

	start, end int // of what it replaces in the old text
	what       whole
}

// whole is what a hunk changes of the whole text.
type whole int

const (
	passages whole = iota
	lineEnds
	byteOrderMark
)

// Compare works out how a note, which is Markdown, becomes another.
func Compare(before, after string) *Diff { return compare(before, after, false) }

// CompareFile is Compare for a file by its name: of one that is no note each line is a passage,
// since no more is known of it.
func CompareFile(name, before, after string) *Diff { return compare(before, after, !isNote(name)) }

// isNote says whether a file's text is Markdown.
func isNote(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return strings.EqualFold(name[max(dot, 0):], ".md")
}

func compare(before, after string, lines bool) *Diff {
	d := &Diff{lines: lines}
	d.old, d.new = newSide(before), newSide(after)
	level(&d.old, &d.new)
	d.wholes()
	a, b := split(d.old.text, d.lines), split(d.new.text, d.lines)
	a, b, steps := inLines(d.old.text, a, d.new.text, b, align(d.old.text, a, d.new.text, b))
	d.fill(a, b, steps)
	d.group(a, b, steps)
	d.count()
	return d
}

// fill makes the passages of an alignment.
func (d *Diff) fill(a, b []block, steps []step) {
	for _, s := range steps {
		p := Passage{Hunk: -1}
		if s.a >= 0 {
			x := a[s.a]
			p.Kind, p.Line, p.Piece = x.kind, x.line, x.piece
			p.Old, p.OldTail = x.body(d.old.text), x.tail(d.old.text)
		}
		if s.b >= 0 {
			y := b[s.b]
			p.New, p.NewTail = y.body(d.new.text), y.tail(d.new.text)
			if p.Kind = y.kind; s.a < 0 {
				p.Line, p.Piece = y.line, y.piece
			}
		}
		switch {
		case s.a < 0:
			p.Op = Added
		case s.b < 0:
			p.Op = Removed
		case s.words != nil:
			p.Op, p.Words = Changed, s.words
		case p.Old != p.New:
			p.Op = Reflowed
		case p.OldTail != p.NewTail:
			p.Op = Spaced
		}
		d.Passages = append(d.Passages, p)
	}
}

// Empty says that nothing differs.
func (d *Diff) Empty() bool { return d == nil || len(d.Hunks) == 0 && d.LeftLines == 0 }

// Words counts the words that are added and those that are removed.
func (d *Diff) Words() (added, removed int) { return d.added, d.removed }

// count counts the words that are added and those that are removed.
func (d *Diff) count() {
	for _, p := range d.Passages {
		switch p.Op {
		case Added:
			d.added += countWords(p.New)
		case Removed:
			d.removed += countWords(p.Old)
		case Changed:
			for _, s := range p.Words {
				switch s.Op {
				case Added:
					d.added += countWords(s.Text)
				case Removed:
					d.removed += countWords(s.Text)
				}
			}
		}
	}
}
