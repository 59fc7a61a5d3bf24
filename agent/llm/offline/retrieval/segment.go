package retrieval

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"chatvault/internal/routine"
)

// maxIndexed bounds the bytes of one note that are indexed; the rest of a longer note is not searched.
const maxIndexed = 4 << 20

// Weights of the fields beside the text, in quarters of an occurrence in the text.
const (
	weightTitle    = 28
	weightAlias    = 24
	weightHeading  = 10
	weightTag      = 14
	weightProperty = 8
	weightFolder   = 4
)

// posting says how often a term occurs in a document.
type posting struct {
	doc  uint32
	body uint16 // occurrences in the text, properties included
	meta uint16 // occurrences in the other fields, times their weight
}

// document is a note in a segment.
type document struct {
	Entry
	length uint32 // bytes that were indexed
	gone   bool   // deleted or replaced since
}

// segment is a part of the index: some documents and their postings. Only gone changes
// after it was built.
type segment struct {
	docs     []document
	terms    map[string]uint32 // stem to index into postings
	postings [][]posting
	bare     bool // its documents have no meta but the dates in their names
}

// segmentBuilder makes one segment on one goroutine.
type segmentBuilder struct {
	seg    *segment
	stems  map[string]uint32      // token as written to term
	counts []count                // per term, of the document being added
	seen   []uint32               // terms with a count
	wanted func(stem string) bool // nil: all are
}

// noTerm stands for a word that is not counted.
const noTerm = 1<<32 - 1

type count struct{ body, meta uint32 }

func newSegmentBuilder() *segmentBuilder {
	return &segmentBuilder{
		seg:   &segment{terms: make(map[string]uint32, 1024)},
		stems: make(map[string]uint32, 1024),
	}
}

func (b *segmentBuilder) term(tok []byte) uint32 {
	if id, ok := b.stems[string(tok)]; ok {
		return id
	}
	word := string(tok)
	stem := Stem(word)
	id, ok := b.seg.terms[stem]
	if !ok && b.wanted != nil && !b.wanted(stem) {
		id = noTerm
	} else if !ok {
		id = uint32(len(b.seg.postings))
		b.seg.terms[stem] = id
		b.seg.postings = append(b.seg.postings, nil)
		b.counts = append(b.counts, count{})
	}
	b.stems[word] = id
	return id
}

// field counts the tokens of text; weight 0 is the note's text itself.
func (b *segmentBuilder) field(text []byte, weight uint32) (n int) {
	eachToken(text, func(tok []byte) {
		n++
		id := b.term(tok)
		c := &b.counts[id]
		if c.body == 0 && c.meta == 0 {
			b.seen = append(b.seen, id)
		}
		if weight == 0 {
			c.body++
		} else {
			c.meta += weight
		}
	})
	return n
}

// add indexes a note.
func (b *segmentBuilder) add(n Note, text []byte) {
	text = text[:min(len(text), maxIndexed)]
	doc := document{Entry: Entry{Note: n}, length: uint32(len(text))}
	m := &doc.Meta
	*m = parseMeta(n.Path, text, func(l Line, props []Property, title bool) {
		for _, p := range props {
			if !isListKey(p.Key) && p.Key != "title" {
				doc.Words += b.field([]byte(p.Key), 0) + b.field([]byte(p.Value), 0)
				b.field([]byte(p.Value), weightProperty)
			}
		}
		if l.Kind == LineProperty {
			return
		}
		if l.Kind == LineHeading && !title {
			b.field(l.Text, weightHeading)
		}
		doc.Words += b.field(l.Text, 0)
		if l.Open() {
			doc.OpenTasks++
		}
	})
	b.field([]byte(Name(n.Path)), weightTitle)
	if m.Title != "" && m.Title != Name(n.Path) {
		b.field([]byte(m.Title), weightAlias)
	}
	for _, a := range m.Aliases {
		b.field([]byte(a), weightAlias)
	}
	for _, t := range m.Tags {
		b.field([]byte(t), weightTag)
	}
	b.field([]byte(folderOf(n.Path)), weightFolder)
	b.flush(doc)
}

// flush turns the counts of a document into postings.
func (b *segmentBuilder) flush(doc document) {
	id := uint32(len(b.seg.docs))
	for _, t := range b.seen {
		c := &b.counts[t]
		b.seg.postings[t] = append(b.seg.postings[t], posting{id, saturate(c.body), saturate(c.meta)})
		*c = count{}
	}
	b.seen = b.seen[:0]
	b.seg.docs = append(b.seg.docs, doc)
}

func saturate(n uint32) uint16 { return uint16(min(n, 1<<16-1)) }

func folderOf(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }

// buildSegments reads and indexes notes with several goroutines, one segment each.
// A note that cannot be read is left out: it is not there for the questions asked now and is
// tried again when it changes.
func buildSegments(ctx context.Context, c Corpus, notes []Note) ([]*segment, error) {
	slices.SortFunc(notes, func(a, b Note) int { return strings.Compare(a.Path, b.Path) })
	workers := max(1, min(runtime.GOMAXPROCS(0), len(notes)/64+1))
	segments := make([]*segment, workers)
	var next atomic.Int64
	var wg routine.Group
	for w := range workers {
		wg.Go("read notes", func() {
			b := newSegmentBuilder()
			for i := next.Add(1) - 1; int(i) < len(notes) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if text, err := c.Read(ctx, notes[i].Path); err == nil {
					b.add(notes[i], text)
				}
			}
			segments[w] = b.seg
		})
	}
	wg.Wait()
	return segments, ctx.Err()
}

// sameVersion says whether a note is still the one that was indexed.
func sameVersion(a, b Note) bool {
	return a.Size == b.Size && a.Modified.Equal(b.Modified) && !a.Modified.Equal(time.Time{})
}
