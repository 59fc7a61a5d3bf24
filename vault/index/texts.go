package index

import (
	"bytes"
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"chatvault/vault/fsys"
	"chatvault/vault/linematch"
)

// wanted is a note whose text may be kept.
type wanted struct {
	folder string
	file   *File
	whole  bool // there is room for the text; else it gets a filter
}

// textSum counts the texts that are kept, and what filters of others take.
type textSum struct {
	notes   int
	bytes   int64
	filters int64
}

// add counts a text; by is -1 for one that is kept no more.
func (s *textSum) add(t *Text, by int) {
	if t.filter != nil {
		s.filters += int64(by * t.filter.Size())
		return
	}
	s.notes += by
	s.bytes += int64(by * len(t.Data))
}

// LongestText bounds a text that is kept, in bytes.
const LongestText = 16 << 20

// batchBytes and batchNotes bound the texts read before they are handed over.
const (
	batchBytes = 1 << 20
	batchNotes = 256
)

// load reads the texts that are wanted, as far as they may be kept. A View that is asked for
// meanwhile is not kept waiting.
func (x *Index) load() {
	list := x.choose()
	var buf []byte
	var into packer
	for _, w := range list {
		if w.whole && w.file.Stat.Size <= packBytes/8 {
			into.left += w.file.Stat.Size
		}
	}
	for len(list) > 0 && x.ctx.Err() == nil {
		texts := make([]*Text, 0, batchNotes)
		size := int64(0)
		var dir fsys.Folder
		for i, w := range list {
			if size > batchBytes || len(texts) == batchNotes || x.ctx.Err() != nil {
				break
			}
			if i == 0 || w.folder != list[i-1].folder {
				if dir != nil {
					dir.Close()
				}
				var err error
				if dir, err = x.o.Disk.Open(w.folder); err != nil {
					dir = nil
				}
			}
			var t *Text
			if dir != nil {
				t, buf = read(dir, w, buf, &into)
			}
			texts = append(texts, t)
			size += w.file.Stat.Size
		}
		if dir != nil {
			dir.Close()
		}
		x.keep(list[:len(texts)], texts)
		list = list[len(texts):]
		if cap(buf) > batchBytes {
			buf = nil // it was for one long note
		}
	}
}

// packer keeps texts one behind the other: by itself each would take the size that memory is given out in,
// which is a sixteenth more. A text that is kept no more takes its room until those beside it go, too.
type packer struct {
	left int64 // bytes that are still to be kept, at most
	room []byte
}

// packBytes is what texts are kept in together.
const packBytes = 128 << 10

// keep is a copy of a text.
func (p *packer) keep(text []byte) []byte {
	if len(text) > packBytes/8 { // by itself it wastes little
		return append(make([]byte, 0, len(text)), text...)
	}
	if len(text) > cap(p.room)-len(p.room) {
		p.room = make([]byte, 0, max(int64(len(text)), min(packBytes, p.left)))
	}
	p.left -= int64(len(text))
	at := len(p.room)
	p.room = append(p.room, text...)
	return p.room[at:len(p.room):len(p.room)]
}

// read reads a note, and gives nil where that is not possible or where it is another one by now.
func read(dir fsys.Folder, w wanted, buf []byte, into *packer) (*Text, []byte) {
	f, now := w.file, time.Now().UnixNano()
	data, st, err := readFile(dir, f.Name, buf, min(f.Stat.Size+1, LongestText))
	if err != nil {
		return nil, buf
	}
	if st != f.Stat || int64(len(data)) != st.Size {
		return nil, data
	}
	binary := bytes.IndexByte(data, 0) >= 0
	switch {
	case !w.whole && binary: // a search says so whatever it looks for
		return nil, data
	case !w.whole:
		return &Text{filter: linematch.NewFilter(data), read: now}, data
	}
	return &Text{
		Data: into.keep(data), Binary: binary,
		LongestLine: longestLine(data), read: now,
	}, data
}

// readFile reads a file of at most limit bytes into buf, which grows where it must, and describes the
// file as it is after that.
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

// lineCounts is the length in bytes from which on a text's lines are measured.
const lineCounts = 64 << 10

// longestLine is at least the length of the longest line.
func longestLine(text []byte) int {
	if len(text) < lineCounts {
		return len(text)
	}
	longest := 0
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			i = len(text)
		}
		longest = max(longest, i)
		text = text[min(i+1, len(text)):]
	}
	return longest
}

// choose takes what is wanted off the list. There is room for the shortest, because opening a file
// costs as much as reading a short one; the others get filters, as far as there is room for these.
func (x *Index) choose() []wanted {
	x.gate.lock()
	defer x.gate.unlock()
	list := slices.Concat(x.want, x.late)
	x.want, x.late = nil, nil
	if x.root == nil || x.o.TextBytes <= 0 {
		return nil
	}
	room := x.o.TextBytes - x.texts.bytes
	exact := x.watch != nil && x.watch.Exact()
	now := time.Now().UnixNano()
	list = slices.DeleteFunc(list, func(w wanted) bool {
		if w.file.text.Load() != nil || !w.file.Known() || w.file.Stat.Size > LongestText || !x.current(w) {
			return true
		}
		if !exact && !settled(w.file.Stat, now) {
			x.late = append(x.late, w)
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

// current reports whether a note is still the one that root has; the gate is held.
func (x *Index) current(w wanted) bool {
	f := x.root.Find(w.folder)
	return f != nil && f.File(w.file.Name) == w.file
}

// keep hands texts over, unless the notes changed meanwhile.
func (x *Index) keep(list []wanted, texts []*Text) {
	x.gate.lock()
	defer x.gate.unlock()
	if x.root == nil {
		return
	}
	for i, t := range texts {
		if t == nil || list[i].file.text.Load() != nil || !x.current(list[i]) || t.filter != nil && x.texts.filters >= x.o.TextBytes {
			continue
		}
		list[i].file.text.Store(t)
		x.texts.add(t, 1)
	}
}

// Memo says what was worked out from a text.
type Memo int

// What is kept beside texts.
const (
	MemoLinks Memo = iota
	MemoNote       // headings, tags, tasks
	MemoFront      // properties
	memos
)

// memoShare is the part of Options.TextBytes that may be kept in addition, worked out from texts.
const memoShare = 2

// memo is what was worked out from a text.
type memo struct {
	of   [memos]atomic.Pointer[any]
	size atomic.Int64 // of them together; far below 0: the text is kept no more
}

// Memo is what was worked out from the text before, or nil.
func (t *Text) Memo(m Memo) any {
	if p := t.memo.of[m].Load(); p != nil {
		return *p
	}
	return nil
}

// Remember keeps what was worked out from a text, as long as the text is kept and where there is
// room. size is about what it takes, in bytes. It must not be changed any more.
func (x *Index) Remember(t *Text, m Memo, value any, size int64) {
	if x.memos.Add(size) > x.o.TextBytes/memoShare || !t.memo.of[m].CompareAndSwap(nil, &value) {
		x.memos.Add(-size)
		return
	}
	if t.memo.size.Add(size) < 0 { // the text was given up meanwhile
		x.memos.Add(-size)
	}
}
