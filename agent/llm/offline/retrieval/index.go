// Package retrieval ranks Markdown notes for a question asked in plain words.
//
// It keeps a compact index of the whole corpus (terms and counts, never the text),
// refreshed by size and modification time, scores notes with BM25F over
// title, aliases, headings, tags, properties and text, widens the words of a question
// with a general English thesaurus and with corrected spellings, and then reads the few
// best notes again to find the passage that answers. The same corpus and the same question
// always give the same hits.
//
// An Index is safe for concurrent use.
package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/vault/note"
)

// Note is a note as a walk over the corpus sees it.
type Note struct {
	Path     string // relative, '/' separated
	Size     int64  // bytes
	Modified time.Time
	Template bool // new notes are made from it
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
	// Folder returns the path of a folder with this path in any case, or "".
	Folder(ctx context.Context, path string) string
	// Mark is the same as long as the notes are; nil where that is not known without a walk over them.
	Mark(ctx context.Context) any
}

// Index is the index of a corpus.
type Index struct {
	corpus Corpus

	refresh sync.Mutex // one refresh at a time
	mark    any        // of the corpus at the last refresh
	filled  atomic.Bool
	terms   lexicon

	mu      sync.RWMutex
	docs    map[string]*document // by path
	bytes   int64                // of the documents
	entries []Entry              // sorted; nil if not asked for since the last change
}

// NewIndex returns an empty index over c; the first Refresh fills it.
func NewIndex(c Corpus) *Index {
	return &Index{corpus: c, docs: map[string]*document{}}
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
	if err := x.update(ctx); err != nil {
		return err
	}
	x.mark = mark
	x.filled.Store(true)
	return nil
}

// Filled reports whether the index was filled, so that a Refresh reads only what changed.
func (x *Index) Filled() bool { return x.filled.Load() }

// update replaces the documents that differ from the corpus. Only a refresh changes docs.
func (x *Index) update(ctx context.Context) error {
	if all, ok := x.corpus.(Texts); ok && len(x.docs) == 0 {
		docs, err := x.readAll(ctx, all)
		if err == nil {
			x.replace(nil, docs)
		}
		return err
	}
	gone := maps.Clone(x.docs)
	var docs []*document
	b := newBuilder(&x.terms)
	for n, err := range x.corpus.Notes(ctx) {
		if err != nil {
			if n.Path == "" {
				return fmt.Errorf("walk the notes: %w", err)
			}
			continue
		}
		if d := x.docs[n.Path]; d == nil || !sameVersion(d.Note, n) {
			text, err := x.corpus.Head(ctx, n.Path, maxIndexed)
			if err != nil {
				continue // questions asked now do not see it, and the next refresh tries it again
			}
			docs = append(docs, b.document(n, text))
		}
		delete(gone, n.Path)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	x.replace(gone, docs)
	return nil
}

// readAll indexes all notes of a corpus that gives its texts at once.
func (x *Index) readAll(ctx context.Context, all Texts) ([]*document, error) {
	builders := make([]*builder, all.Workers())
	docs := make([][]*document, len(builders))
	for i := range builders {
		builders[i] = newBuilder(&x.terms)
	}
	err := all.EachText(ctx, maxIndexed, func(worker int, n Note, text []byte) {
		docs[worker] = append(docs[worker], builders[worker].document(n, text))
	})
	return slices.Concat(docs...), cmp.Or(err, ctx.Err())
}

// replace removes documents and adds or replaces others.
func (x *Index) replace(gone map[string]*document, docs []*document) {
	if len(gone) == 0 && len(docs) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for p := range gone {
		x.remove(p)
	}
	for _, d := range docs {
		x.remove(d.Path)
		x.docs[d.Path] = d
		x.bytes += int64(d.length)
		x.terms.count(d, 1)
	}
	x.entries = nil
}

func (x *Index) remove(p string) {
	if d := x.docs[p]; d != nil {
		x.bytes -= int64(d.length)
		x.terms.count(d, -1)
		delete(x.docs, p)
	}
}

// sameVersion reports whether an indexed note is unchanged.
func sameVersion(a, b Note) bool {
	return a.Size == b.Size && a.Template == b.Template && a.Modified.Equal(b.Modified) && !a.Modified.Equal(time.Time{})
}

// Entry is an indexed note.
type Entry struct {
	Note
	Meta
	Tasks int // open and done
}

// Entries returns all notes but no drawings, sorted by path. They must not be changed.
func (x *Index) Entries() []Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.entries == nil {
		x.entries = make([]Entry, 0, len(x.docs))
		for _, d := range x.docs {
			if !note.IsDrawing(d.Path) {
				x.entries = append(x.entries, d.Entry)
			}
		}
		slices.SortFunc(x.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	}
	return slices.Clip(x.entries)
}

// Read returns the text of a note.
func (x *Index) Read(ctx context.Context, path string) ([]byte, error) {
	return x.corpus.Read(ctx, path)
}

// Folder returns the path of a folder with this path in any case, or "".
func (x *Index) Folder(ctx context.Context, path string) string { return x.corpus.Folder(ctx, path) }

// Mentions reports whether any note has a word, in any of its forms.
func (x *Index) Mentions(word string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.reader().frequency(Stem(word)) > 0
}

// reader returns a view of the index, valid while mu is held.
func (x *Index) reader() *reader {
	return newReader(maps.Values(x.docs), &x.terms, DefaultThesaurus(), len(x.docs), x.bytes)
}

// lexicon numbers the terms of an index. It is safe for concurrent use.
type lexicon struct {
	mu    sync.Mutex
	ids   map[string]uint32
	names []string
	notes []int32 // that have the term
}

// id returns the number of a term, a new one if need be.
func (l *lexicon) id(term string) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.ids[term]
	if !ok {
		if l.ids == nil {
			l.ids = make(map[string]uint32, 1024)
		}
		id = uint32(len(l.names))
		l.ids[term] = id
		l.names, l.notes = append(l.names, term), append(l.notes, 0)
	}
	return id
}

