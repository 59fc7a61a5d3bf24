package conversation

import (
	"context"
	"errors"
	"io/fs"
	"sort"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Hit is a conversation that a search found.
type Hit struct {
	Entry
	Excerpts []Excerpt // where, newest last; none where only the title or the summary holds it
}

// Excerpt is a passage of a message around a match.
type Excerpt struct {
	TurnID string
	Role   Role
	Time   time.Time
	Text   string // one line
}

const (
	maxExcerpts = 3
	around      = 60 // characters before and after a match
)

// Search returns the conversations, the active one too, in which every word of query occurs: in
// what the user, the agent and the assistant said, on the active path or a branch, or in title
// and summary. Case and Unicode form are ignored. Those with all words in the title come first,
// then those with all words in one message, then the newest. limit is that of hits; 0: none.
func (m *Manager) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words := strings.Fields(strings.ToLower(norm.NFC.String(query)))
	if len(words) == 0 {
		return nil, errors.New("say what to search for")
	}
	list, err := m.List()
	if err != nil {
		return nil, err
	}
	type scored struct {
		Hit
		score int
	}
	var found []scored
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c, err := m.store.load(e.ID)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		left := map[string]bool{}
		for _, w := range words {
			left[w] = true
		}
		s := scored{Hit: Hit{Entry: e}}
		look := func(text string) int {
			n := 0
			for _, w := range words {
				if strings.Contains(strings.ToLower(norm.NFC.String(text)), w) {
					n++
					delete(left, w)
				}
			}
			return n
		}
		if look(e.Title) == len(words) {
			s.score = 2
		}
		look(e.Summary)
		for i := range c.tree.nodes {
			t := &c.tree.nodes[i].turn
			for _, msg := range t.Messages {
				if msg.Role == RoleTool {
					continue
				}
				n := look(msg.Content)
				if n == len(words) {
					s.score = max(s.score, 1)
				}
				if n > 0 && len(s.Excerpts) < maxExcerpts {
					s.Excerpts = append(s.Excerpts, Excerpt{t.ID, msg.Role, msg.Time, beginning(msg.Content, 2*around)})
				}
			}
		}
		if len(left) == 0 {
			found = append(found, s)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].score != found[j].score {
			return found[i].score > found[j].score
		}
		return found[i].Last.After(found[j].Last)
	})
	var hits []Hit
	for _, s := range found {
		if limit > 0 && len(hits) == limit {
			break
		}
		hits = append(hits, s.Hit)
	}
	return hits, nil
}
