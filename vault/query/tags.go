package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"chatvault/vault/fold"
	"chatvault/vault/note"
	"chatvault/vault/walk"
)

// TagCount is a tag and how much it is used. Case is ignored; Name is spelled as it is most often.
type TagCount struct {
	Name  string `json:"tag"`
	Notes int    `json:"notes" jsonschema:"with it or one nested in it"`
	Own   int    `json:"own" jsonschema:"of these, those with the tag itself"` // 0: it is only what others are nested in
}

// TagCounts are the tags of a scope.
type TagCounts struct {
	Tags   []TagCount // most notes first, equals by name
	Notes  int        // notes that have a tag
	All    int        // notes that were looked at
	Missed Missed
}

// tagUse counts, for one folded tag, its spellings and the notes.
type tagUse struct {
	spellings  map[string]int
	notes, own int
}

// Tags counts the tags of a scope, in the text and in the front matter. "a/b" counts for "a" too.
func (v Queries) Tags(ctx context.Context, s Scope) (TagCounts, error) {
	type part struct {
		uses          map[string]*tagUse
		notes, looked int
	}
	parts := make([]part, walk.Workers())
	missed, err := v.each(ctx, s, func(worker int, t walk.Text) {
		p := &parts[worker]
		p.looked++
		tags := t.Note().Tags
		if len(tags) == 0 {
			return
		}
		p.notes++
		if p.uses == nil {
			p.uses = make(map[string]*tagUse)
		}
		here, own := make(map[string]bool), make(map[string]bool)
		for _, tag := range tags {
			for name := tag.Name; name != ""; name = parentTag(name) {
				key := fold.Name(name)
				use := p.uses[key]
				if use == nil {
					use = &tagUse{spellings: make(map[string]int)}
					p.uses[key] = use
				}
				use.spellings[name]++
				if name == tag.Name { // what somebody wrote whole counts for more
					use.spellings[name]++
				}
				if !here[key] {
					here[key] = true
					use.notes++
				}
				if name == tag.Name && !own[key] {
					own[key] = true
					use.own++
				}
			}
		}
	})
	if err != nil {
		return TagCounts{}, err
	}
	counts := TagCounts{Missed: missed}
	all := make(map[string]*tagUse)
	for _, p := range parts {
		counts.Notes += p.notes
		counts.All += p.looked
		for key, use := range p.uses {
			sum := all[key]
			if sum == nil {
				all[key] = use
				continue
			}
			sum.notes += use.notes
			sum.own += use.own
			for spelling, n := range use.spellings {
				sum.spellings[spelling] += n
			}
		}
	}
	for _, use := range all {
		name := slices.MaxFunc(slices.Sorted(maps.Keys(use.spellings)), func(a, b string) int {
			return cmp.Compare(use.spellings[a], use.spellings[b])
		})
		counts.Tags = append(counts.Tags, TagCount{Name: name, Notes: use.notes, Own: use.own})
	}
	slices.SortFunc(counts.Tags, func(a, b TagCount) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), strings.Compare(fold.Name(a.Name), fold.Name(b.Name)))
	})
	return counts, nil
}

// parentTag is what a tag is nested in; "": nothing.
func parentTag(name string) string {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		return strings.TrimRight(name[:i], "/")
	}
	return ""
}

// TaggedNote is a note that has a tag.
type TaggedNote struct {
	Path string
	Tags []note.Tag // those that were asked for or are nested in it, in order
}

// Tagged finds the notes of a scope that have a tag or one nested in it, by path. tag may begin
// with "#"; case is ignored.
func (v Queries) Tagged(ctx context.Context, tag string, s Scope) ([]TaggedNote, Missed, error) {
	want := fold.Name(strings.Trim(tag, "#/"))
	list, missed, err := collect(ctx, v, s, func(t walk.Text, add func(TaggedNote)) {
		var found []note.Tag
		for _, has := range t.Note().Tags {
			if nestedIn(has.Name, want) {
				found = append(found, has)
			}
		}
		if len(found) > 0 {
			add(TaggedNote{Path: t.Path, Tags: found})
		}
	})
	if err != nil {
		return nil, Missed{}, err
	}
	slices.SortFunc(list, func(a, b TaggedNote) int { return strings.Compare(a.Path, b.Path) })
	return list, missed, nil
}
