package search

import (
	"bytes"
	"errors"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"chatvault/vault/block"
	"chatvault/vault/fsys"
	"chatvault/vault/index"
	"chatvault/vault/linematch"
	"chatvault/vault/note"
	"chatvault/vault/walk"
)

// Reasons why a file is not searched.
var (
	errBinary = errors.New("it is binary, not text")
	errLong   = errors.New("it is longer than 16 MB") // walk.MaxText
)

// headBytes is how much of a file is read before it is checked for being binary.
const headBytes = 256 << 10

// searcher is one worker of a search, with its reused buffers.
type searcher struct {
	*search
	stop *atomic.Bool
	buf  []byte
	hits []linematch.Line
}

// file searches one file.
func (s *searcher) file(in fsys.Folder, e walk.Found) {
	if known, ok := in.(index.Filtered); ok && !note.IsDrawing(e.Name) && s.pattern.Excludes(known.Filter(e.Name)) {
		return
	}
	f, err := in.OpenFile(e.Name)
	if err == nil {
		defer f.Close()
		var text []byte
		var special bool
		if text, special, err = s.read(f); err == nil {
			readable := note.Readable(e.Name, bytes.TrimPrefix(text, []byte("\ufeff")))
			err = s.text(f, e, readable, special || note.IsDrawing(e.Name) && s.pattern.Special(readable))
		}
	}
	if err != nil && !fsys.Vanished(err) && !errors.Is(err, syscall.EISDIR) {
		s.skip(e, err)
	}
}

// read returns the text of a file, valid until the next call, and whether every line of it must be matched.
func (s *searcher) read(f fsys.File) (text []byte, special bool, err error) {
	if kept, ok := f.(*index.Kept); ok {
		return kept.Text.Data, kept.Text.Special, nil
	}
	if cap(s.buf) < headBytes {
		s.buf = make([]byte, 0, headBytes)
	}
	s.buf, err = fsys.ReadHead(f, s.buf[:0], headBytes)
	binary := bytes.IndexByte(s.buf, 0) >= 0
	if err == nil && !binary && len(s.buf) == headBytes {
		if st, err := f.Stat(); err == nil {
			s.buf = slices.Grow(s.buf, int(max(0, min(st.Size, walk.MaxText)-headBytes+1)))
		}
		s.buf, err = fsys.ReadAll(f, s.buf, walk.MaxText)
		binary = bytes.IndexByte(s.buf[headBytes:], 0) >= 0
	}
	switch {
	case binary:
		err = errBinary
	case errors.Is(err, fsys.ErrTooLong):
		err = errLong
	}
	return s.buf, s.pattern.Special(s.buf), err
}

// text searches the text of a file. If the file is among the best so far, it is kept with its excerpts. The file's time
// is read only if the order depends on it.
func (s *searcher) text(f fsys.File, e walk.Found, text []byte, special bool) error {
	m := FileMatches{Path: e.Path()}
	heads := headings{text: text, lines: block.New(text)}
	s.hits = s.hits[:0]
	for hit := range s.pattern.Lines(text, special, s.stop) {
		m.Hits++
		m.TitleHit = m.TitleHit || heads.has(hit)
		if len(s.hits) < hitsPerExcerpt*s.query.MaxExcerpts {
			s.hits = append(s.hits, hit)
		}
	}
	if m.Hits == 0 || s.stop.Load() {
		return nil
	}
	m.TitleHit = m.TitleHit || s.pattern.MatchString(strings.TrimSuffix(e.Name, path.Ext(e.Name)))
	last, full := s.best.last()
	if full && (last.TitleHit && !m.TitleHit || last.TitleHit == m.TitleHit && last.Hits > m.Hits) {
		s.matched.Add(1)
		return nil
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	s.matched.Add(1)
	m.Modified = st.Time()
	if last, full := s.best.last(); !full || rankedFirst(m, last) < 0 {
		m.Excerpts = s.query.excerpts(text, s.hits)
		s.best.offer(m)
	}
	return nil
}

// headings detects the headings of a note, for ranking: "# Title" to "###### Title", a line underlined with "===",
// and the title in the front matter. It scans no further than necessary.
type headings struct {
	text  []byte
	lines block.Scanner
}

// has reports whether the line is a heading. Calls must be in the order of the lines.
func (h *headings) has(l linematch.Line) bool {
	line := h.text[l.Start:l.End]
	if _, front := h.lines.Front(); l.Start < front {
		return len(line) >= 6 && bytes.EqualFold(line[:6], []byte("title:"))
	}
	marked := block.HeadingLevel(bytes.TrimLeft(line, " ")) > 0
	if !marked && (l.Stop == len(h.text) || h.text[l.Stop] != '=') {
		return false
	}
	for h.lines.Next <= l.Start && h.lines.Scan() {
	}
	if h.lines.Kind == block.Heading {
		return marked
	}
	next := h.lines
	return h.lines.Kind == block.Text && next.Scan() && next.Kind == block.Underline && next.Level == 1
}
