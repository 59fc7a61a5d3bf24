package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// put adds or updates the entry of c.
func (x *index) put(c *Conversation, v version) {
	e := indexed{c.Entry(), v, c.later}
	if i := slices.IndexFunc(x.Conversations, func(o indexed) bool { return o.ID == c.ID }); i >= 0 {
		x.Conversations[i] = e
	} else {
		x.Conversations = append(x.Conversations, e)
	}
}

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

// files returns the versions of the conversations' files and of the index.
func (s store) files() (files map[string]version, index version, err error) {
	list, err := statefile.List(s.root, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, version{}, nil
	}
	if err != nil {
		return nil, version{}, err
	}
	files = make(map[string]version, len(list))
	for _, f := range list {
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		isIndex := folder+"/"+f.Name() == indexFile
		if !isIndex && (!ok || !validID(id)) {
			continue
		}
		info, err := f.Info()
		if err == nil && !info.Mode().IsRegular() {
			continue // not a conversation
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed just now
		case err != nil:
			return nil, version{}, err
		case isIndex:
			index = versionOf(info)
		case info.Size() == 0: // its process was killed before it wrote the first line
		default:
			files[id] = versionOf(info)
		}
	}
	return files, index, nil
}

// reconcile updates x for files that were added, removed or changed by others or before a crash, and reports whether
// it changed anything.
func (s store) reconcile(x *index, files map[string]version, load func(string, version) (loaded, error)) (changed bool, warnings []string) {
	kept := make([]indexed, 0, len(x.Conversations))
	var stale []string
	known := make(map[string]bool, len(x.Conversations))
	for _, e := range x.Conversations {
		v, ok := files[e.ID]
		switch {
		case !ok:
			changed = true
		default:
			known[e.ID] = true
			kept = append(kept, e)
			if v != e.File {
				stale = append(stale, e.ID)
			}
		}
	}
	x.Schema, x.Conversations = schema, kept
	for id := range files {
		if !known[id] {
			stale = append(stale, id)
		}
	}
	slices.Sort(stale) // map order is random
	for _, id := range stale {
		c, err := load(id, files[id])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			x.Conversations = slices.DeleteFunc(slices.Clone(x.Conversations), func(e indexed) bool { return e.ID == id })
			changed = true
		case err != nil:
			warnings = append(warnings, fmt.Sprintf("conversation %s could not be read: %v", id, err))
		default:
			warnings = append(warnings, c.warnings...)
			x.put(c.Conversation, c.version)
			changed = true
		}
	}
	if changed {
		slices.SortStableFunc(x.Conversations, func(a, b indexed) int {
			return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.ID, b.ID))
		})
	}
	return changed, warnings
}

// writeIndex writes the index.
func (s store) writeIndex(x index) error { return statefile.WriteJSONLazily(s.root, indexFile, x) }
