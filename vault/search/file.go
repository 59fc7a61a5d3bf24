package search

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode/utf8"

	"chatvault/vault/block"
	"chatvault/vault/fsys"
	"chatvault/vault/index"
	"chatvault/vault/linematch"
	"chatvault/vault/walk"
)

// Sizes are buffer sizes of a searcher, in bytes. Nearly every note fits into Read. A larger file is searched in
// slices of complete lines, and a line longer than Line in pieces; matches across pieces are not found.
type Sizes struct {
	Read, Slice, Line int
}

// UsualSizes are the buffer sizes of a normal search.
var UsualSizes = Sizes{Read: 256 << 10, Slice: 1 << 20, Line: 4 << 20}

var (
	errBinary = errors.New("it is binary, not text")
	utf8BOM   = []byte("\ufeff")
)

// searcher is one worker of a search, with its reused buffers.
type searcher struct {
	*search
	scan  *linematch.Scanner
	stop  *atomic.Bool
	best  *topN[FileMatches]
	buf   []byte
	large []byte // for files larger than buf
	hits  []linematch.Line
}

// file searches one file.
func (s *searcher) file(in fsys.Folder, e walk.Found) {
	if known, ok := in.(index.Filtered); ok && s.scan.Excludes(known.Filter(e.Name)) {
		return
	}
	f, err := in.OpenFile(e.Name)
	if err == nil {
		defer f.Close()
		if kept, ok := f.(*index.Kept); ok {
			err = s.kept(kept, e)
		} else {
			err = s.read(f, e)
		}
	}
	if err != nil && !fsys.Vanished(err) && !errors.Is(err, syscall.EISDIR) {
		s.skip(e.Path(), err)
	}
}

func (s *searcher) read(f fsys.File, e walk.Found) error {
	if s.buf == nil {
		s.buf = make([]byte, s.sizes.Read)
	}
	n, whole, err := fill(f, s.buf, 0)
	if err != nil {
		return err
	}
	if !whole {
		return s.readSlices(f, e, n)
	}
	return s.whole(f, e, s.buf[:n], bytes.IndexByte(s.buf[:n], 0) >= 0)
}

// kept searches a file whose text is in memory. A long text with a match is searched in slices like a file on disk,
// so that the results are the same.
func (s *searcher) kept(f *index.Kept, e walk.Found) error {
	text := f.Text.Data
	if len(text) < s.sizes.Read {
		return s.whole(f, e, text, f.Text.Binary)
	}
	if !f.Text.Binary && f.Text.LongestLine < s.sizes.Slice {
		text = bytes.TrimPrefix(text, utf8BOM)
		s.scan.Begin(text)
		if _, found := s.scan.Next(text, 0); !found {
			return nil
		}
	}
	return s.read(f, e)
}

// whole searches a file that is completely in memory.
func (s *searcher) whole(f fsys.File, e walk.Found, text []byte, binary bool) error {
	if binary {
		return errBinary
	}
	text = bytes.TrimPrefix(text, utf8BOM)
	found := fileSearch{query: &s.query, hits: s.hits[:0]}
	found.slice(s.scan, text)
	s.hits = found.hits
	if found.total == 0 || s.stop.Load() {
		return nil
	}
	return s.report(f, e, &found, func() { found.excerpt(text, true) })
}

