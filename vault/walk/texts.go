package walk

import (
	"context"
	"errors"
	"syscall"
	"time"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
	"chatvault/vault/note"
)

// MaxText is the size limit of Texts in bytes; longer files are skipped.
const MaxText = 16 << 20

// Entry is a file or folder found by a walk.
type Entry struct {
	Path     string    `json:"path"`
	Folder   bool      `json:"folder,omitempty"`
	Size     int64     `json:"size" jsonschema:"in bytes"`
	Modified time.Time `json:"modified,omitzero"`
	CopyOf   string    `json:"conflict_copy_of,omitempty"` // see ListQuery.Only
	Offline  bool      `json:"not_downloaded,omitempty"`
}

// Text is the content of a file, including its BOM and line endings.
type Text struct {
	Path string // true name
	Data []byte // valid only during the visit; read-only
	Stat Entry
	Form note.Form
}

// Texts visits every visible file whose name matches a glob at any depth (like Query.FilePattern; "" means notes) and
// that is at most MaxText long. It calls visit concurrently, from workers numbered 0 to TextWorkers-1, until visit
// returns false. Binary files are visited too. skipped, if not nil, receives the files that cannot be read, also
// concurrently.
func (s Source) Texts(ctx context.Context, pattern string, visit func(worker int, t Text) bool, skipped func(path string, err error)) error {
	return s.Heads(ctx, pattern, MaxText, visit, skipped)
}

// Heads is Texts for callers that need only the first max bytes of each file; visit may get more.
func (s Source) Heads(ctx context.Context, pattern string, max int, visit func(worker int, t Text) bool, skipped func(path string, err error)) error {
	g := glob.Notes
	if pattern != "" {
		var err error
		if g, err = glob.Compile(pattern, glob.Anywhere); err != nil {
			return err
		}
	}
	w := &Walk{From: s, Base: ".", Glob: g, Skipped: skipped}
	buffers := make([][]byte, w.WorkerCount())
	w.Visit = func(worker int, in fsys.Folder, e Found) {
		data, st, kept, err := ReadText(in, e.Name, buffers[worker], max)
		switch {
		case err == nil:
		case fsys.Vanished(err) || errors.Is(err, syscall.EISDIR):
			return
		default:
			if skipped != nil {
				skipped(e.Path(), err)
			}
			return
		}
		if !kept {
			buffers[worker] = data[:0]
		}
		name := e.Path()
		if !visit(worker, Text{Path: name, Data: data, Stat: Entry{Path: name, Size: st.Size, Modified: st.Time()}, Form: s.Form}) {
			w.Stop.Store(true)
		}
	}
	return w.Run(ctx)
}

// ReadText reads at most max bytes of a file of an open folder into buf, growing it if necessary; with MaxText, a longer
// file is an error. If the index has the text in memory, it returns all of that and kept.
func ReadText(in fsys.Folder, name string, buf []byte, max int) (text []byte, st fsys.Stat, kept bool, err error) {
	f, err := in.OpenFile(name)
	if err != nil {
		return nil, fsys.Stat{}, false, err
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil {
		return nil, fsys.Stat{}, false, err
	}
	if h, ok := f.(*index.Kept); ok {
		return h.Text.Data, st, true, nil
	}
	if st.Size > MaxText {
		return nil, st, false, fsys.ErrTooLong
	}
	if cap(buf) == 0 {
		buf = make([]byte, 0, 64<<10)
	}
	if max < MaxText {
		buf, err = fsys.ReadHead(f, buf[:0], max)
	} else {
		buf, err = fsys.ReadAll(f, buf[:0], MaxText)
	}
	if err != nil {
		return nil, st, false, err
	}
	return buf, st, false, nil
}

// Note returns the parsed text.
func (t Text) Note() note.Note { return t.Form.Parse(t.Data) }

// Properties returns the properties of the text; in Logseq also those of its blocks.
func (t Text) Properties() ([]note.Property, error) { return t.Form.AllProperties(t.Data) }
