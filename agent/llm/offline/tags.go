package offline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/retrieval"
)

// hasTag says whether tags hold a tag, or one nested below it, ignoring case.
func hasTag(tags []string, tag string) bool {
	want := retrieval.Fold(strings.TrimPrefix(tag, "#"))
	return slices.ContainsFunc(tags, func(t string) bool { return strings.HasPrefix(retrieval.Fold(t)+"/", want+"/") })
}

// tags lists the tags in use.
func (s *script) tags(grammar.Command) {
	count := map[string]int{}
	for _, e := range s.all {
		for _, t := range e.Tags {
			count[strings.ToLower(t)]++
		}
	}
	if len(count) == 0 {
		s.say("No note has a tag.")
		return
	}
	list := slices.Sorted(maps.Keys(count))
	slices.SortStableFunc(list, func(a, b string) int { return count[b] - count[a] })
	s.sayf("%s, by how many notes have them:\n\n%s", counted(len(list), "tag"),
		bullets(len(list), func(i int) string { return fmt.Sprintf("#%s (%d)", list[i], count[list[i]]) }))
}
