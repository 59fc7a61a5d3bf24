// Package relink plans how the links of a vault change when a file or folder moves. It reads the vault and writes
// nothing.
package relink

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/text"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	links "chatvault/vault/link"
	"chatvault/vault/query"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// Move is the move of a file or folder.
type Move struct {
	Files    walk.Source // the visible files of the vault on disk
	From, To string      // true names
	Folder   bool

	Private func(ctx context.Context) []string // returns the private files, which links may mean too
	Home    links.Home
	Format  links.Format

	Shifts []*links.Shift // headings that change instead of files: of the note From, which may be To, and of more notes
	Own    []Part         // with Shifts: the new texts, whose links are updated too
}

// Part is a note, or a part of one that moves to another note.
type Part struct {
	From, To string // true names
	Text     []byte
}

// Planned is the effect of a move on links.
type Planned struct {
	Rewrites []Rewrite         // notes with links to update, by path
	Texts    []links.Rewritten // those of Move.Own
	Lost     []string          // links that cannot be updated, as "path, line 3"
	Note     string            // sentences about them
}

// Rewrite is a note whose links are updated by a change.
type Rewrite struct {
	Path    string // true name before the change
	NewPath string // true name afterwards: Path unless the note moves
	Links   int    // number of changed links
	Before  []byte // old content
	After   []byte

	Modified time.Time // old modification time
}

// Plan returns the notes with links to update and the links that cannot be updated. It reads every note once. Private and protected files and symbolic links are neither read nor rewritten; links to private
// files stay unchanged.
func (m Move) Plan(ctx context.Context) (Planned, error) {
	moved, err := m.movedFiles(ctx)
	if err != nil || len(moved) == 0 {
		return Planned{}, err
	}
	p := plan{Move: m, prefilter: links.NewPrefilter(m.Home, moved)}
	if err := p.read(ctx); err != nil {
		return Planned{}, err
	}
	r, err := p.renaming(ctx, moved)
	if err != nil {
		return Planned{}, err
	}
	p.rewrite(r)
	p.Note = strings.Join(p.notes(), " ")
	return p.Planned, nil
}

// movedFiles maps the visible files that a move renames to their new names. Folders are included, with a trailing
// "/".
func (m Move) movedFiles(ctx context.Context) (map[string]string, error) {
	moved := make(map[string]string)
	for _, s := range m.Shifts {
		moved[s.Note] = s.Note
	}
	if !m.Folder {
		moved[m.From] = m.To
		return moved, nil
	}
	var mu sync.Mutex
	w := &walk.Walk{From: m.Files, Base: m.From, Glob: glob.All, Visit: func(_ int, _ fsys.Folder, e walk.Found) {
		name := e.Path()
		mu.Lock()
		defer mu.Unlock()
		moved[name] = m.To + strings.TrimPrefix(name, m.From)
		for in := path.Dir(name); strings.HasPrefix(in+"/", m.From+"/") && moved[in+"/"] == ""; in = path.Dir(in) {
			moved[in+"/"] = m.To + strings.TrimPrefix(in, m.From) + "/"
		}
	}}
	return moved, w.Run(ctx)
}

// plan determines the effect of a move on links.
type plan struct {
	Move
	prefilter *links.Prefilter

	// By worker, while the vault is read.
	paths [][]string
	found [][]linkText

	mu         sync.Mutex
	unreadable []string // files and folders
	scarce     error    // see fsys.Scarce; the notes cannot be read now

	Planned
	readOnly []string // read-only files with links to update
}

// linkText is a file that may contain links to update.
type linkText struct {
	path     string
	data     []byte
	modified time.Time
	readOnly bool
}

// read collects the names of all files and the texts that may need a change.
func (p *plan) read(ctx context.Context) error {
	n := walk.Workers()
	p.paths, p.found = make([][]string, n), make([][]linkText, n)
	buffers := make([][]byte, n)
	w := &walk.Walk{From: p.Files, Base: ".", Glob: glob.All, Skipped: p.skip}
	w.Visit = func(worker int, in fsys.Folder, e walk.Found) {
		name := e.Path()
		p.paths[worker] = append(p.paths[worker], name)
		if !query.HoldsLinks(e.Name) || slices.ContainsFunc(p.Own, func(o Part) bool { return o.To == name || o.From == name }) {
			return
		}
		data, st, _, err := walk.ReadText(in, e.Name, buffers[worker], walk.MaxText)
		switch {
		case err == nil:
			buffers[worker] = data[:0]
			if p.prefilter.Keeps(name, data) {
				p.found[worker] = append(p.found[worker], linkText{name, slices.Clone(data), st.Time(), st.ReadOnly})
			}
		case !fsys.Vanished(err):
			p.skip(name, err)
		}
	}
	if err := cmp.Or(w.Run(ctx), p.scarce); err != nil {
		return vaulterr.New(vaulterr.KindOther, ".", "Cannot look for links in all notes: %v. Nothing was moved.", vaulterr.Plain(err)).Because(err)
	}
	return nil
}

