package conversation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"chatvault/internal/routine"
	"chatvault/internal/statefile"
)

// each does something n times, as many at once as there are processors, and returns the first
// error, or that of ctx.
func each(ctx context.Context, n int, do func(i int, s *scanner) error) error {
	var next atomic.Int64
	var wg routine.Group
	errs := make([]error, min(runtime.GOMAXPROCS(0), max(n, 1)))
	for w := range errs {
		wg.Go("conversation search", func() {
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
	return cmp.Or(errs...)
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
	for len(s.data) > 0 && !f.together {
		line, folded := s.line()
		may, does := probe(folded, words)
		if !f.damaged {
			f.anywhere |= does.any
			f.together = f.together || does.together
		}
		if f.together || !may.together && may.any&^f.anywhere == 0 {
			continue // nothing new can be in it
		}
		for _, m := range spoken(line, f.orphan) {
			set := in(fold(m.text), words)
			f.anywhere |= set
			f.together = f.together || set == all(words)
		}
	}
	return nil
}

// excerpts are the passages of a conversation that hold the most of the words.
func (s *scanner) excerpts(dir *os.Root, words []word, f match) ([]Excerpt, error) {
	type candidate struct {
		message
		set wordSet
	}
	if err := s.open(dir, f.entry.ID); err != nil {
		return nil, err
	}
	var found []candidate // newest first
	for full := 0; len(s.data) > 0 && full < maxExcerpts; {
		line, folded := s.line()
		if may, _ := probe(folded, words); may.any == 0 {
			continue
		}
		messages := spoken(line, f.orphan)
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
	slices.SortStableFunc(found, func(a, b candidate) int {
		return bits.OnesCount32(uint32(b.set)) - bits.OnesCount32(uint32(a.set))
	})
	found = found[:min(len(found), maxExcerpts)]
	slices.SortStableFunc(found, func(a, b candidate) int { return a.at.Compare(b.at) })
	var out []Excerpt
	for _, c := range found {
		out = append(out, Excerpt{c.turn, c.role, c.at, passage(c.text, words)})
	}
	return out, nil
}

// open reads a conversation's file; one that is gone is empty.
func (s *scanner) open(dir *os.Root, id string) error {
	s.data, s.folded = nil, s.folded[:0]
	f, info, err := statefile.Open(dir, id+".jsonl", os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	size := int(min(info.Size(), maxConversation))
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

// wordHits says which words some messages hold, and whether one of them wordHits all.
type wordHits struct {
	any      wordSet
	together bool
}

func (h *wordHits) add(set wordSet, words []word) {
	h.any |= set
	h.together = h.together || set == all(words)
}

// probe says, without parsing it, which words a line may hold in what was said, missing none,
// and which ones it does hold for sure: those in messages as we write them.
func probe(folded []byte, words []word) (may, does wordHits) {
	if spelled(folded, words) == 0 {
		return may, does
	}
	ours := bytes.HasPrefix(folded, []byte(`{"type":"turn",`)) && !bytes.Contains(folded, []byte(`"source":"`+sourceGoal+`"`))
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
			does.add(certainWords(c.text, words, set), words)
		}
	}
}

// certainWords are those of the words in set that occur in a text of JSON other than by a letter of an
// escape sequence.
func certainWords(text []byte, words []word, set wordSet) (sure wordSet) {
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

// spokenTurn is what a search reads of a turn.
type spokenTurn struct {
	ID       string `json:"id"`
	Messages []struct {
		Role    Role      `json:"role"`
		Time    time.Time `json:"time"`
		Content string    `json:"content"`
		Source  string    `json:"source"`
	} `json:"messages"`
}

// spoken are the messages of a line that a person reads; none where it is no turn. Those that were
// carried from another conversation are there to be found where that is no more.
func spoken(line []byte, carried bool) []message {
	var r struct {
		Type      string     `json:"type"`
		Turn      spokenTurn `json:"turn"`
		Continues struct {
			Turns []spokenTurn `json:"turns"`
		} `json:"continues"`
	}
	if json.Unmarshal(line, &r) != nil {
		return nil
	}
	var turns []spokenTurn
	switch {
	case r.Type == "turn":
		turns = []spokenTurn{r.Turn}
	case r.Type == "conversation" && carried:
		turns = r.Continues.Turns
	}
	var out []message
	for _, t := range turns {
		for _, m := range t.Messages {
			if m.Role != RoleTool && m.Source != sourceGoal && m.Content != "" {
				out = append(out, message{t.ID, m.Role, m.Time, m.Content})
			}
		}
	}
	return out
}
