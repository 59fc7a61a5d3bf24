package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// TagCount is the use of a tag. Case is ignored; Name is the most frequent spelling.
type TagCount struct {
	Name  string `json:"tag"`
	Notes int    `json:"notes" jsonschema:"with it or one nested in it"`
	Own   int    `json:"own" jsonschema:"of these, those with the tag itself"` // 0 if the tag occurs only as the parent of others
}

// TagCounts are the tags of a scope.
type TagCounts struct {
	Tags   []TagCount // most notes first, then by name
	Notes  int        // notes with a tag
	All    int        // notes examined
	Missed Missed
}

// tagUse counts the spellings and notes of one folded tag.
type tagUse struct {
	spellings  map[string]int
	notes, own int
}

// Tags counts the tags of a scope in texts and front matter. "a/b" also counts as "a".
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
				key := pathname.Fold(name)
				use := all[key]
				if use == nil {
					use = &tagUse{spellings: make(map[string]int)}
					all[key] = use
				}
				use.spellings[name]++
				if name == tag.Name { // spellings of complete tags count more than those of parents
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
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), strings.Compare(pathname.Fold(a.Name), pathname.Fold(b.Name)))
	})
	return counts, nil
}

// parentTag returns the parent of a nested tag, or "" if there is none.
func parentTag(name string) string {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		return strings.TrimRight(name[:i], "/")
	}
	return ""
}

// TaggedNote is a note with a tag.
type TaggedNote struct {
	Path string
	Tags []note.Tag // the requested tag and those nested in it
}

// Tagged returns the notes of a scope with a tag or one nested in it, by path. A leading "#" and case are ignored.
func (v Queries) Tagged(ctx context.Context, tag string, s Scope) ([]TaggedNote, Missed, error) {
	want := pathname.Fold(strings.Trim(tag, "#/"))
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