// find returns the number of a term and how many notes have it.
func (l *lexicon) find(term string) (id uint32, notes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.ids[term]
	if !ok {
		return noTerm, 0
	}
	return id, int(l.notes[id])
}

// all returns the terms by their numbers.
func (l *lexicon) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names
}

// count adds n to the notes that have a document's terms.
func (l *lexicon) count(d *document, n int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range d.postings {
		l.notes[p.term] += n
	}
}

// maxIndexed bounds the bytes of one note that are indexed; the rest of a longer note is not searched.
const maxIndexed = 4 << 20

// Weights of the fields other than the text, in eighths of an occurrence.
const (
	weightTitle   = 32
	weightAlias   = 24
	weightHeading = 10
	weightTag     = 14
	weightFolder  = 4
)

// posting holds how often a term occurs in a document.
type posting struct {
	term uint32
	body uint16 // occurrences in the text, properties included
	meta uint16 // occurrences in the other fields, times their weight
}

// document is a note in an index. It does not change.
type document struct {
	Entry
	length   uint32 // bytes that were indexed
	postings []posting
	bare     bool // it has no Meta
}

// builder makes documents on one goroutine.
type builder struct {
	terms  *lexicon
	wanted func(stem string) bool // nil: all are
	known  map[uint64]uint32      // token as written, by its hash, to term
	seed   maphash.Seed
	counts []count  // per term, of the document being made
	seen   []uint32 // terms with a count
}

// noTerm stands for a word that is not counted.
const noTerm = 1<<32 - 1

type count struct{ body, meta uint32 }

func newBuilder(terms *lexicon) *builder {
	return &builder{terms: terms, known: make(map[uint64]uint32, 1024), seed: maphash.MakeSeed()}
}

func (b *builder) term(tok []byte) uint32 {
	hash := maphash.Bytes(b.seed, tok)
	id, ok := b.known[hash]
	if !ok {
		id = noTerm
		if stem := Stem(string(tok)); b.wanted == nil || b.wanted(stem) {
			id = b.terms.id(stem)
		}
		b.known[hash] = id
	}
	return id
}

// add counts a token: body times as one of the text, and with a weight as one of another field.
func (b *builder) add(tok []byte, body, weight uint32) {
	id := b.term(tok)
	if id == noTerm {
		return
	}
	if int(id) >= len(b.counts) {
		b.counts = append(b.counts, make([]count, int(id)+1-len(b.counts)+len(b.counts)/2)...)
	}
	c := &b.counts[id]
	if c.body == 0 && c.meta == 0 {
		b.seen = append(b.seen, id)
	}
	c.body += body
	c.meta += weight
}

// field counts the tokens of a text.
func (b *builder) field(text []byte, body, weight uint32) {
	eachToken(text, func(tok []byte) { b.add(tok, body, weight) })
}

// document indexes a note.
func (b *builder) document(n Note, text []byte) *document {
	text = text[:min(len(text), maxIndexed)]
	doc := &document{Entry: Entry{Note: n}, length: uint32(len(text))}
	m := &doc.Meta
	*m = parseMeta(text, func(l Line) {
		for _, p := range l.Properties {
			if !isListKey(p.Key) && p.Key != "title" {
				b.field([]byte(p.Key+" "+p.Value), 1, 0)
			}
		}
		if l.Kind == LineProperty || l.Kind == LineQuery {
			return
		}
		weight := uint32(0)
		if l.Kind == LineHeading {
			weight = weightHeading
		}
		b.field(l.Text, 1, weight)
		if l.Task {
			doc.Tasks++
		}
	})
	b.field([]byte(Name(n.Path)), 0, weightTitle)
	if m.Title != "" && m.Title != Name(n.Path) {
		b.field([]byte(m.Title), 0, weightAlias)
	}
	for _, a := range m.Aliases {
		b.field([]byte(a), 0, weightAlias)
	}
	for _, t := range m.Tags {
		b.field([]byte(t), 0, weightTag)
	}
	b.field([]byte(folderOf(n.Path)), 0, weightFolder)
	doc.postings = b.flush()
	return doc
}

// flush returns the counts as postings and clears them.
func (b *builder) flush() []posting {
	out := make([]posting, len(b.seen))
	for i, t := range b.seen {
		c := &b.counts[t]
		out[i] = posting{t, saturate(c.body), saturate(c.meta)}
		*c = count{}
	}
	b.seen = b.seen[:0]
	return out
}

func saturate(n uint32) uint16 { return uint16(min(n, 1<<16-1)) }

func folderOf(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }
