package offline

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

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
	s.sayf("%s, by how many notes have them:\n\n%s", upper(counted(len(list), "tag")), b.String())
	return nil
}
