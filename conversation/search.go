package conversation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/base/routine"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// Hit is a conversation that a search found.
type Hit struct {
	Entry
	// Excerpts are the passages with the most words, in order. There are none if only the title or the summary
	// matches.
	Excerpts []Excerpt
}

// Excerpt is a passage of a message around a match.
type Excerpt struct {
	TurnID string    `json:"turn_id"`
	Role   Role      `json:"role"`
	Time   time.Time `json:"time"`
	Text   string    `json:"text"`             // one line
	Sender string    `json:"sender,omitempty"` // of RoleUser, where several people take part
}

const (
	maxWords    = 32 // of a query
	maxExcerpts = 3  // of a conversation
)

// Search returns the conversations in which every word of query occurs: in messages of the user, the agent or the
// assistant on any branch, in the title or in the summary. Words match inside longer ones; case and Unicode form are
// ignored. Matches in the title come first, then those with all words in one message, newest first. A limit that is
// not positive means no limit. Files are read, newest turn first, until all words are found; there is no word index.
func (m *Manager) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words, err := queryWords(query)
	if err != nil {
		return nil, err
	}
	list, err := m.List()
	if err != nil {
		return nil, err
	}
	found := make([]match, len(list))
	err = each(ctx, len(list), func(i int) error {
		found[i] = match{entry: list[i]}
		return found[i].search(m.store, words, 1)
	})
	if err != nil {
		return nil, err
	}
	found = best(found, words, limit)
	err = each(ctx, len(found), func(i int) error { return found[i].search(m.store, words, maxExcerpts) })
	var hits []Hit
	for _, f := range found {
		h := Hit{Entry: f.entry}
		for _, c := range f.found {
			c.Text = passage(c.Text, words)
			h.Excerpts = append(h.Excerpts, c.Excerpt)
		}
		hits = append(hits, h)
	}
	return hits, err
}

// each calls do for 0 to n-1 concurrently and returns the first error, or that of ctx.
func each(ctx context.Context, n int, do func(i int) error) error {
	var next atomic.Int64
	var wg routine.Group
	errs := make([]error, min(runtime.GOMAXPROCS(0), max(n, 1)))
	for w := range errs {
		wg.Go("conversation search", func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = do(i)
				}
			}
		})
	}
	wg.Wait()
	return cmp.Or(errs...)
}

// fold returns the form in which texts that differ in case or Unicode form only are equal: decomposed, each
// character folded (the simple folding: "ß" is not "ss"), composed again.
func fold(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.Map(foldRune, norm.NFD.String(s)))
}

func foldRune(r rune) rune {
	switch {
	case r >= utf8.RuneSelf:
		return text.FoldRune(r)
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	}
	return r
}

