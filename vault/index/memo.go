package index

import "sync/atomic"

// Memo says what was worked out from a text.
type Memo int

// What is kept beside texts.
const (
	MemoLinks Memo = iota
	MemoNote       // headings, tags, tasks
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

// drop gives up what was worked out from a text.
func (x *Index) drop(t *Text) {
	x.memos.Add(-max(t.memo.size.Swap(-1<<62), 0))
}
