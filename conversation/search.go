package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/statefile"
)

// Hit is a conversation that a search found.
type Hit struct {
	Entry
	// Excerpts are the passages that hold the most of the words, in the order in which they were
	// said; none where only the title or the summary holds them.
	Excerpts []Excerpt
}

// Excerpt is a passage of a message around a match.
type Excerpt struct {
	TurnID string    `json:"turn_id"`
	Role   Role      `json:"role"`
	Time   time.Time `json:"time"`
	Text   string    `json:"text"` // one line
}

const (
	maxWords    = 32 // of a query
	maxExcerpts = 3  // of a conversation
)

// Search returns the conversations, the active one too, in which every word of query occurs: in
// what the user, the agent and the assistant said, on the active path or a branch, or in title
// and summary; what one carries of another counts where that was removed. A word occurs also
// within a longer one; case and Unicode form are ignored. Those with all words in the title come
// first, then those with all words in one message, then the others; the newest first among them.
// At most limit are returned; where limit is not positive, all.
//
// There is no index of words. The files' bytes are searched, and only lines that hold a word
// are parsed.
func (m *Manager) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words, err := queryWords(query)
	if err != nil {
		return nil, err
	}
	list, err := m.searched()
	if err != nil {
		return nil, err
	}
	dir, err := statefile.Folder(m.store.root, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()

	there := make(map[string]bool, len(list))
	for i := range list {
		there[list[i].ID] = true
	}
	found := make([]match, len(list))
	err = each(ctx, len(list), func(i int, s *scanner) error {
		found[i].entry, found[i].damaged = list[i].Entry, list[i].Damaged
		found[i].orphan = list[i].Continues != "" && !there[list[i].Continues]
		err := s.search(dir, words, &found[i])
		if err != nil {
			err = fmt.Errorf("conversation %s could not be searched: %w", list[i].ID, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found = best(found, words, limit)
	hits := make([]Hit, len(found))
	err = each(ctx, len(found), func(i int, s *scanner) error {
		hits[i].Entry = found[i].entry
		var err error
		hits[i].Excerpts, err = s.excerpts(dir, words, found[i])
		return err
	})
	return hits, err
}

// searched are the entries of the index.
func (m *Manager) searched() ([]indexed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	return slices.Clone(x.Conversations), err
}

// word is a word of a query: its fold, and how that is written in JSON, from the first character
// on that no mark before it can change.
type word struct {
	fold  string
	json  []byte
	plain bool // json is the fold
}

func newWord(folded string) word {
	from := 0
	for from < len(folded) && !norm.NFC.PropertiesString(folded[from:]).BoundaryBefore() {
		_, n := utf8.DecodeRuneInString(folded[from:])
		from += n
	}
	json := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(folded[from:])
	return word{folded, []byte(json), json == folded}
}

// queryWords are the words of a query, once each.
func queryWords(query string) ([]word, error) {
	var words []word
	seen := map[string]bool{}
	for _, f := range strings.FieldsFunc(fold(strings.ToValidUTF8(query, " ")), func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		for f := range strings.FieldsSeq(f) {
			if !seen[f] {
				seen[f] = true
				words = append(words, newWord(f))
			}
		}
	}
	switch {
	case len(words) == 0:
		return nil, errors.New("say what to search for: one or more words, all of which must occur")
	case len(words) > maxWords:
		return nil, fmt.Errorf("search for at most %d words, not %d", maxWords, len(words))
	}
	return words, nil
}

// wordSet are words of a query by their numbers.
type wordSet uint32

func all(words []word) wordSet { return 1<<len(words) - 1 }

// in are the words that occur in a text's fold.
func in(folded string, words []word) (set wordSet) {
	for i := range words {
		if strings.Contains(folded, words[i].fold) {
			set |= 1 << i
		}
	}
	return set
}

// match is what is known of a conversation's words.
type match struct {
	entry    Entry
	damaged  bool    // its file has lines that cannot be read
	orphan   bool    // what it continues is no more: what it carries of it is all there is
	title    wordSet // in the title
	anywhere wordSet // there, in the summary, or in a message
	together bool    // all of them in one message
}

// rank is higher for better matches.
func (f *match) rank(words []word) int {
	switch {
	case f.title == all(words):
		return 2
	case f.together:
		return 1
	}
	return 0
}

// best are the first limit matches that hold all words, in order.
func best(found []match, words []word, limit int) []match {
	kept := slices.DeleteFunc(found, func(f match) bool { return f.anywhere != all(words) })
	slices.SortStableFunc(kept, func(a, b match) int {
		return cmp.Or(b.rank(words)-a.rank(words), b.entry.Last.Compare(a.entry.Last), strings.Compare(b.entry.ID, a.entry.ID))
	})
	if limit > 0 && limit < len(kept) {
		kept = kept[:limit]
	}
	return kept
}