// skip records a file or folder that cannot be read.
func (p *plan) skip(path string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fsys.Scarce(err) {
		p.scarce = err
	}
	p.unreadable = append(p.unreadable, path)
}

// rewrite computes the new texts.
func (p *plan) rewrite(r *links.Renaming) {
	texts := slices.Concat(p.found...)
	slices.SortFunc(texts, func(a, b linkText) int { return strings.Compare(a.path, b.path) })
	done := make([]links.Rewritten, len(texts))
	_ = fsys.InParallel(len(texts), maxConcurrent, func(i int) error {
		done[i] = r.Rewrite(texts[i].path, texts[i].data)
		return nil
	})
	for _, o := range p.Own {
		texts, done = append(texts, linkText{path: o.To}), append(done, r.Part(o.From, o.To, o.Text))
	}
	others := len(texts) - len(p.Own)
	p.Texts = done[others:]
	for i, t := range texts {
		for _, l := range done[i].Lost {
			p.Lost = append(p.Lost, fmt.Sprintf("%s, line %d", t.path, l.Line))
		}
		switch {
		case done[i].Links == 0 || i >= others:
		case t.readOnly:
			p.readOnly = append(p.readOnly, t.path)
		default:
			p.Rewrites = append(p.Rewrites, Rewrite{Path: t.path, NewPath: r.NewPath(t.path), Links: done[i].Links, Before: t.data, After: done[i].Text, Modified: t.modified})
		}
	}
}

// maxConcurrent limits the notes that are rewritten at the same time.
const maxConcurrent = 8

// maxNamed limits the files listed in a note.
const maxNamed = 3

// notes returns sentences about the links that could not be updated.
func (p *plan) notes() []string {
	var notes []string
	if len(p.Lost) > 0 {
		notes = append(notes, p.lostNote())
	}
	if len(p.readOnly) > 0 {
		notes = append(notes, "Links in read-only files were left unchanged: "+vaulterr.QuoteAll(p.readOnly, maxNamed)+".")
	}
	if len(p.unreadable) > 0 {
		slices.Sort(p.unreadable)
		notes = append(notes, "Not checked for links, because unreadable or too long: "+vaulterr.QuoteAll(p.unreadable, maxNamed)+".")
	}
	return notes
}

// lostNote describes the links that could not be rewritten.
func (p *plan) lostNote() string {
	lost, where := text.Count(len(p.Lost), "link"), vaulterr.QuoteAll(slices.Compact(slices.Clone(p.Lost)), maxNamed)
	if p.Shifts != nil {
		target := vaulterr.Quote(p.To)
		if len(p.Shifts) > 1 {
			target = "the note"
		}
		return fmt.Sprintf("%s could not be updated, because %s has another heading or block of this name: %s.", lost, target, where)
	}
	note := fmt.Sprintf("%s could not be updated to the new name, so that nothing or another file is found there: %s.", lost, where)
	if strings.ContainsAny(p.To, "#|[]:") { // some links cannot contain them, or two of them
		note += " A path without # | [ ] and : would work."
	}
	return note
}

// renaming returns the renaming of the collected files. A link may lead to a private file, which Obsidian sees; so
// the names of private files are included, to prevent another file from being taken for one.
func (p *plan) renaming(ctx context.Context, moved map[string]string) (*links.Renaming, error) {
	hidden := slices.DeleteFunc(p.Private(ctx), func(name string) bool { return !utf8.ValidString(name) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Shifts != nil {
		return links.NewShifting(p.Home.NewNames(slices.Concat(p.paths...), hidden...), p.Format, p.Shifts...), nil
	}
	return links.NewRenaming(p.Home.NewNames(slices.Concat(p.paths...), hidden...), moved, p.Format), nil
}
