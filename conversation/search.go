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
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/statefile"
	"chatvault/internal/text"
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

// How much of a text a passage shows, in bytes, about.
const (
	passageBefore = 50
	passageLength = 160
)

// passage is the part of a text, in one line, that holds the most of the words; an ellipsis says
// where it was cut.
func passage(whole string, words []word) string {
	from := 0
	if p, ok := densest(fold(whole), words, passageLength-passageBefore); ok {
		from = origin(whole, p)
	}
	start, end := max(from-passageBefore, 0), min(max(from-passageBefore, 0)+passageLength, len(whole))
	start, end = wordStart(whole, start, from), wordEnd(whole, end)
	s := text.OneLine(whole[start:end])
	if strings.TrimSpace(whole[:start]) != "" {
		s = "…" + s
	}
	if strings.TrimSpace(whole[end:]) != "" {
		s += "…"
	}
	return s
}

const maxPlaces = 100 // of each word that are looked at

// densest is the first place of a word in a text's fold from which on, within width bytes, the
// most of the words occur.
func densest(folded string, words []word, width int) (place int, ok bool) {
	type at struct{ place, word int }
	var places []at
	for w := range words {
		for i, n := 0, 0; n < maxPlaces; n++ {
			k := strings.Index(folded[i:], words[w].fold)
			if k < 0 {
				break
			}
			places = append(places, at{i + k, w})
			i += k + len(words[w].fold)
		}
	}
	slices.SortFunc(places, func(a, b at) int { return a.place - b.place })
	most := 0
	for i, p := range places {
		var set wordSet
		n := 0
		for _, q := range places[i:] {
			if q.place > p.place+width {
				break
			}
			if set&(1<<q.word) == 0 {
				set |= 1 << q.word
				n++
			}
		}
		if n > most {
			most, place, ok = n, p.place, true
		}
		if most == len(words) {
			break
		}
	}
	return place, ok
}

// origin is the place in a text that a place of its fold is from.
func origin(text string, place int) int {
	if strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return place
	}
	n := 0 // of the fold
	for i, r := range text {
		f := folded(r)
		if f.composes() || f.class() > 0 {
			return originOfComposed(text, place)
		}
		if n += utf8.RuneLen(f.rune()); n > place {
			return i
		}
	}
	return len(text)
}

// originOfComposed is origin where characters compose or change places.
func originOfComposed(text string, place int) int {
	n := 0
	var it norm.Iter
	it.InitString(norm.NFD, text)
	for !it.Done() {
		i := it.Pos()
		if n += len(appendFullFold(nil, it.Next())); n > place {
			return i
		}
	}
	return len(text)
}

// wordStart is the beginning of the word after start, but not after limit.
func wordStart(text string, start, limit int) int {
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	if start == 0 {
		return 0
	}
	if i := strings.IndexFunc(text[start:limit], unicode.IsSpace); i >= 0 {
		return start + i
	}
	return start
}

// wordEnd is the end of the last word before end, unless that is far.
func wordEnd(text string, end int) int {
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	if end == len(text) {
		return end
	}
	if i := strings.LastIndexFunc(text[:end], unicode.IsSpace); i > end-30 {
		return i
	}
	return end
}
