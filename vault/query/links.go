package query

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"chatvault/vault/fold"
	links "chatvault/vault/link"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// LinkedFiles are the files that can hold links.
const LinkedFiles = "*.{md,markdown,canvas}"

// OutLink is a link in a note.
type OutLink struct {
	Line    int    // 1-based
	Written string // as it stands in the text, on one line
	Target  string // true name of the file it means; the note's own for [[#Heading]]; "": there is none
	Anchor  string // "#Heading", "#^block"; "": none
}

// BackLink is a link to a file, in another one.
type BackLink struct {
	Path string `json:"path"` // the file it stands in
	Line int    `json:"line"` // 1-based
	Text string `json:"text"` // that line, without the blanks around it
}

// NoteLinks are the links from and to a file.
type NoteLinks struct {
	Path   string // true name
	Out    []OutLink
	Back   []BackLink // by path and line
	Missed Missed     // what was not searched for links to it
}

// Links finds the links in a file and, in notes and canvases, those to it. What is out of reach is
// not named: links that lead there are left out.
func (v Queries) Links(ctx context.Context, name string) (NoteLinks, error) {
	path, data, err := v.of.Content(ctx, name)
	if err != nil {
		return NoteLinks{}, err
	}
	names, err := v.LinkNames(ctx)
	if err != nil {
		return NoteLinks{}, err
	}
	found := NoteLinks{Path: path}
	if HoldsLinks(path) && len(data) <= walk.MaxText {
		for _, l := range links.Parse(path, data) {
			out := OutLink{Line: l.Line, Written: onOneLine(data[l.Whole.Start:l.Whole.End]), Anchor: l.Anchor}
			target, ok := names.Resolve(path, l)
			if !ok && v.outOfReach(path, l.Path) {
				continue
			}
			out.Target = target
			found.Out = append(found.Out, out)
		}
	}
	found.Back, found.Missed, err = collect(ctx, v, Scope{Pattern: LinkedFiles, Ignored: true}, func(t walk.Text, add func(BackLink)) {
		if t.Path == path {
			return
		}
		last := 0 // one excerpt a line
		for _, l := range t.Links() {
			if l.Line == last {
				continue
			}
			if target, ok := names.Resolve(t.Path, l); ok && target == path {
				last = l.Line
				add(BackLink{Path: t.Path, Line: l.Line, Text: lineAround(t.Data, l.Whole)})
			}
		}
	})
	if err != nil {
		return NoteLinks{}, err
	}
	slices.SortFunc(found.Back, func(a, b BackLink) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return found, nil
}

// LinkedFrom names the notes and canvases that link to a file or into a folder, by path: those that are
// not in it.
func (v Queries) LinkedFrom(ctx context.Context, name string) ([]string, error) {
	names, err := v.LinkNames(ctx)
	if err != nil {
		return nil, err
	}
	within := func(path string) bool { return path == name || strings.HasPrefix(path, name+"/") }
	from, _, err := collect(ctx, v, Scope{Pattern: LinkedFiles, Ignored: true}, func(t walk.Text, add func(string)) {
		if within(t.Path) {
			return
		}
		for _, l := range t.Links() {
			if target, ok := names.Resolve(t.Path, l); ok && within(target) {
				add(t.Path)
				return
			}
		}
	})
	slices.Sort(from)
	return from, err
}

// Unresolved is a name that links mean and no file has.
type Unresolved struct {
	Target string   // as the first of them, by path, has it
	Links  int      // how many there are
	Notes  []string // the files they stand in, by path
}

// UnresolvedLinks finds the links that lead nowhere, in the scope's files: those in most notes
// first.
func (v Queries) UnresolvedLinks(ctx context.Context, s Scope) ([]Unresolved, Missed, error) {
	names, err := v.LinkNames(ctx)
	if err != nil {
		return nil, Missed{}, err
	}
	type missing struct {
		path, target, key string
		links             int
	}
	if s.Pattern == "" {
		s.Pattern = LinkedFiles
	}
	all, missed, err := collect(ctx, v, s, func(t walk.Text, add func(*missing)) {
		here := make(map[string]*missing) // by folded target
		for _, l := range t.Links() {
			if l.Path == "" || v.outOfReach(t.Path, l.Path) {
				continue
			}
			if _, ok := names.Resolve(t.Path, l); ok {
				continue
			}
			key := unresolvedKey(names.Meant(t.Path, l))
			if here[key] == nil {
				here[key] = &missing{path: t.Path, target: l.Path, key: key}
				add(here[key])
			}
			here[key].links++
		}
	})
	if err != nil {
		return nil, Missed{}, err
	}
	slices.SortFunc(all, func(a, b *missing) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.target, b.target))
	})
	index := make(map[string]*Unresolved)
	for _, m := range all {
		if index[m.key] == nil {
			index[m.key] = &Unresolved{Target: m.target}
		}
		index[m.key].Links += m.links
		index[m.key].Notes = append(index[m.key].Notes, m.path)
	}
	var list []Unresolved
	for _, u := range index {
		list = append(list, *u)
	}
	slices.SortFunc(list, func(a, b Unresolved) int {
		return cmp.Or(cmp.Compare(len(b.Notes), len(a.Notes)), strings.Compare(a.Target, b.Target), strings.Compare(a.Notes[0], b.Notes[0]))
	})
	return list, missed, nil
}

