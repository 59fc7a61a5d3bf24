package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// index caches the entries of the conversations' files and can be rebuilt from them.
type index struct {
	Schema        int       `json:"schema"`
	Conversations []indexed `json:"conversations"` // oldest first
}

// indexed is an entry with the version of the file that it was made from.
type indexed struct {
	Entry
	File  version `json:"file"`
	Later bool    `json:"later,omitempty"` // a later version of the program wrote it
}

// version identifies the content of a file. Files are only appended to, but a person or a synchronizer may replace
// them.
type version struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"` // nanoseconds since 1970
}

func versionOf(info fs.FileInfo) version { return version{info.Size(), info.ModTime().UnixNano()} }

const indexFile = folder + "/index.json"

// open returns the IDs of the conversations that have not ended, last used first.
func (x *index) open() []string {
	open := x.entries(func(e indexed) bool { return !e.Later && e.Ended.IsZero() })
	slices.SortStableFunc(open, func(a, b Entry) int { return b.Last.Compare(a.Last) })
	return text.Of(open, func(e Entry) string { return e.ID })
}

// entries returns the entries that keep selects, oldest first.
func (x *index) entries(keep func(e indexed) bool) []Entry {
	var out []Entry
	for _, e := range x.Conversations {
		if keep(e) {
			out = append(out, e.Entry)
		}
	}
	return out
}

// sound reports whether the index is consistent.
func (x *index) sound() bool {
	ids := make(map[string]bool, len(x.Conversations))
	for _, e := range x.Conversations {
		if !validID(e.ID) || ids[e.ID] {
			return false
		}
		ids[e.ID] = true
	}
	return true
}

// errIndexLater is returned for an index of a later version. It is not changed.
var errIndexLater = errors.New("the index of conversations was " + writtenLater + ": it is left unchanged")

// readIndex reads the index. An invalid one is set aside; the error reports it.
func (s store) readIndex() (x index, err error) {
	err = statefile.ReadJSON(s.root, indexFile, maxIndex, schema, &x)
	switch _, senseless := errors.AsType[statefile.Senseless](err); {
	case err == nil && x.sound():
		return x, nil
	case errors.Is(err, statefile.ErrLater):
		return index{}, errIndexLater
	case err != nil && !senseless:
		return index{}, fmt.Errorf("the index of conversations could not be read: %w", err)
	}
	name, err := atomicfile.SetAside(s.root, indexFile)
	if err != nil {
		return index{}, fmt.Errorf("the index of conversations is invalid and could not be set aside (%w); it was rebuilt", err)
	}
	return index{}, fmt.Errorf("the index of conversations was invalid; it was set aside as %s and rebuilt", filepath.Join(s.root.Name(), name))
}

// maxIndex limits the size of the index, in bytes.
const maxIndex = 64 << 20

// files returns the versions of the conversations' files.
func (s store) files() (map[string]version, error) {
	list, err := statefile.List(s.root, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := make(map[string]version, len(list))
	for _, f := range list {
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		if !ok || !validID(id) {
			continue
		}
		info, err := f.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed just now
		case err != nil:
			return nil, err
		case info.Mode().IsRegular() && info.Size() > 0: // an empty one's process was killed before it wrote a line
			files[id] = versionOf(info)
		}
	}
	return files, nil
}

// index returns the index, up to date with the files. Callers must not change it.
func (m *Manager) index() (index, error) {
	files, err := m.store.files()
	if err != nil {
		return index{}, fmt.Errorf("the conversations cannot be read: %w", err)
	}
	v := m.store.indexVersion()
	rebuild := v == version{} && len(files) > 0
	if v != m.indexed {
		m.indexed, m.foreign = v, false
		switch x, err := m.store.readIndex(); {
		case err == nil:
			m.cached = x
		case !errors.Is(err, fs.ErrNotExist):
			m.warn(err.Error())
			m.foreign, rebuild = errors.Is(err, errIndexLater), true
		}
	}
	if changed := m.reconcile(files); (changed || rebuild) && !m.foreign {
		m.saveIndex()
	}
	return m.cached, nil
}

// indexVersion returns the version of the index on disk, or zero if there is none.
func (s store) indexVersion() version {
	info, err := statefile.Stat(s.root, indexFile)
	if err != nil {
		return version{}
	}
	return versionOf(info)
}

// reconcile updates the index in memory for files that were added, removed or changed by others or before a crash, and
// reports whether it changed anything.
func (m *Manager) reconcile(files map[string]version) (changed bool) {
	before := make(map[string]indexed, len(m.cached.Conversations))
	for _, e := range m.cached.Conversations {
		before[e.ID] = e
	}
	now := index{Schema: schema, Conversations: make([]indexed, 0, len(files))}
	for _, id := range slices.Sorted(maps.Keys(files)) { // map order is random
		e, known := before[id]
		if !known || e.File != files[id] {
			c, err := m.fetch(id, files[id])
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				m.warn(fmt.Sprintf("conversation %s could not be read: %v", id, err))
			default:
				e, known, changed = indexed{c.Entry(), c.file, c.later}, true, true
			}
		}
		if known {
			now.Conversations = append(now.Conversations, e)
		}
	}
	slices.SortStableFunc(now.Conversations, func(a, b indexed) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
	})
	m.cached = now
	return changed || len(now.Conversations) != len(before)
}

// saveIndex writes the index.
func (m *Manager) saveIndex() {
	m.indexed = version{}
	if err := statefile.WriteJSONLazily(m.store.root, indexFile, m.cached); err != nil {
		m.warn(fmt.Sprintf("the index of conversations could not be written: %v", err))
		return
	}
	m.indexed = m.store.indexVersion()
}
