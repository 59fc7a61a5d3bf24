// Package retrieval ranks Markdown notes for a question asked in plain words.
//
// It keeps a compact inverted index of the whole corpus (terms and counts, never
// the text), refreshed by size and modification time, scores notes with BM25F over
// title, aliases, headings, tags, properties and text, widens the words of a question
// with a general English thesaurus and with corrected spellings, and then reads the few
// best notes again to find the passage that answers. The same corpus and the same question
// always give the same hits.
//
// An Index is safe for concurrent use.
package retrieval

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/routine"
)

// Note is a note as a walk over the corpus sees it.
type Note struct {
	Path     string // relative, '/' separated
	Size     int64  // bytes
	Modified time.Time
}

// Corpus is access to the notes. Whoever implements it decides what is visible:
// what it does not yield is never read, ranked or quoted.
type Corpus interface {
	// Notes yields every note, in any order. It may be called often and should be cheap:
	// the index calls it before each question to see what changed. An error yielded ends
	// the walk when the note's path is empty, else it skips that note.
	Notes(ctx context.Context) iter.Seq2[Note, error]
	// Read returns the whole text of a note that Notes yielded.
	Read(ctx context.Context, path string) ([]byte, error)
	// Head returns the first bytes of such a note, at most max.
	Head(ctx context.Context, path string, max int) ([]byte, error)
	// Mark is the same as long as the notes are; nil where that is not known without a walk over them.
	Mark(ctx context.Context) any
}

// maxSmallSegments bounds the segments that refreshes leave behind before they are made one.
const maxSmallSegments = 8

// Index is the inverted index of a corpus.
type Index struct {
	corpus Corpus

	refresh  sync.Mutex // one refresh at a time
	mark     any        // of the corpus, when it was taken in last
	mu       sync.RWMutex
	segments []*segment
	where    map[string]location // by path
	bytes    int64               // of the documents in where
	gone     int
	filled   atomic.Bool
	former   map[string]Entry // notes that are not there any more, by path
}

// maxFormer bounds how many notes that are gone are remembered.
const maxFormer = 5000

type location struct {
	seg *segment
	doc uint32
}

func (l location) document() *document { return &l.seg.docs[l.doc] }

// NewIndex returns an empty index over c; the first Refresh fills it.
func NewIndex(c Corpus) *Index {
	return &Index{corpus: c}
}

// Refresh brings the index up to date with the corpus: it walks it, and reads what is new or has
// another size or modification time. The first call reads everything.
func (x *Index) Refresh(ctx context.Context) error {
	x.refresh.Lock()
	defer x.refresh.Unlock()
	mark := x.corpus.Mark(ctx)
	if mark != nil && mark == x.mark {
		return nil
	}
	if err := x.compare(ctx); err != nil {
		return err
	}
	x.mark = mark
	x.filled.Store(true)
	return nil
}

// Filled says whether the index was made, so that a Refresh takes in only what changed.
func (x *Index) Filled() bool { return x.filled.Load() }

// compare takes in what the corpus holds otherwise than the index.
func (x *Index) compare(ctx context.Context) error {
	seen := make(map[string]bool)
	var changed []Note
	x.mu.RLock()
	known := x.where
	x.mu.RUnlock()
	for n, err := range x.corpus.Notes(ctx) {
		if err != nil {
			if n.Path == "" {
				return fmt.Errorf("walk the notes: %w", err)
			}
			continue
		}
		seen[n.Path] = true
		if at, ok := known[n.Path]; !ok || !sameVersion(at.document().Note, n) {
			changed = append(changed, n)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var deleted []string
	for p := range known {
		if !seen[p] {
			deleted = append(deleted, p)
		}
	}
	if len(changed) == 0 && len(deleted) == 0 {
		return nil
	}
	segments, err := buildSegments(ctx, x.corpus, changed)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.apply(changed, deleted, segments)
	crowded := len(x.segments) > runtime.GOMAXPROCS(0)+maxSmallSegments || x.gone > 1000 && x.gone > len(x.where)/2
	x.mu.Unlock()
	if crowded {
		return x.compact(ctx)
	}
	return nil
}

// apply takes new segments in and marks what they replace.
func (x *Index) apply(changed []Note, deleted []string, segments []*segment) {
	where := make(map[string]location, len(x.where)+len(changed))
	maps.Copy(where, x.where)
	drop := func(p string) {
		if at, ok := where[p]; ok {
			d := at.document()
			d.gone = true
			x.gone++
			x.bytes -= int64(d.length)
			delete(where, p)
		}
	}
	if x.former == nil || len(x.former)+len(deleted) > maxFormer {
		x.former = map[string]Entry{}
	}
	for _, p := range deleted {
		if at, ok := where[p]; ok && len(x.former) < maxFormer {
			x.former[p] = at.document().Entry
		}
		drop(p)
	}
	for _, n := range changed {
		drop(n.Path)
		delete(x.former, n.Path)
	}
	for _, seg := range segments {
		if len(seg.docs) == 0 {
			continue
		}
		x.segments = append(x.segments, seg)
		for i := range seg.docs {
			d := &seg.docs[i]
			where[d.Path] = location{seg, uint32(i)}
			x.bytes += int64(d.length)
		}
	}
	x.where = where
}

// compact rebuilds the index from the corpus when refreshes have left too many pieces.
func (x *Index) compact(ctx context.Context) error {
	x.mu.RLock()
	notes := make([]Note, 0, len(x.where))
	for _, at := range x.where {
		notes = append(notes, at.document().Note)
	}
	x.mu.RUnlock()
	segments, err := buildSegments(ctx, x.corpus, notes)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.segments, x.where, x.gone, x.bytes = nil, nil, 0, 0
	x.apply(nil, nil, segments)
	return nil
}

// Entry is what the index knows of a note.
type Entry struct {
	Note
	Meta
	OpenTasks int
	Words     int // of the text
}

// Former returns the notes at a path or below it that the index knew and that are gone, sorted by
// path: a conversation may speak of them still. Not all of them are remembered.
func (x *Index) Former(p string) []Entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []Entry
	for q, e := range x.former {
		if q == p || strings.HasPrefix(q, p+"/") {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Entries returns all notes, sorted by path.
func (x *Index) Entries() []Entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]Entry, 0, len(x.where))
	for _, at := range x.where {
		out = append(out, at.document().Entry)
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// Read returns the text of a note.
func (x *Index) Read(ctx context.Context, path string) ([]byte, error) {
	return x.corpus.Read(ctx, path)
}

// Mentions says whether any note has a word, in any of its forms.
func (x *Index) Mentions(word string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.reader().frequency(Stem(word)) > 0
}

// Len is the number of notes.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.where)
}

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
	*m = parseMeta(n.Path, text, func(l Line, title bool) {
		for _, p := range l.Properties {
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
