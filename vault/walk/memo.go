package walk

import (
	"unsafe"

	"chatvault/vault/index"
	links "chatvault/vault/link"
	"chatvault/vault/note"
)

// Links are the links in the text, as link.Parse has them. They must not be changed. Where the text
// is in the index, so are they from the first time on that they are asked for.
func (t Text) Links() []links.Link {
	return remembered(t, index.MemoLinks, func() ([]links.Link, int64) {
		found := links.Parse(t.Path, t.Data)
		size := int64(cap(found)) * int64(unsafe.Sizeof(links.Link{}))
		for i := range found {
			size += int64(len(found[i].Path) + len(found[i].Anchor) + len(found[i].Alias))
		}
		return found, size
	})
}

// Note is what the text says of itself, as note.Parse has it. It must not be changed. Where the
// text is in the index, so is it from the first time on that it is asked for.
func (t Text) Note() note.Note {
	return remembered(t, index.MemoNote, func() (note.Note, int64) {
		n := note.Parse(t.Data)
		size := int64(unsafe.Sizeof(n)) +
			int64(cap(n.Headings))*int64(unsafe.Sizeof(note.Heading{})) +
			int64(cap(n.Tags))*int64(unsafe.Sizeof(note.Tag{})) +
			int64(cap(n.Tasks))*int64(unsafe.Sizeof(note.Task{}))
		for _, h := range n.Headings {
			size += int64(len(h.Text))
		}
		for _, tag := range n.Tags {
			size += int64(len(tag.Name))
		}
		for _, task := range n.Tasks {
			size += int64(len(task.Text)) + 32*int64(len(task.Tags))
		}
		return n, size
	})
}

// remembered is what work makes of a text and about how many bytes that takes, or what it made of
// it before.
func remembered[T any](t Text, m index.Memo, work func() (T, int64)) T {
	if t.kept == nil {
		value, _ := work()
		return value
	}
	if value, ok := t.kept.Memo(m).(T); ok {
		return value
	}
	value, size := work()
	t.in.Remember(t.kept, m, value, size)
	return value
}
