package markdown

import (
	"bytes"
	"strings"
	"time"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"chatvault/internal/app/session/cite"
)

// patience is the multiple of the unfinished end's drawing time that must pass before it is redrawn. It bounds the
// CPU share of streaming, however long a list or table grows.
const patience = 8

// Stream draws Markdown while it arrives. Blocks that cannot change any more are drawn once; only the unfinished end
// is redrawn. It is not safe for concurrent use.
type Stream struct {
	r     *Renderer
	src   []byte
	start int // offset in src up to which drawing is final
	// lines holds the drawn lines; the first settled of them are final.
	lines   []string
	settled int
	scanned int // offset in src up to which finished blocks were looked for
	stale   bool
	done    bool
	drawnAt time.Time
	cost    time.Duration

	refs  *references // nil if references are not collected
	cited int         // number of references in the final lines
}

// NewStream returns an empty stream.
func NewStream(r *Renderer) *Stream { return &Stream{r: r} }

// Cite enables references to the vault. It must be called before anything is drawn. find returns what is known of a
// reference and must not block; Lines calls it.
func (s *Stream) Cite(find func(cite.Reference) cite.Finding) { s.refs = &references{find: find} }

// References returns the references in Lines from the top; marks in the lines refer to them by index. The slice is
// valid until the next Append.
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

// Finish marks the text as complete.
func (s *Stream) Finish() {
	if !s.done {
		s.done, s.stale = true, true
	}
}

// Settled returns the number of leading Lines that are final.
func (s *Stream) Settled() int {
	if s.done && !s.stale {
		return len(s.lines)
	}
	return s.settled
}

// Stale reports whether Lines has something new to draw.
func (s *Stream) Stale() bool { return s.stale }

// Lines returns the drawn lines. The slice is valid until the next Append. While text arrives, the unfinished end may
// lag by a small multiple of its drawing time; after Finish the lines are complete.
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
	s.refs.cut(s.cited)
	if tail := s.src[s.start:]; len(tail) > 0 {
		s.draw(parse(tail), tail, nil)
	}
	s.stale = false
	s.drawnAt = time.Now()
	s.cost = s.drawnAt.Sub(began)
	return s.lines
}

// settle draws the finished blocks. A block is finished when another begins after it. Only complete lines count,
// since the rest of a line may change its meaning.
func (s *Stream) settle() {
	whole := bytes.LastIndexByte(s.src, '\n') + 1
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
		last = prev // both may come from one unfinished paragraph
	}
	ended := bytes.LastIndexByte(part[:min(position(last), len(part))], '\n') + 1 // start of the line that contains it
	if ended == 0 {
		return
	}
	s.lines = s.lines[:s.settled]
	s.refs.cut(s.cited)
	s.draw(doc, part, last)
	s.settled = len(s.lines)
	s.start += ended
	s.cited = len(s.References())
}

// draw appends the blocks of doc before end.
func (s *Stream) draw(doc ast.Node, src []byte, end ast.Node) {
	for n := doc.FirstChild(); n != nil && n != end; n = n.NextSibling() {
		lines := s.r.block(n, context{
			src: src, width: s.r.width, refs: s.refs,
			growing: !s.done && end == nil && n.NextSibling() == nil,
		})
		if len(lines) == 0 {
			continue
		}
		if len(s.lines) > 0 && !credits(s.lines, n, src) {
			s.lines = append(s.lines, "")
		}
		s.lines = append(s.lines, lines...)
	}
}
