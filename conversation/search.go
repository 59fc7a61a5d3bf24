package conversation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"chatvault/internal/base/routine"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/vault/linematch"
)

// Hit is a conversation that a search found.
type Hit struct {
	Entry
	// Excerpts are the passages with the most words, in order. There are none if only the title or the summary
	// matches.
	Excerpts []Excerpt

	rank int // zero if a word is missing
}

// Excerpt is a passage of a message around a match.
type Excerpt struct {
	TurnID string    `json:"turn_id"`
	Role   Role      `json:"role"`
	Time   time.Time `json:"time"`
	Text   string    `json:"text"`             // one line
	Sender string    `json:"sender,omitempty"` // of RoleUser, where several people take part
}

// The ranks of a Hit.
const (
	rankAnywhere = 1 + iota
	rankMessage  // all words are in one message
	rankTitle    // all words are in the title
)

const maxExcerpts = 3 // of a conversation

// Search returns the conversations in which every word of query occurs: in messages of the user, the agent or the
// assistant on any branch, in the title or in the summary. Words match inside longer ones, in either case and in every
// form of their letters. Matches in the title come first, then those with all words in one message, newest first. A
// limit that is not positive means no limit. Every file is read; there is no word index.
func (m *Manager) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	words, err := parseWords(query)
	if err != nil {
		return nil, err
	}
	list, err := m.List()
	if err != nil {
		return nil, err
	}
	hits, errs := make([]Hit, len(list)), make([]error, len(list))
	var next atomic.Int64
	var wg routine.Group
	for range runtime.GOMAXPROCS(0) {
		wg.Go("conversation search", func() {
			for i := int(next.Add(1)) - 1; i < len(list) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				hits[i], errs[i] = m.store.search(list[i], words)
			}
		})
	}
	wg.Wait()
	if err := cmp.Or(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.rank == 0 })
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(b.rank-a.rank, b.Last.Compare(a.Last), strings.Compare(b.ID, a.ID))
	})
	if limit > 0 && limit < len(hits) {
		hits = hits[:limit]
	}
	return hits, nil
}

// searched holds the words of a query, longest first.
type searched struct {
	each []*linematch.Pattern
	line *linematch.Pattern // matches the lines of a file that may contain one of them
}

// parseWords returns the words of a query.
func parseWords(query string) (w searched, err error) {
	list := strings.FieldsFunc(strings.ToValidUTF8(query, " "), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	if len(list) == 0 {
		return w, errors.New("say what to search for: one or more words, all of which must occur")
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	anywhere := `\\u|\\/` // escapes that only other programs write
	for _, word := range list {
		p, err := linematch.Compile(regexp.QuoteMeta(word), false)
		if err != nil {
			return w, err
		}
		w.each = append(w.each, p)
		quoted, _ := text.JSON(word) // a string can always be encoded
		anywhere += "|" + regexp.QuoteMeta(string(quoted[1:len(quoted)-1]))
	}
	w.line, err = linematch.Compile(anywhere, false)
	return w, err
}

// place returns the offset of a word's first match in a text, or -1.
func place(word *linematch.Pattern, text string) int {
	data := []byte(text)
	for line := range word.Lines(data, word.Special(data), nil) {
		return line.At
	}
	return -1
}

// search searches a conversation. A missing or oversized file has no messages.
func (s store) search(e Entry, w searched) (Hit, error) {
	data, err := statefile.Read(s.root, file(e.ID), maxConversation)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, statefile.ErrTooLarge) {
		return Hit{}, fmt.Errorf("conversation %s could not be searched: %w", e.ID, err)
	}
	seen := map[*linematch.Pattern]bool{}
	count := func(text string) (n int) {
		for _, word := range w.each {
			if place(word, text) >= 0 {
				n++
				seen[word] = true
			}
		}
		return n
	}
	inTitle, whole := count(e.Title), 0 // whole is the number of messages with all words
	count(e.Summary)
	var found []Excerpt        // newest first
	counts := map[string]int{} // of words, by text
	for _, line := range slices.Backward(slices.Collect(w.line.Lines(data, w.line.Special(data), nil))) {
		for _, x := range slices.Backward(spoken(data[line.Start:line.End])) {
			if counts[x.Text] = count(x.Text); counts[x.Text] > 0 {
				found = append(found, x)
			}
			if counts[x.Text] == len(w.each) {
				whole++
			}
		}
		if whole >= maxExcerpts {
			break
		}
	}
	if len(seen) < len(w.each) {
		return Hit{}, nil
	}
	h := Hit{Entry: e, rank: rankAnywhere}
	switch {
	case inTitle == len(w.each):
		h.rank = rankTitle
	case whole > 0:
		h.rank = rankMessage
	}
	slices.SortStableFunc(found, func(a, b Excerpt) int { return counts[b.Text] - counts[a.Text] })
	found = found[:min(len(found), maxExcerpts)]
	slices.SortStableFunc(found, func(a, b Excerpt) int { return a.Time.Compare(b.Time) })
	for _, x := range found {
		x.Text = w.passage(x.Text)
		h.Excerpts = append(h.Excerpts, x)
	}
	return h, nil
}

// spoken returns the visible messages in a line of a file, with their whole texts; none if it is not a turn.
func spoken(line []byte) (out []Excerpt) {
	var r struct {
		Type string `json:"type"`
		Turn struct {
			ID       string `json:"id"`
			Messages []struct {
				Role    Role      `json:"role"`
				Time    time.Time `json:"time"`
				Content string    `json:"content"`
				Source  string    `json:"source"`
				Sender  string    `json:"sender"`
			} `json:"messages"`
		} `json:"turn"`
	}
	if json.Unmarshal(line, &r) != nil || r.Type != "turn" {
		return nil
	}
	for _, m := range r.Turn.Messages {
		if m.Role != RoleTool && m.Source != sourceGoal && m.Content != "" {
			out = append(out, Excerpt{r.Turn.ID, m.Role, m.Time, m.Content, m.Sender})
		}
	}
	return out
}

// The approximate size of a passage, in bytes.
const (
	passageBefore = 50
	passageLength = 160
)

// passage returns the part of a text around the longest word in it, on one line, with ellipses where it was cut.
func (w searched) passage(whole string) string {
	at := 0
	for _, word := range w.each {
		if at = place(word, whole); at >= 0 {
			break
		}
	}
	start := max(at-passageBefore, 0)
	end := min(start+passageLength, len(whole))
	s := text.OneLine(strings.ToValidUTF8(whole[start:end], ""))
	if start > 0 {
		s = "…" + s
	}
	if end < len(whole) {
		s += "…"
	}
	return s
}
