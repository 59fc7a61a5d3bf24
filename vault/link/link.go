// Package link finds the links in notes and canvases, says which file each of them names the way
// Obsidian 1.13 does, and words a link anew when its file gets another name. It works on plain
// values: texts, paths and sets of paths; it opens nothing.
//
// It promises that what it rewrites differs from what was there in the destinations it was asked
// to change, and in no other byte; and that no text takes it more than linear time.
package link

// Kind is how a link is written.
type Kind int

// The kinds of links.
const (
	Wiki       Kind = iota // [[Note#Heading|alias]]
	Embed                  // ![[image.png|100]]
	Markdown               // [text](path.md "title")
	Image                  // ![alt](path.png)
	Definition             // [label]: path.md
	Property               // a wikilink in front matter
	Canvas                 // "file" of a node in a .canvas file, "background" of a group
)

// Span is a half-open range of bytes of a text.
type Span struct{ Start, End int }

// Link is a link as it stands in a text. External links (with a scheme) are none.
type Link struct {
	Kind  Kind
	Whole Span   // the link, brackets and all
	Dest  Span   // the destination as written, without anchor, alias, title and angle brackets
	Line  int    // 1-based, where Whole begins
	Path  string // the destination as meant: percent-decoded where its kind says so, escapes taken away; "": the note itself
	// Anchor is what follows the path from "#" on, as written: "#Heading", "#One#Two", "#^block".
	Anchor string
	Alias  string // what stands for the link, as written; "": nothing

	quoting quoting // what the link stands in
}

// quoting is the kind of string a link stands in, whose escapes its destination has to keep to.
type quoting uint8

const (
	unquoted     quoting = iota
	inJSON               // a string of a canvas
	doubleQuoted         // of YAML
	singleQuoted         // of YAML
)

// markdown says whether the destination is one of Markdown's, rather than a wikilink's.
func (k Kind) markdown() bool { return k == Markdown || k == Image || k == Definition }
