package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

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
	File version `json:"file"`
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
	open := x.entries(func(e indexed) bool { return e.Ended.IsZero() })
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
		var x index
		err := statefile.ReadOrSetAside(m.store.root, indexFile, maxIndex, schema, &x)
		if m.later = errors.Is(err, statefile.ErrLater); m.later {
			m.warn("the index of conversations was written by a later version of chatvault: it is left unchanged")
		} else if err != nil {
			m.warn("the index of conversations is rebuilt: " + err.Error())
		}
		if err != nil {
			x, rebuild = index{}, true
		}
		m.cached, m.indexed = x, v
	}
	if changed := m.reconcile(files); (changed || rebuild) && !m.later {
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
			case err == nil:
				e, known, changed = indexed{c.Entry(), c.file}, true, true
			case errors.Is(err, fs.ErrNotExist):
				known = false
			default:
				m.warn(fmt.Sprintf("conversation %s could not be read: %v", id, err))
				known = known && !errors.Is(err, statefile.ErrLater)
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
