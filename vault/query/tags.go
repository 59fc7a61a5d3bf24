package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

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
	var looked atomic.Int64
	notes, missed, err := collect(ctx, v, s, func(t walk.Text, add func([]note.Tag)) {
		looked.Add(1)
		if tags := t.Note().Tags; len(tags) > 0 {
			add(tags)
		}
	})
	if err != nil {
		return TagCounts{}, err
	}
	all := make(map[string]*tagUse)
	for _, tags := range notes {
		here, own := make(map[string]bool), make(map[string]bool)
		for _, tag := range tags {
			for name := tag.Name; name != ""; name = parentTag(name) {
				key := fold.Name(name)
				use := all[key]
				if use == nil {
					use = &tagUse{spellings: make(map[string]int)}
					all[key] = use
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
	}
	counts := TagCounts{Notes: len(notes), All: int(looked.Load()), Missed: missed}
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
