package walk

import (
	"context"
	"errors"
	"syscall"
	"time"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
)

// MaxText bounds the texts that Texts reads, in bytes; longer files are skipped.
const MaxText = 16 << 20

// Entry is a file or folder seen by a walk.
type Entry struct {
	Path     string
	Folder   bool
	Size     int64
	Modified time.Time
}

// Text is a file's text, with its BOM and line ends as they are.
type Text struct {
	Path string // true name
	Data []byte // valid during the visit only; it must not be changed
	Stat Entry

	kept *index.Text // where it is; nil: nowhere, it was read for this visit
	in   *index.Index
}

// Texts visits every visible file whose name matches a glob at any depth (as Query.FilePattern
// has it; "": notes) and that is no longer than MaxText, several at a time: visit is called
// concurrently, by worker 0 to workers-1 of TextWorkers, until it returns false. Binary files are
// visited too. skipped, where not nil, is told what could not be read, concurrently too.
func (s Source) Texts(ctx context.Context, pattern string, visit func(worker int, t Text) bool, skipped func(path string, err error)) error {
	return s.Heads(ctx, pattern, MaxText, visit, skipped)
}

// Heads is Texts for whoever looks at the first bytes of each only, at most max; there may be more.
func (s Source) Heads(ctx context.Context, pattern string, max int, visit func(worker int, t Text) bool, skipped func(path string, err error)) error {
	g := glob.Notes
	if pattern != "" {
		var err error
		if g, err = glob.Compile(pattern, glob.Anywhere); err != nil {
			return err
		}
	}
	w := &Walk{From: s, Base: ".", Glob: g, Files: true, Skipped: skipped}
	buffers := make([][]byte, w.WorkerCount())
	w.Visit = func(worker int, in fsys.Folder, e Found) {
		data, st, kept, err := readText(in, e.Name, buffers[worker], max)
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
		if kept == nil {
			buffers[worker] = data[:0]
		}
		name := e.Path()
		if !visit(worker, Text{Path: name, Data: data, Stat: Entry{Path: name, Size: st.Size, Modified: st.Time()}, kept: kept, in: s.Index()}) {
			w.halt()
		}
	}
	return w.Run(ctx)
}

// ReadText reads a file of an open folder into buf, which grows where it must, unless it is in
// memory already: then the text is that of kept.
func ReadText(in fsys.Folder, name string, buf []byte) (text []byte, st fsys.Stat, kept *index.Text, err error) {
	return readText(in, name, buf, MaxText)
}

// readText is ReadText of the first bytes, at most max, where not all is in memory.
func readText(in fsys.Folder, name string, buf []byte, max int) (text []byte, st fsys.Stat, kept *index.Text, err error) {
	f, err := in.OpenFile(name)
	if err != nil {
		return nil, fsys.Stat{}, nil, err
	}
	defer f.Close()
	if st, err = f.Stat(); err != nil {
		return nil, fsys.Stat{}, nil, err
	}
	if h, ok := f.(*index.Kept); ok {
		return h.Text.Data, st, h.Text, nil
	}
	if st.Size > MaxText {
		return nil, st, nil, fsys.ErrTooLong
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
		return nil, st, nil, err
	}
	return buf, st, nil, nil
}
