package offline

import (
	"path"
	"slices"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
)

// vocabulary holds the properties, tags and kinds that occur in the vault.
type vocabulary struct {
	keys  map[string]string // properties by their stems
	tags  map[string]bool   // folded
	kinds map[string]bool   // stems of the words of folders, tags and properties such as type
}

func vocabularyOf(entries []retrieval.Entry) *vocabulary {
	v := &vocabulary{map[string]string{}, map[string]bool{}, map[string]bool{}}
	seen := map[string]bool{}
	for _, e := range entries {
		for _, t := range e.Tags {
			v.tags[folded(t)] = true
		}
		for _, p := range e.Properties {
			if !seen["\n"+p.Key] {
				seen["\n"+p.Key] = true
				v.keys[retrieval.Stem(p.Key)] = p.Key
			}
		}
		for _, kind := range kindsOf(e) {
			if !seen[kind] {
				seen[kind] = true
				for _, w := range retrieval.Words(kind) {
					v.kinds[retrieval.Stem(w)] = true
				}
			}
		}
	}
	return v
}

// kindsOf is what a note says of its kind: its folder, its tags, and properties such as type.
func kindsOf(e retrieval.Entry) []string {
	if inTemplates(e.Path) {
		return nil
	}
	out := append([]string{path.Base(path.Dir(e.Path))}, e.Tags...)
	for _, p := range e.Properties {
		if strings.HasPrefix(p.Key, "categor") || p.Key == "type" || p.Key == "kind" {
			out = append(out, p.Value)
		}
	}
	return out
}

// isKind reports whether a note is of a kind: "recipes".
func isKind(e retrieval.Entry, kind string) bool {
	stem := retrieval.Stem(folded(kind))
	return slices.ContainsFunc(kindsOf(e), func(k string) bool {
		return slices.ContainsFunc(retrieval.Words(k), func(w string) bool { return retrieval.Stem(w) == stem })
	})
}