// unresolvedKey is the same for spellings that one new note would answer.
func unresolvedKey(target string) string {
	return strings.TrimSuffix(fold.Name(target), ".md")
}

// Orphan is a note that no other file links to.
type Orphan struct {
	Path string `json:"path"`
	Out  int    `json:"out" jsonschema:"its links to others"`
}

// Orphans finds the notes, in a scope, that no other file links to, by path. A link of a note to
// itself does not count.
func (v Queries) Orphans(ctx context.Context, s Scope) ([]Orphan, Missed, error) {
	names, err := v.LinkNames(ctx)
	if err != nil {
		return nil, Missed{}, err
	}
	// The scope's notes are orphans until a link is found, wherever that is.
	inScope, missed, err := collect(ctx, v, s, func(t walk.Text, add func(string)) { add(t.Path) })
	if err != nil {
		return nil, Missed{}, err
	}
	type arrow struct{ from, to string }
	arrows, unread, err := collect(ctx, v, Scope{Pattern: LinkedFiles, Ignored: true}, func(t walk.Text, add func(arrow)) {
		for _, l := range t.Links() {
			if target, ok := names.Resolve(t.Path, l); ok && target != t.Path {
				add(arrow{t.Path, target})
			}
		}
	})
	if err != nil {
		return nil, Missed{}, err
	}
	linked, out := make(map[string]bool), make(map[string]int)
	for _, a := range arrows {
		linked[a.to] = true
		out[a.from]++
	}
	var list []Orphan
	for _, p := range inScope {
		if !linked[p] {
			list = append(list, Orphan{Path: p, Out: out[p]})
		}
	}
	slices.SortFunc(list, func(a, b Orphan) int { return strings.Compare(a.Path, b.Path) })
	missed.Skipped = unread.Skipped
	return list, missed, nil
}

// LinkNames are the vault's visible files, for finding out which of them a link means, as they are
// now. The caller may keep them; they do not change.
func (v Queries) LinkNames(ctx context.Context) (*links.Names, error) {
	var paths []string
	whole := v.of.Source().EachName(ctx, walk.MostNames, func(name string, folder bool) bool {
		if !folder {
			paths = append(paths, name)
		}
		return true
	})
	if err := ctx.Err(); err != nil && !whole {
		return nil, err
	}
	names := links.NewNames(paths)
	names.Plain = v.of.Plain()
	return names, nil
}

// outOfReach reports whether the destination of a link in a file, by its words alone, is protected
// or private.
func (v Queries) outOfReach(from, target string) bool {
	for name := range strings.SplitSeq(target, "/") {
		if name != "." && name != ".." && pathname.Protected(name) {
			return true
		}
	}
	for _, meant := range []string{path.Join(path.Dir(from), target), strings.TrimLeft(path.Clean(target), "./")} {
		if v.of.Private(meant) || v.of.Private(meant+".md") {
			return true
		}
	}
	return false
}

// HoldsLinks says whether a file of this name can hold links.
func HoldsLinks(name string) bool {
	return pathname.IsNote(name) || pathname.HasSuffix(name, ".canvas")
}

// maxLineAround bounds the text of a line in which a link stands, in bytes.
const maxLineAround = 400

// lineAround is the line a link begins in, cut where it is long so that the link stays in sight.
func lineAround(text []byte, l links.Span) string {
	start := bytes.LastIndexByte(text[:l.Start], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[l.Start:], '\n'); i >= 0 {
		end = l.Start + i
	}
	before, after := "", ""
	if end-start > maxLineAround {
		if from := l.Start - maxLineAround/4; from > start {
			start, before = from, "… "
		}
		if to := start + maxLineAround; to < end {
			end, after = to, " …"
		}
	}
	line := strings.ToValidUTF8(string(text[start:end]), "")
	return before + strings.TrimSpace(strings.TrimRight(line, "\r")) + after
}

// onOneLine is a link as it is written, line ends made blanks.
func onOneLine(written []byte) string {
	if len(written) > maxLineAround {
		written = append(slices.Clone(written[:maxLineAround]), "…"...)
	}
	text := strings.ToValidUTF8(string(written), "")
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text) // names may hold two spaces
}
