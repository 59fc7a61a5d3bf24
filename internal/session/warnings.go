package session

import (
	"sync"
)

// warnings collects what is worth a line to the user but no error, and logs it.
type warnings struct {
	log   func(text string) // nil: there is no log yet
	mu    sync.Mutex
	texts []string
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.log != nil {
		w.log(text)
	}
	w.texts = append(w.texts, text)
}

// take returns what was collected since the last call.
func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	texts := w.texts
	w.texts = nil
	return texts
}
