package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
	TurnID string
	Role   Role
	Time   time.Time
	Text   string // one line
}

const (
	maxWords    = 32 // of a query
	maxExcerpts = 3  // of a conversation
)

// Search returns the conversations, the active one too, in which every word of query occurs: in
// what the user, the agent and the assistant said, on the active path or a branch, or in title
// and summary. A word occurs also within a longer one; case and Unicode form are ignored. Those
// with all words in the title come first, then those with all words in one message, then the
// others; the newest first among them. At most limit are returned; where limit is not positive,
// all.
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
	dir, err := m.store.root.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()

	found := make([]match, len(list))
	err = each(ctx, len(list), func(i int, s *scanner) error {
		found[i].entry, found[i].damaged = list[i].Entry, list[i].Damaged
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
		hits[i].Excerpts, err = s.excerpts(dir, words, found[i].entry.ID)
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
		for _, f := range strings.Fields(f) {
			if !seen[f] {
				seen[f] = true
				words = append(words, newWord(f))
			}
		}
	}
	switch {
	case len(words) == 0:
		return nil, errors.New("say what to search for: a word, or several that must all occur")
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
	kept := found[:0]
	for _, f := range found {
		if f.anywhere == all(words) {
			kept = append(kept, f)
		}
	}
	sort.SliceStable(kept, func(i, j int) bool {
		a, b := &kept[i], &kept[j]
		if x, y := a.rank(words), b.rank(words); x != y {
			return x > y
		}
		if !a.entry.Last.Equal(b.entry.Last) {
			return a.entry.Last.After(b.entry.Last)
		}
		return a.entry.ID > b.entry.ID
	})
	if limit > 0 && limit < len(kept) {
		kept = kept[:limit]
	}
	return kept
}

// each does something n times, as many at once as there are processors, and returns the first
// error, or that of ctx.
func each(ctx context.Context, n int, do func(i int, s *scanner) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, min(runtime.GOMAXPROCS(0), max(n, 1)))
	for w := range errs {
		wg.Go(func() {
			var s scanner
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = do(i, &s)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// scanner searches files, one at a time, with buffers that it keeps.
type scanner struct {
	data   []byte // of the file, as far as it was not looked at yet
	folded []byte // its fold, line by line
	buffer []byte // where data is read to
}

// search finds which words of a query occur in a conversation.
func (s *scanner) search(dir *os.Root, words []word, f *match) error {
	f.title = in(fold(f.entry.Title), words)
	f.anywhere = f.title | in(fold(f.entry.Summary), words)
	if f.title == all(words) {
		return nil
	}
	if err := s.open(dir, f.entry.ID); err != nil {
		return err
	}
	if f.anywhere|spelled(s.folded, words) != all(words) {
		return nil
	}
	for s.more() && !f.together {
		line, folded := s.line()
		may, does := probe(folded, words)
		if !f.damaged {
			f.anywhere |= does.any
			f.together = f.together || does.together
		}
		if f.together || !may.together && may.any&^f.anywhere == 0 {
			continue // nothing new can be in it
		}
		for _, m := range spoken(line) {
			set := in(fold(m.text), words)
			f.anywhere |= set
			f.together = f.together || set == all(words)
		}
	}
	return nil
}

// excerpts are the passages of a conversation that hold the most of the words.
func (s *scanner) excerpts(dir *os.Root, words []word, id string) ([]Excerpt, error) {
	type candidate struct {
		message
		set wordSet
	}
	if err := s.open(dir, id); err != nil {
		return nil, err
	}
	var found []candidate // newest first
	for full := 0; s.more() && full < maxExcerpts; {
		line, folded := s.line()
		if may, _ := probe(folded, words); may.any == 0 {
			continue
		}
		messages := spoken(line)
		for i := len(messages) - 1; i >= 0; i-- {
			set := in(fold(messages[i].text), words)
			if set == 0 {
				continue
			}
			found = append(found, candidate{messages[i], set})
			if set == all(words) {
				full++
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		return bits.OnesCount32(uint32(found[i].set)) > bits.OnesCount32(uint32(found[j].set))
	})
	found = found[:min(len(found), maxExcerpts)]
	sort.SliceStable(found, func(i, j int) bool { return found[i].at.Before(found[j].at) })
	var out []Excerpt
	for _, c := range found {
		out = append(out, Excerpt{c.turn, c.role, c.at, passage(c.text, words)})
	}
	return out, nil
}

// open reads a conversation's file; one that is gone is empty.
func (s *scanner) open(dir *os.Root, id string) error {
	s.data, s.folded = nil, s.folded[:0]
	// O_NONBLOCK: should a FIFO have taken the name meanwhile, opening must not hang.
	f, err := dir.OpenFile(id+".jsonl", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	size := int(info.Size())
	if cap(s.buffer) < size {
		s.buffer = make([]byte, size+size/4)
	}
	n, err := io.ReadFull(f, s.buffer[:size])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	s.data = s.buffer[:n]
	s.folded = appendFold(s.folded, plain(s.data))
	return nil
}

// more says whether there are lines that were not looked at yet.
func (s *scanner) more() bool { return len(s.data) > 0 }

// line takes the last line, as it is and as its fold.
func (s *scanner) line() (line, folded []byte) {
	i, j := bytes.LastIndexByte(s.data, '\n'), bytes.LastIndexByte(s.folded, '\n')
	line, folded = s.data[i+1:], s.folded[j+1:]
	s.data, s.folded = s.data[:max(i, 0)], s.folded[:max(j, 0)]
	return line, folded
}

// spelled are the words that occur in folded JSON, wherever.
func spelled(folded []byte, words []word) (set wordSet) {
	for i := range words {
		if bytes.Contains(folded, words[i].json) {
			set |= 1 << i
		}
	}
	return set
}

// holds says which words some messages hold, and whether one of them holds all.
type holds struct {
	any      wordSet
	together bool
}

func (h *holds) add(set wordSet, words []word) {
	h.any |= set
	h.together = h.together || set == all(words)
}

// probe says, without parsing it, which words a line may hold in what was said, missing none,
// and which ones it does hold for sure: those in messages as we write them.
func probe(folded []byte, words []word) (may, does holds) {
	if spelled(folded, words) == 0 {
		return may, does
	}
	ours := bytes.HasPrefix(folded, []byte(`{"type":"turn",`))
	for {
		c, after := nextContent(folded)
		if after == nil {
			return may, does
		}
		folded = after
		if c.role == "tool" {
			continue
		}
		set := spelled(c.text, words)
		may.add(set, words)
		if set != 0 && ours && c.role != "" && !bytes.Contains(c.text, []byte(`\u`)) {
			does.add(surely(c.text, words, set), words)
		}
	}
}

// surely are those of the words in set that occur in a text of JSON other than by a letter of an
// escape sequence.
func surely(text []byte, words []word, set wordSet) (sure wordSet) {
	for i := range words {
		if set&(1<<i) == 0 || !words[i].plain {
			continue
		}
		for at := 0; ; {
			k := bytes.Index(text[at:], words[i].json)
			if k < 0 {
				break
			}
			if at += k; at == 0 || text[at-1] != '\\' {
				sure |= 1 << i
				break
			}
			at++
		}
	}
	return sure
}

// content is the text of a message as JSON has it, and the message's role where it is written as
// we write it.
type content struct {
	text []byte
	role string
}

var contentKey = []byte(`"content"`)

// nextContent is the next text of a message of JSON and what follows it; nil where there is none.
// Within a string no such key can stand: its quotes would be escaped.
func nextContent(data []byte) (c content, after []byte) {
	for {
		i := bytes.Index(data, contentKey)
		if i < 0 {
			return c, nil
		}
		before := data[:i]
		data = bytes.TrimLeft(data[i+len(contentKey):], " \t")
		if len(data) == 0 || data[0] != ':' {
			continue
		}
		data = bytes.TrimLeft(data[1:], " \t")
		if len(data) == 0 || data[0] != '"' {
			continue
		}
		data = data[1:]
		end := stringEnd(data)
		return content{data[:end], roleBefore(before)}, data[end:]
	}
}

// stringEnd is where the JSON string ends that data begins within.
func stringEnd(data []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			return len(data)
		}
		i += n
		k := i
		for k > 0 && data[k-1] == '\\' {
			k--
		}
		if (i-k)%2 == 0 {
			return i
		}
	}
}

// roleBefore is the role in {"role":"user","time":"…", which we write before a message's text,
// with an id in front or without; empty where something else stands there.
func roleBefore(before []byte) string {
	before, ok := bytes.CutSuffix(before, []byte(`",`))
	if !ok {
		return ""
	}
	before, ok = bytes.CutSuffix(before[:bytes.LastIndexByte(before, '"')+1], []byte(`","time":"`))
	if !ok {
		return ""
	}
	i := bytes.LastIndexByte(before, '"')
	if !bytes.HasSuffix(before[:i+1], []byte(`"role":"`)) {
		return ""
	}
	switch role := Role(before[i+1:]); role {
	case RoleUser, RoleAssistant, RoleAgent, RoleTool:
		return string(role)
	}
	return ""
}

// message is what a search looks at of a Message.
type message struct {
	turn string
	role Role
	at   time.Time
	text string
}

// spoken are the messages of a line that a person reads; none where it is no turn.
func spoken(line []byte) []message {
	var r struct {
		Type string `json:"type"`
		Turn struct {
			ID       string `json:"id"`
			Messages []struct {
				Role    Role      `json:"role"`
				Time    time.Time `json:"time"`
				Content string    `json:"content"`
			} `json:"messages"`
		} `json:"turn"`
	}
	if json.Unmarshal(line, &r) != nil || r.Type != "turn" {
		return nil
	}
	var out []message
	for _, m := range r.Turn.Messages {
		if m.Role != RoleTool && m.Content != "" {
			out = append(out, message{r.Turn.ID, m.Role, m.Time, m.Content})
		}
	}
	return out
}
