package index

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"chatvault/vault/fsys"
	"chatvault/vault/linematch"
)

// wanted is a note whose text may be kept.
type wanted struct {
	folder string
	file   *File
	whole  bool // keep the text; otherwise keep a filter
}

// textSum totals the kept texts and the filters of others.
type textSum struct {
	notes   int
	bytes   int64
	filters int64
}

// add adds a text (by 1) or removes it (by -1).
func (s *textSum) add(t *Text, by int) {
	if t.filter != nil {
		s.filters += int64(by * t.filter.Size())
		return
	}
	s.notes += by
	s.bytes += int64(by * len(t.Data))
}

// LongestText limits a kept text, in bytes.
const LongestText = 16 << 20

// load reads the wanted texts that may be kept, without blocking Views.
func (x *Index) load() {
	var buf []byte
	var dir fsys.Folder
	in := ""
	for _, w := range x.takeWanted() {
		if x.ctx.Err() != nil {
			break
		}
		if dir == nil || w.folder != in {
			if dir != nil {
				dir.Close()
			}
			var err error
			if dir, err = x.o.Disk.Open(w.folder); err != nil {
				dir = nil
				continue
			}
			in = w.folder
		}
		var t *Text
		if t, buf = read(dir, w, buf); t != nil {
			x.store(w, t)
		}
	}
	if dir != nil {
		dir.Close()
	}
}

// read reads a note. It returns nil if the note is unreadable or has changed since.
func read(dir fsys.Folder, w wanted, buf []byte) (*Text, []byte) {
	f, now := w.file, time.Now().UnixNano()
	data, st, err := readFile(dir, f.Name, buf, min(f.Stat.Size+1, LongestText))
	if err != nil {
		return nil, buf
	}
	if st != f.Stat || int64(len(data)) != st.Size {
		return nil, data
	}
	switch {
	case bytes.IndexByte(data, 0) >= 0: // every search reports it as binary
		return nil, data
	case !w.whole:
		return &Text{filter: linematch.NewFilter(data), read: now}, data
	}
	return &Text{Data: bytes.Clone(data), Special: linematch.HasSpecial(data), read: now}, data
}

// readFile reads a file of at most limit bytes into buf, growing it if necessary, and returns its stat after reading.
func readFile(dir fsys.Folder, name string, buf []byte, limit int64) ([]byte, fsys.Stat, error) {
	f, err := dir.OpenFile(name)
	if err != nil {
		return buf, fsys.Stat{}, err
	}
	defer f.Close()
	if buf, err = fsys.ReadAll(f, buf[:0], limit); err != nil {
		return buf, fsys.Stat{}, err
	}
	st, err := f.Stat()
	return buf, st, err
}

// takeWanted takes the wanted notes from the list. The shortest texts are kept, because opening a file costs as much as
// reading a short one; the others get filters, as far as there is room.
func (x *Index) takeWanted() []wanted {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.want
	x.want = nil
	if x.root == nil || x.o.TextBytes <= 0 {
		return nil
	}
	room := x.o.TextBytes - x.texts.bytes
	now := time.Now().UnixNano()
	list = slices.DeleteFunc(list, func(w wanted) bool {
		if w.file.text.Load() != nil || !w.file.Known() || w.file.Stat.Size > LongestText || !x.current(w) {
			return true
		}
		if x.watch == nil && !settled(w.file.Stat, now) {
			x.want = append(x.want, w) // read after the next comparison
			return true
		}
		return false
	})
	shortest := make([]*wanted, len(list))
	for i := range list {
		shortest[i] = &list[i]
	}
	slices.SortStableFunc(shortest, func(a, b *wanted) int { return cmp.Compare(a.file.Stat.Size, b.file.Stat.Size) })
	for _, w := range shortest {
		if room -= w.file.Stat.Size; room < 0 {
			break
		}
		w.whole = true
	}
	return list
}

// current reports whether root still contains the note unchanged. The caller must hold x.mu.
func (x *Index) current(w wanted) bool {
	f := x.root.Find(w.folder)
	return f != nil && f.File(w.file.Name) == w.file
}

// store stores the text of a note unless the note has changed since.
func (x *Index) store(w wanted, t *Text) {
	x.mu.Lock()
	defer x.mu.Unlock()
	full := t.filter != nil && x.texts.filters >= x.o.TextBytes
	if x.root == nil || full || w.file.text.Load() != nil || !x.current(w) {
		return
	}
	w.file.text.Store(t)
	x.texts.add(t, 1)
}
