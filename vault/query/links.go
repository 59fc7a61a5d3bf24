package query

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/vault/block"
	links "chatvault/vault/link"
	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/search"
	"chatvault/vault/walk"
)

// LinkedFiles is a glob of the files that can contain links.
const LinkedFiles = "*.{md,markdown,canvas,excalidraw}"

// OutLink is a link in a note.
type OutLink struct {
	Line    int    `json:"line"`    // 1-based
	Written string `json:"written"` // as written in the text, on one line
	// Target is the true name of the target file; the note itself for [[#Heading]]; "" if none exists.
	Target string `json:"target,omitempty" jsonschema:"absent if no such file exists"`
	Anchor string `json:"-"` // "#Heading" or "#^block"; "" if none
	// Lost reports that the target has no such heading or block.
	Lost bool `json:"anchor_missing,omitempty" jsonschema:"the file has no such heading or block"`
}

// BackLink is a link to a file from another one.
type BackLink struct {
	Path string `json:"path"` // the file that contains it
	Line int    `json:"line"` // 1-based
	Text string `json:"text"` // the text of that line, trimmed
}

// NoteLinks are the links from and to a file.
type NoteLinks struct {
	Path   string // true name
	Out    []OutLink
	Back   []BackLink // by path and line
	Missed Missed     // what was not searched for links to it
}

// Links returns the links in a file and, in notes and canvases, the links to it. It omits links to private or
// protected files.
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
		notes := map[string]*links.Sections{path: links.NewSections(data)}
		for _, l := range names.Links(path, data) {
			lines := strings.FieldsFunc(string(data[l.Whole.Start:l.Whole.End]), func(r rune) bool { return r == '\n' || r == '\r' })
			out := OutLink{Line: l.Line, Written: text.Clip(strings.Join(lines, " "), search.MaxLineShown), Anchor: l.Anchor}
			target, ok := names.Resolve(path, l)
			if !ok && v.outOfReach(path, l.Path) {
				continue
			}
			out.Target, out.Lost = target, v.lost(ctx, notes, target, l)
			found.Out = append(found.Out, out)
		}
	}
	found.Back, found.Missed, err = collect(ctx, v, Scope{Pattern: LinkedFiles, Ignored: true}, func(t walk.Text, add func(BackLink)) {
		if t.Path == path {
			return
		}
		last := 0 // one excerpt per line
		for _, l := range names.Links(t.Path, t.Data) {
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

// lost reports whether a link leads to a heading or a block that its target does not have. notes caches what it reads.
func (v Queries) lost(ctx context.Context, notes map[string]*links.Sections, target string, l links.Link) bool {
	if l.Anchor == "" || !pathname.IsNote(target) {
		return false
	}
	if _, known := notes[target]; !known {
		_, data, err := v.of.Content(ctx, target)
		if notes[target] = nil; err == nil && len(data) <= walk.MaxText {
			notes[target] = links.NewSections(data)
		}
	}
	return notes[target] != nil && !notes[target].Has(l)
}

// LinkedFrom returns the notes and canvases outside name that link to the file, or into the folder, name. They are
// sorted by path.
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
		for _, l := range names.Links(t.Path, t.Data) {
			if target, ok := names.Resolve(t.Path, l); ok && within(target) {
				add(t.Path)
				return
			}
		}
	})
	slices.Sort(from)
	return from, err
}

// Unresolved is a link target that does not exist.
type Unresolved struct {
	Target string   `json:"target"` // as spelled in the first link, by path; "Note#Heading" if only the heading is missing
	Links  int      `json:"count" jsonschema:"number of links"`
	Notes  []string `json:"notes" jsonschema:"the first files with the links"` // by path
}

// UnresolvedLinks returns the link targets that do not exist, from the scope's files. Those used in most notes come
// first.
func (v Queries) UnresolvedLinks(ctx context.Context, s Scope) ([]Unresolved, Missed, error) {
	names, err := v.LinkNames(ctx)
	if err != nil {
		return nil, Missed{}, err
	}
	type missing struct {
		path, target, key string
		links             int
		anchored          links.Link // in an existing note
		note              string
	}
	if s.Pattern == "" {
		s.Pattern = LinkedFiles
	}
	all, missed, err := collect(ctx, v, s, func(t walk.Text, add func(*missing)) {
		here := make(map[string]*missing) // by folded target
		for _, l := range names.Links(t.Path, t.Data) {
			m := missing{path: t.Path, target: l.Path}
			target, ok := names.Resolve(t.Path, l)
			switch {
			case ok && (l.Anchor == "" || !pathname.IsNote(target)), !ok && v.outOfReach(t.Path, l.Path):
				continue
			case ok:
				anchor := "#" + strings.Join(l.Names(), "#")
				m.target, m.key, m.note, m.anchored = names.Text(target)+anchor, pathname.Fold(target+anchor), target, l
			default:
				m.key = strings.TrimSuffix(pathname.Fold(names.Meant(t.Path, l)), ".md") // the same new note would resolve them
			}
			if here[m.key] == nil {
				here[m.key] = &m
				add(&m)
			}
			here[m.key].links++
		}
	})
	if err != nil {
		return nil, Missed{}, err
	}
	notes := make(map[string]*links.Sections)
	all = slices.DeleteFunc(all, func(m *missing) bool { return m.note != "" && !v.lost(ctx, notes, m.note, m.anchored) })
	if err := ctx.Err(); err != nil {
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

// Orphan is a note that no other file links to.
type Orphan struct {
	Path string `json:"path"`
	Out  int    `json:"out" jsonschema:"its links to others"`
}

// Orphans returns the notes in a scope that no other file links to, by path. Links of a note to itself do not count.
func (v Queries) Orphans(ctx context.Context, s Scope) ([]Orphan, Missed, error) {
	names, err := v.LinkNames(ctx)
	if err != nil {
		return nil, Missed{}, err
	}
	// A note of the scope is an orphan until a link from anywhere is found.
	inScope, missed, err := collect(ctx, v, s, func(t walk.Text, add func(string)) { add(t.Path) })
	if err != nil {
		return nil, Missed{}, err
	}
	type arrow struct{ from, to string }
	arrows, unread, err := collect(ctx, v, Scope{Pattern: LinkedFiles, Ignored: true}, func(t walk.Text, add func(arrow)) {
		for _, l := range names.Links(t.Path, t.Data) {
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

// LinkNames returns a snapshot of the vault's visible files, to resolve links. It is immutable.
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
	names := v.of.Home().NewNames(paths)
	if !names.Logseq {
		return names, nil
	}
	type named struct {
		path  string
		names []string
	}
	all, _, err := collect(ctx, v, Scope{Ignored: true}, func(t walk.Text, add func(named)) {
		if own := links.NamesIn(t.Data); own != nil {
			add(named{t.Path, own})
		}
	})
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.path, b.path) })
	for _, n := range all {
		names.Add(n.path, n.names)
	}
	return names, err
}

// outOfReach reports whether a link's target, by its spelling alone, is protected or private.
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

// HoldsLinks reports whether a file of this name can contain links.
func HoldsLinks(name string) bool {
	return pathname.IsNote(name) || note.IsDrawing(name)
}

// lineAround returns the line in which a link begins. A long line is cut so that it contains the link.
func lineAround(text []byte, l links.Span) string {
	start := bytes.LastIndexByte(text[:l.Start], '\n') + 1
	return strings.TrimSpace(search.CutLine(text[start:block.LineStop(text, start)], l.Start-start))
}
