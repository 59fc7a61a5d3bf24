package link

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Format is how a link names its file where how it did cannot stay: Obsidian's newLinkFormat.
type Format string

// The formats.
const (
	Shortest Format = "shortest" // by its name alone, where that is enough
	Relative Format = "relative" // from the note's folder
	Absolute Format = "absolute" // from the vault's
)

// Renaming is what becomes of the links of a vault when files get other names. It is safe for
// concurrent use.
type Renaming struct {
	before, after *Names
	moved         map[string]string
	format        Format
	bases         bases
}

// NewRenaming returns the renaming of the files in moved, which tells the new path of each, among
// all the files of the vault.
func NewRenaming(names *Names, moved map[string]string, format Format) *Renaming {
	return &Renaming{names, names.Renamed(moved), moved, format, basesOf(moved)}
}

// newPath is what a file is called afterwards.
func (r *Renaming) newPath(p string) string {
	if to, ok := r.moved[p]; ok {
		return to
	}
	return p
}

// Rewritten is a file whose links were put right.
type Rewritten struct {
	Text  []byte // the same slice where nothing changed
	Links int    // how many were changed
	// Lost are the links that nothing could be written for, so that they lead elsewhere now, or
	// nowhere.
	Lost []Link
}

// Rewrite puts the links of a file right: those whose file moves, and those that would mean
// another file afterwards, be it for the new names or because the file itself moves. Each keeps
// its form, its anchor and its alias; where its form cannot say what it has to, it gets the
// format's, or any that can. A link that led nowhere is left alone. name is the file's path
// before.
func (r *Renaming) Rewrite(name string, text []byte) Rewritten {
	out := Rewritten{Text: text}
	to := r.newPath(name)
	var edits []edit
	for _, l := range Parse(name, text) {
		target, ok := r.before.Resolve(name, l)
		if !ok || l.Path == "" {
			continue
		}
		want := r.newPath(target)
		if now, ok := r.after.Resolve(to, l); ok && now == want && want == target {
			continue
		}
		w := wording{Renaming: r, text: text, link: l, from: name, to: to, target: target, want: want}
		switch e, ok := w.word(); {
		case !ok:
			out.Lost = append(out.Lost, l)
		case e.with != string(text[e.span.Start:e.span.End]):
			edits = append(edits, e)
		}
	}
	if len(edits) > 0 {
		out.Text, out.Links = edited(text, edits), len(edits)
	}
	return out
}

// edit is what is written in place of a range.
type edit struct {
	span Span
	with string
}

func edited(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.span.Start - b.span.Start })
	size := len(text)
	for _, e := range edits {
		size += len(e.with) - (e.span.End - e.span.Start)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(out, text[at:e.span.Start]...)
		out = append(out, e.with...)
		at = e.span.End
	}
	return append(out, text[at:]...)
}

// bases are the folded base names of files that get other names, old and new ones, with and
// without the extension that a link may leave away. Whatever a move does to a link that is not in
// a moved file itself, the link ends in one of them.
type bases struct {
	names   map[string]bool
	first   [256]bool // bytes they begin with
	longest int
}

func basesOf(moved map[string]string) bases {
	b := bases{names: make(map[string]bool)}
	add := func(name string) {
		b.names[name] = true
		if name != "" {
			b.first[name[0]] = true
		}
		b.longest = max(b.longest, len(name))
	}
	for from, to := range moved {
		for _, p := range [2]string{from, to} {
			base := path.Base(key(p))
			add(base)
			if stem, ok := strings.CutSuffix(base, ".md"); ok {
				add(stem)
			}
		}
	}
	return b
}

// Concerns says whether Rewrite may find something to do in a file. It is much faster, and wrong
// in one direction only.
func (r *Renaming) Concerns(name string, text []byte) bool {
	if _, ok := r.moved[name]; ok || IsCanvas(name) {
		return true
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("[["))
		if i < 0 {
			break
		}
		at += i + 2
		if r.bases.endWiki(text[at:]) {
			return true
		}
	}
	for _, mark := range [][]byte{[]byte("]("), []byte("]:")} {
		for at := 0; ; {
			i := bytes.Index(text[at:], mark)
			if i < 0 {
				break
			}
			at += i + 2
			if r.bases.endMarkdown(text[at:]) {
				return true
			}
		}
	}
	return false
}

// endWiki says whether a wikilink, whose brackets opened before rest, may end in one of the names.
func (b *bases) endWiki(rest []byte) bool {
	from, odd := 0, false
	i := 0
loop:
	for ; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '|', '#', '\n':
			break loop
		case ']':
			if i+1 < len(rest) && rest[i+1] == ']' {
				break loop
			}
		case '/':
			from = i + 1
		case '\\', '\'': // it may be an escape of what it stands in
			odd = true
		}
	}
	base := bytes.TrimRight(bytes.TrimLeft(rest[from:i], " \t"), " \t\\")
	if odd && (bytes.IndexByte(base, '\\') >= 0 || b.has(bytes.ReplaceAll(base, []byte("''"), []byte("'")))) {
		return true
	}
	return b.has(base)
}

// endMarkdown says whether a destination, before which the link's parenthesis or colon stands,
// may end in one of the names.
func (b *bases) endMarkdown(rest []byte) bool {
	dest, _, ok := destination(rest, skipBlanks(rest, 0, len(rest)), len(rest))
	if !ok {
		return false
	}
	raw := rest[dest.Start:dest.End]
	if i := bytes.IndexByte(raw, '#'); i >= 0 {
		raw = raw[:i]
	}
	if bytes.ContainsAny(raw, `%\&`) {
		raw = []byte(percentDecoded(unescaped(bytes.TrimSuffix(raw, []byte{'\\'}))))
	}
	return b.has(raw[bytes.LastIndexByte(raw, '/')+1:])
}

// has says whether a name is among them, however it is spelled.
func (b *bases) has(name []byte) bool {
	var lower [256]byte
	if len(name) == 0 {
		return false
	}
	for i, c := range name {
		if c >= 0x80 || i == len(lower) {
			return b.names[key(string(name))]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if lower[i] = c; i == 0 && (!b.first[c] || len(name) > b.longest) && ascii(name) {
			return false
		}
	}
	return b.names[string(lower[:len(name)])]
}

func ascii(s []byte) bool {
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
