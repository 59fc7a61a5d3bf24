package offline

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// tagged lists the notes with a tag or one below it.
func (s *script) tagged(tag string) error {
	var entries []listedFile
	for _, e := range s.all {
		if _, here := s.view.notes[e.Path]; here && hasTag(e.Tags, tag) {
			entries = append(entries, listedFile{path: e.Path, modified: day(e.Modified.In(s.now.Location()))})
		}
	}
	if len(entries) == 0 {
		s.sayf("No note has the tag #%s. Say *list tags* to see those there are.", tag)
		return nil
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].modified.After(entries[j].modified) })
	s.foundf("%s with #%s, newest first:\n\n%s", upper(counted(len(entries), "note")), tag, s.fileList(entries, 0))
	return nil
}

func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// hasTag says whether tags hold a tag, or one nested below it, ignoring case.
func hasTag(tags []string, tag string) bool {
	want := retrieval.Fold(strings.TrimPrefix(tag, "#"))
	for _, t := range tags {
		t = retrieval.Fold(t)
		if t == want || strings.HasPrefix(t, want+"/") {
			return true
		}
	}
	return false
}

// tags lists the tags in use.
func (s *script) tags(grammar.Command) error {
	count := map[string]int{}
	for _, e := range s.all {
		for _, t := range e.Tags {
			count[strings.ToLower(t)]++
		}
	}
	if len(count) == 0 {
		s.say("No note has a tag.")
		return nil
	}
	list := make([]string, 0, len(count))
	for t := range count {
		list = append(list, t)
	}
	sort.Slice(list, func(i, j int) bool {
		if count[list[i]] != count[list[j]] {
			return count[list[i]] > count[list[j]]
		}
		return list[i] < list[j]
	})
	var b strings.Builder
	for i, t := range list {
		if i == maxListed {
			fmt.Fprintf(&b, "\n*(and %d more)*", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "- #%s (%d)\n", t, count[t])
	}
	s.foundf("%s, by how many notes have them:\n\n%s", upper(counted(len(list), "tag")), b.String())
	return nil
}
