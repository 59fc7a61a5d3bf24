package vault

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chatvault/internal/text"
	"chatvault/vault/failure"
	"chatvault/vault/journal"
	links "chatvault/vault/link"
)

// relinking updates the links in files written after a move that is undone, as for any other move.
type relinking struct {
	reversal *reversal
	rewrites map[string]*Rewrite // by current path
	files    map[string]*journal.File
	left     map[string]bool // hashes of what the move wrote
	blind    map[string]bool // unreadable files
}

// relink determines which files written since the move need their links updated. Files unchanged since the move are
// not among them: their old content is restored.
func (r *reversal) relink(ctx context.Context) (*relinking, error) {
	c, v := r.back, r.vault
	l := &relinking{r, map[string]*Rewrite{}, map[string]*journal.File{}, map[string]bool{}, map[string]bool{}}
	changed := false
	for i := range c.Files {
		f := &c.Files[i]
		l.files[f.At()] = f
		if f.Links > 0 {
			changed, l.left[f.After] = true, true
		}
	}
	if !changed && !v.AlwaysUpdatesLinks() {
		return l, nil
	}
	moved, err := v.movedFiles(ctx, &Change{Path: c.NewPath, NewPath: c.Path}, c.Folder)
	if err != nil || len(moved) == 0 {
		return l, err
	}
	p := linkPlan{v: v.Vault, prefilter: links.NewPrefilter(moved)}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	for i := range p.texts {
		p.texts[i] = slices.DeleteFunc(p.texts[i], func(t linkText) bool { return !l.writtenSince(ctx, t) })
	}
	renaming, err := p.renaming(ctx, moved)
	if err != nil {
		return nil, err
	}
	p.rewrite(renaming)
	for i := range p.rewrites {
		l.rewrites[p.rewrites[i].Path] = &p.rewrites[i]
	}
	for _, at := range slices.Concat(p.unreadable...) {
		l.blind[at] = true
	}
	// Their author must correct these: a repeated undo cannot.
	for _, at := range p.lost {
		r.final = append(r.final, Refusal{Path: at[:max(0, strings.LastIndex(at, ", line "))], Final: true, Why: fmt.Sprintf("A link in %s was written since and cannot be updated to lead to the same place. Fix it by hand.", at)})
	}
	for _, at := range p.readOnly {
		r.final = append(r.final, Refusal{Path: at, Final: true, Why: fmt.Sprintf("%s was written since and is read-only now, so its links are left unchanged. Fix them by hand.", failure.Quote(at))})
	}
	return l, nil
}

// reached returns the files at, changed by others since a partial move updated their links, that still have links to
// the new path although the move was rolled back.
func (v *workTree) reached(ctx context.Context, c *journal.Change, at []string) ([]string, error) {
	moved, err := v.movedFiles(ctx, &Change{Path: c.Path, NewPath: c.NewPath}, c.Folder)
	if err != nil {
		return nil, err
	}
	p := linkPlan{v: v.Vault, prefilter: links.NewPrefilter(moved)}
	if err := p.read(ctx); err != nil {
		return nil, err
	}
	back := make(map[string]string, len(moved))
	for from, to := range moved {
		back[to] = from
	}
	names := links.NewNames(slices.Concat(p.paths...))
	names.Plain = v.Plain()
	r := links.NewRenaming(names.Renamed(moved), back, links.Format(v.Settings().NewLinkFormat))
	var has []string
	for _, name := range at {
		s, err := v.look(ctx, name, readIt)
		if err != nil {
			return nil, err
		}
		if !s.exists || s.data == nil && s.size > 0 {
			has = append(has, name)
			continue
		}
		called := name
		if to, ok := moved[name]; ok {
			called = to
		}
		if done := r.Rewrite(called, s.data); done.Links+len(done.Lost) > 0 {
			has = append(has, name)
		}
	}
	return has, nil
}

// writtenSince reports whether a file was written after the move.
func (l *relinking) writtenSince(ctx context.Context, t linkText) bool {
	if f := l.files[t.path]; f != nil {
		print := Hash(t.data)
		return print != f.After && print != f.Before
	}
	if l.left[Hash(t.data)] { // renamed since
		return true
	}
	s, err := l.reversal.vault.look(ctx, t.path, statIt)
	return err == nil && s.time.After(l.reversal.back.Time)
}

// put plans the link updates of a file, if it has any.
func (l *relinking) put(ctx context.Context, at, then string) error {
	r, w := l.reversal, l.rewrites[at]
	if w == nil {
		if f := l.files[at]; f != nil && f.Links > 0 && l.blind[at] {
			r.final = append(r.final, Refusal{Path: at, Final: true, Why: fmt.Sprintf("%s was written since and cannot be read (it is too long, or access is denied), so its links are left unchanged. Fix them by hand.", failure.Quote(at))})
		}
		return nil
	}
	delete(l.rewrites, at)
	s, err := r.read(ctx, at)
	if err != nil {
		return err
	}
	if !s.matches(Hash(w.Before)) {
		return errChangedNow(at)
	}
	r.keep[Hash(w.After)] = w.After // there is no other copy, and the diff may be requested
	r.write(&s, at, then, w.After, time.Time{}, w.Links)
	r.lines = append(r.lines, Refusal{Path: then, Why: fmt.Sprintf("kept %s as written since, except for %s", then, text.Count(w.Links, "link"))})
	return nil
}

// rest plans the link updates of the remaining files, by path.
func (l *relinking) rest(ctx context.Context) error {
	c := l.reversal.back
	for _, at := range slices.Sorted(maps.Keys(l.rewrites)) {
		then := at
		if in, ok := strings.CutPrefix(at, c.NewPath); ok && (in == "" || c.Folder && in[0] == '/') {
			then = c.Path + in
		}
		if err := l.put(ctx, at, then); err != nil {
			return err
		}
	}
	return nil
}
