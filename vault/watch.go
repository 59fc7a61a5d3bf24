package vault

import (
	"maps"
	"slices"
	"sync"
)

// Watch lets tell know of notes that somebody else changed on disk, created, moved or deleted:
// their true names, in order, each once, those of a burst together. What this process does through
// the vault is not told. It is told a fraction of a second after the fact, from when the index is
// built (StartIndex) on; without one, nothing is. tell is called by one goroutine at a time and
// must not wait for it. When stop returns, no further call begins.
func (v *Vault) Watch(tell func(paths []string)) (stop func()) { return v.watchers.add(tell) }

// watchers are those who want to know of changes. The zero value is ready for use.
type watchers struct {
	mu    sync.Mutex
	last  int
	tells map[int]func([]string)
}

func (w *watchers) add(tell func([]string)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tells == nil {
		w.tells = map[int]func([]string){}
	}
	w.last++
	id := w.last
	w.tells[id] = tell
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.tells, id)
	}
}

// any reports whether somebody wants to know.
func (w *watchers) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tells) > 0
}

// tell tells everybody, the first who asked first.
func (w *watchers) tell(paths []string) {
	w.mu.Lock()
	ids := slices.Sorted(maps.Keys(w.tells))
	w.mu.Unlock()
	for _, id := range ids {
		w.mu.Lock()
		tell := w.tells[id]
		w.mu.Unlock()
		if tell != nil {
			tell(slices.Clone(paths))
		}
	}
}
