package markdown

import (
	"bytes"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"chatvault/internal/session/cite"
)

// patience is how many times the cost of drawing the unfinished end must pass
// before it is drawn again: it bounds the share of the processor that streaming
// takes, however long a list or table grows.
const patience = 8

// Stream draws Markdown that is still arriving. Blocks that cannot change any
// more are drawn once; only the unfinished end is drawn again. It is not safe
// for concurrent use.
type Stream struct {
	r     *Renderer
	src   []byte
	start int // src before it is drawn for good
	// lines holds what is drawn; the first settled of them for good.
	lines   []string
	settled int
	scanned int // src before it was looked through for finished blocks
	stale   bool
	done    bool
	drawnAt time.Time
	cost    time.Duration

	refs  *references // nil: they are not looked for
	cited int         // how many of them belong to what is drawn for good
}

// NewStream begins an empty text.
func NewStream(r *Renderer) *Stream { return &Stream{r: r} }

// Cite has what the text refers to in the vault looked for, before anything is drawn: find says
// what is known of a reference, at once. It is called from where Lines is.
func (s *Stream) Cite(find func(cite.Reference) cite.Finding) { s.refs = &references{find: find} }

// References are those in Lines, in order; a reference's number in the lines' marks is its place
// here. The slice is the stream's own and is valid until the next Append.
func (s *Stream) References() []Cited {
	if s.refs == nil {
		return nil
	}
	return s.refs.list
}

// Append adds text to the end.
func (s *Stream) Append(text string) {
	if text == "" {
		return
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r", "")
	}
	s.src = append(s.src, text...)
	s.stale = true
}

// Finish says that no more text comes.
func (s *Stream) Finish() {
	if !s.done {
		s.done, s.stale = true, true
	}
}

// Settled is how many of Lines, from the first, will never change.
func (s *Stream) Settled() int {
	if s.done && !s.stale {
		return len(s.lines)
	}
	return s.settled
}

// Stale says that Lines has something new to draw.
func (s *Stream) Stale() bool { return s.stale }

// Lines gives the drawn lines. The slice is the stream's own and is valid until
// the next Append. While text arrives the unfinished end may lag behind by a
// small multiple of what drawing it costs; after Finish everything is there.
func (s *Stream) Lines() []string {
	if !s.stale {
		return s.lines
	}
	began := time.Now()
	if !s.done && began.Sub(s.drawnAt) < patience*s.cost {
		return s.lines
	}
	s.settle()
	s.lines = s.lines[:s.settled]
	s.refs.back(s.cited)
	if tail := s.src[s.start:]; len(tail) > 0 {
		s.draw(parse(tail), tail, nil)
	}
	s.stale = false
	s.drawnAt = time.Now()
	s.cost = s.drawnAt.Sub(began)
	return s.lines
}

// settle draws for good the blocks that have ended. A block has ended when
// another begins after it; only whole lines count, for a line's beginning may
// still turn it into something else.
func (s *Stream) settle() {
	whole := bytes.LastIndexByte(s.src, '\n') + 1
	if s.start == 0 && !s.frontMatter(whole) {
		return
	}
	if whole <= s.scanned || whole <= s.start {
		return
	}
	s.scanned = whole
	part := s.src[s.start:whole]
	doc := parse(part)
	last := doc.LastChild()
	if last == nil {
		return
	}
	if prev := last.PreviousSibling(); prev != nil && last.Kind() == extast.KindTable {
		last = prev // both may come of one paragraph, which has not ended
	}
	ended := bytes.LastIndexByte(part[:min(position(last), len(part))], '\n') + 1 // where the line begins that holds it
	// Of a paragraph that holds a table and becomes a heading, the parser puts the
	// table first, although it begins later.
	for prev := last.PreviousSibling(); prev != nil && position(prev) >= ended; prev = prev.PreviousSibling() {
		last = prev
	}
	if ended == 0 {
		return
	}
	s.lines = s.lines[:s.settled]
	s.refs.back(s.cited)
	s.draw(doc, part, last)
	s.settled = len(s.lines)
	s.start += ended
	s.cited = s.refs.mark()
}

// frontMatter draws front matter at the very start of the text; false while it
// is not known yet whether there is any.
func (s *Stream) frontMatter(whole int) bool {
	head := string(s.src[:min(len(s.src), 8<<10)])
	length, open := frontMatter(head)
	if open && !s.done && len(s.src) < 8<<10 {
		return false
	}
	if length == 0 || length > whole && !s.done {
		return length == 0
	}
	text := strings.TrimRight(head[:length], "\n")
	s.lines = append(s.lines[:0], wrap([]span{{text: text, open: s.r.styles.FrontMatter}}, s.r.width)...)
	s.settled = len(s.lines)
	s.start = length
	return true
}

// draw appends the blocks of doc up to, and without, end.
func (s *Stream) draw(doc ast.Node, src []byte, end ast.Node) {
	for n := doc.FirstChild(); n != nil && n != end; n = n.NextSibling() {
		lines := s.r.block(n, context{
			src: src, width: s.r.width, refs: s.refs,
			growing: !s.done && end == nil && n.NextSibling() == nil,
		})
		if len(lines) == 0 {
			continue
		}
		if len(s.lines) > 0 {
			s.lines = append(s.lines, "")
		}
		s.lines = append(s.lines, lines...)
	}
}