// queryWords returns the folds of a query's words, once each.
func queryWords(query string) ([]string, error) {
	var words []string
	for _, f := range strings.FieldsFunc(fold(strings.ToValidUTF8(query, " ")), func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		for f := range strings.FieldsSeq(f) {
			if !slices.Contains(words, f) {
				words = append(words, f)
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

// wordSet is a set of a query's words, a bit each.
type wordSet uint32

func all(words []string) wordSet { return 1<<len(words) - 1 }

// in returns the words that occur in a folded text.
func in(folded string, words []string) (set wordSet) {
	for i := range words {
		if strings.Contains(folded, words[i]) {
			set |= 1 << i
		}
	}
	return set
}

// match is the search state of a conversation.
type match struct {
	entry    Entry
	title    wordSet   // in the title
	anywhere wordSet   // there, in the summary, or in a message
	together bool      // all words are in one message
	found    []message // with the most words, by time
}

// search finds which words occur in the conversation, and the messages that contain most of them, by time. It stops
// after enough messages that contain all words.
func (f *match) search(s store, words []string, enough int) error {
	f.title = in(fold(f.entry.Title), words)
	f.anywhere = f.title | in(fold(f.entry.Summary), words)
	if enough == 1 && f.title == all(words) {
		return nil
	}
	full := 0
	f.found = nil
	err := f.messages(s, words, func(m message) bool {
		if m.words = in(fold(m.Text), words); m.words == 0 {
			return true
		}
		f.anywhere |= m.words
		f.found = append(f.found, m) // newest first
		if m.words == all(words) {
			full++
		}
		return full < enough
	})
	f.together = full > 0
	slices.SortStableFunc(f.found, func(a, b message) int {
		return bits.OnesCount32(uint32(b.words)) - bits.OnesCount32(uint32(a.words))
	})
	f.found = f.found[:min(len(f.found), maxExcerpts)]
	slices.SortStableFunc(f.found, func(a, b message) int { return a.Time.Compare(b.Time) })
	return err
}

// message is a searched Message.
type message struct {
	Excerpt         // with the whole text
	words   wordSet // in the text
}

// messages calls do with the visible messages that may contain a word, newest first, until it returns false. Missing
// and oversized files have none.
func (f *match) messages(s store, words []string, do func(message) bool) error {
	data, err := statefile.Read(s.root, file(f.entry.ID), maxConversation)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, statefile.ErrTooLarge):
		return nil
	case err != nil:
		return fmt.Errorf("conversation %s could not be searched: %w", f.entry.ID, err)
	}
	parts := text.Of(words, asciiPart)
	for len(data) > 0 {
		i := bytes.LastIndexByte(data, '\n')
		if line := data[i+1:]; mayHold(line, parts) {
			for _, m := range slices.Backward(spoken(line)) {
				if mayHold([]byte(m.Text), parts) && !do(m) {
					return nil
				}
			}
		}
		data = data[:max(i, 0)]
	}
	return nil
}

// asciiPart returns the longest part of a folded word that occurs unchanged, except for case, in texts and in JSON.
func asciiPart(word string) string {
	longest := ""
	for _, part := range strings.FieldsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(`"\/`, r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// foldToASCII lists the non-ASCII characters that fold to ASCII, and the start of a JSON escape.
var foldToASCII = [][]byte{[]byte("\u0130"), []byte("\u017f"), []byte("\u037e"), []byte("\u1fef"), []byte("\u212a"), []byte(`\u`)}

// mayHold reports whether a text, or a line of JSON, may contain a word with one of these parts.
func mayHold(data []byte, parts []string) bool {
	if slices.ContainsFunc(foldToASCII, func(c []byte) bool { return bytes.Contains(data, c) }) {
		return true
	}
	lower := make([]byte, len(data))
	for i, c := range data {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(lower, []byte(part)) })
}

// spokenTurn is the searched part of a turn.
type spokenTurn struct {
	ID       string `json:"id"`
	Messages []struct {
		Role    Role      `json:"role"`
		Time    time.Time `json:"time"`
		Content string    `json:"content"`
		Source  string    `json:"source"`
		Sender  string    `json:"sender"`
	} `json:"messages"`
}

// spoken returns the visible messages of a line; none if it is not a turn.
func spoken(line []byte) (out []message) {
	var r struct {
		Type      string     `json:"type"`
		Turn      spokenTurn `json:"turn"`
		Continues struct {
			Turns []spokenTurn `json:"turns"`
		} `json:"continues"` // in files of older versions
	}
	if json.Unmarshal(line, &r) != nil || r.Type != "turn" && r.Type != "conversation" {
		return nil
	}
	for _, t := range append(r.Continues.Turns, r.Turn) {
		for _, m := range t.Messages {
			if m.Role != RoleTool && m.Source != sourceGoal && m.Content != "" {
				out = append(out, message{Excerpt: Excerpt{t.ID, m.Role, m.Time, m.Content, m.Sender}})
			}
		}
	}
	return out
}

// rank returns a higher number for better matches.
func (f *match) rank(words []string) int {
	switch {
	case f.title == all(words):
		return 2
	case f.together:
		return 1
	}
	return 0
}

// best returns the first limit matches that have all words, in order.
func best(found []match, words []string, limit int) []match {
	kept := slices.DeleteFunc(found, func(f match) bool { return f.anywhere != all(words) })
	slices.SortStableFunc(kept, func(a, b match) int {
		return cmp.Or(b.rank(words)-a.rank(words), b.entry.Last.Compare(a.entry.Last), strings.Compare(b.entry.ID, a.entry.ID))
	})
	if limit > 0 && limit < len(kept) {
		kept = kept[:limit]
	}
	return kept
}

// The approximate size of a passage, in bytes.
const (
	passageBefore = 50
	passageLength = 160
)

// passage returns the part of a text with the most words, on one line, with ellipses where it was cut.
func passage(whole string, words []string) string {
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

const maxPlaces = 100 // occurrences examined for each word

// densest returns the first position of a word in a folded text from which most words occur within width bytes.
func densest(folded string, words []string, width int) (place int, ok bool) {
	most := 0
	for _, word := range words {
		at := 0
		for range maxPlaces {
			i := strings.Index(folded[at:], word)
			if i < 0 {
				break
			}
			at += i
			n := 0
			for _, w := range words {
				if strings.Contains(folded[at:min(at+width+len(w), len(folded))], w) {
					n++
				}
			}
			if n > most || n == most && at < place {
				most, place = n, at
			}
			at += len(word)
		}
	}
	return place, most > 0
}

// origin returns the position in a text that corresponds to one in its fold.
func origin(text string, place int) int {
	n := 0
	var it norm.Iter
	it.InitString(norm.NFD, text)
	for !it.Done() {
		i := it.Pos()
		if n += len(fold(string(it.Next()))); n > place {
			return i
		}
	}
	return len(text)
}

// wordStart returns the start of the first word after start, but not after limit.
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

// wordEnd returns the end of the last word before end, unless that is far away.
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