// readSlices searches a file that is larger than buf; its first n bytes are in buf.
func (s *searcher) readSlices(f fsys.File, e walk.Found, n int) error {
	if s.large == nil {
		s.large = make([]byte, s.sizes.Slice)
	}
	buf := s.large
	copy(buf, s.buf[:n])
	found := fileSearch{query: &s.query, hits: s.hits[:0], sliced: true}
	for first := true; ; first = false {
		var whole bool
		var err error
		if n, whole, err = fill(f, buf, n); err != nil {
			return err
		}
		if first && bytes.HasPrefix(buf, utf8BOM) {
			n = copy(buf, buf[len(utf8BOM):n])
		}
		if s.stop.Load() {
			return nil
		}
		cut := n
		if !whole {
			if cut = bytes.LastIndexByte(buf[:n], '\n') + 1; cut == 0 {
				if len(buf) < s.sizes.Line {
					buf = append(make([]byte, 0, 2*len(buf)), buf...)[:2*len(buf)]
					continue
				}
				cut = runeStart(buf[:n], n-utf8.UTFMax)
			}
		}
		text := buf[:cut]
		if bytes.IndexByte(text, 0) >= 0 {
			return errBinary
		}
		found.slice(s.scan, text)
		found.excerpt(text, whole)
		if whole {
			break
		}
		n = copy(buf, buf[cut:n])
	}
	s.hits = found.hits
	if found.total == 0 || s.stop.Load() {
		return nil
	}
	return s.report(f, e, &found, func() {})
}

// fill reads into buf from n until it is full or the file ends; whole reports the end of the file.
func fill(f fsys.File, buf []byte, n int) (total int, whole bool, err error) {
	m, err := io.ReadFull(f, buf[n:])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return n + m, true, nil
	}
	return n + m, false, err
}

// runeStart returns the first rune start at offset i or later, or len(b).
func runeStart(b []byte, i int) int {
	for i = max(i, 0); i < len(b) && !utf8.RuneStart(b[i]); i++ {
	}
	return i
}

// report counts the file and, if it is among the best so far, keeps it with the excerpts made by excerpt. It reads
// the file's time only if the order depends on it.
func (s *searcher) report(f fsys.File, e walk.Found, found *fileSearch, excerpt func()) error {
	m := FileMatches{Path: e.Path(), Hits: found.total, TitleHit: found.title}
	if !m.TitleHit {
		m.TitleHit = s.scan.MatchString(strings.TrimSuffix(e.Name, path.Ext(e.Name)))
	}
	if last, ok := s.best.last(); ok && (last.TitleHit && !m.TitleHit || last.TitleHit == m.TitleHit && last.Hits > m.Hits) {
		s.matched.Add(1)
		return nil
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	s.matched.Add(1)
	m.Modified = st.Time()
	if s.best.wants(m) {
		excerpt()
		m.Excerpts = found.runs
		s.best.offer(m)
	}
	return nil
}

// headings detects the headings of a note, for ranking: "# Title" to "###### Title", a line underlined with "===",
// and the title in the front matter. It scans no further than necessary, and only the line itself if no block can
// hide a heading.
type headings struct {
	lines block.Scanner
	plain int // up to here no block hides headings; -1: one may
}

// begin starts on a text; first is set for the start of the note.
func (h *headings) begin(text []byte, first bool) {
	if first {
		h.lines = block.New(text)
	} else {
		h.lines.More(text)
	}
	if h.plain = h.lines.Next; h.lines.Open() != block.Blank {
		h.plain = -1
	}
}

// end scans the rest of a text that is followed by another slice.
func (h *headings) end() {
	for h.lines.Scan() {
	}
}

// isHeading reports whether the line text[start:end] is a heading; the next line begins at stop. Calls must be in the
// order of the lines.
func (h *headings) isHeading(text []byte, start, end, stop int) bool {
	line := text[start:end]
	if _, front := h.lines.Front(); start < front {
		return len(line) >= 6 && bytes.EqualFold(line[:6], []byte("title:"))
	}
	content := bytes.TrimLeft(line, " ")
	marked := len(line)-len(content) <= 3 && block.HeadingLevel(content) > 0
	if !marked && (len(content) == 0 || stop == len(text) || text[stop] != '=') {
		return false
	}
	if marked && h.plain >= 0 {
		if !block.MayHide(text[min(h.plain, start):start]) {
			h.plain = start
			return true
		}
		h.plain = -1
	}
	for h.lines.Next <= start && h.lines.Scan() {
	}
	if marked {
		return h.lines.Kind == block.Heading
	}
	next := h.lines
	return h.lines.Kind == block.Text && next.Scan() && next.Kind == block.Underline && next.Level == 1
}
