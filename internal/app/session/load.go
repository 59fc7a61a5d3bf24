package session

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"chatvault/agent/llm/offline"
	"chatvault/internal/app/session/examples"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/routine"
	"chatvault/vault"
)

// Load reads what the chat shows at the start. It waits for the first frame, so that its time does not depend on the
// vault.
func (a *Session) Load(ctx context.Context) (Loaded, error) {
	var l Loaded
	select {
	case <-time.After(a.firstFrame):
	case <-ctx.Done():
	}
	pending, warnings, err := a.Inbox.Recover()
	if err != nil {
		l.Notices = append(l.Notices, err.Error())
	}
	l.Notices = append(l.Notices, warnings...)
	l.Unfinished = pending
	conv, err := a.manager.Active()
	if err != nil {
		l.Notices = append(l.Notices, "The conversation so far could not be read: "+err.Error())
	}
	if conv != nil {
		l.Page = a.Conversations.lastPage(conv)
	}
	l.Goal = a.Goal()
	l.Draft = unsentDraft(a.Drafts.Load(), pending)
	if len(l.Items) == 0 { // only the first-run screen shows them
		soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		l.Examples = examples.Questions(soon, a.vault)
		cancel()
	}
	l.Notices = append(l.Notices, a.warnings.take()...)
	a.KeepIndex()
	a.mcp.Start() // after the first frame
	return l, nil
}

// ProviderChanges looks for a local server after the first frame and sends a provider that differs, or says why a server
// that answers cannot be used (Said). Other providers
// are looked for with the first message.
func (a *Session) ProviderChanges(ctx context.Context) <-chan provider.ModelUsed {
	if !a.provider.Probes {
		return nil
	}
	changes := make(chan provider.ModelUsed, 1)
	before := a.provider.Name()
	routine.Go("look for a provider", func() {
		defer close(changes)
		if _, err := a.provider.Ready(ctx); err != nil {
			a.Log().Warn("provider not ready", "error", err)
			return // the first message's error is shown to the user
		}
		name, lacks := a.provider.Name(), a.provider.Lacks()
		if name != before || lacks != "" {
			changes <- provider.ModelUsed{Name: name, Offline: name == offline.Name, Said: lacks}
		}
	})
	return changes
}

// warnings collects and logs warnings for the user that are not errors.
type warnings struct {
	log   func(text string) // nil until there is a log
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

// KeepIndex starts indexing the vault in the background. It is called after the first frame.
func (a *Session) KeepIndex() {
	err := a.vault.Index.Start(vault.IndexOptions{
		TextBytes: 64 << 20,
		Changed:   a.indexChanged(),
		Failed:    func(err error) { a.Log().Error("no index of the vault any more", "error", err) },
	})
	if err != nil {
		a.Log().Warn("no index of the vault", "error", err)
	}
}

// indexChanged returns a callback for changes of the index's state.
func (a *Session) indexChanged() func(vault.IndexState) {
	before := vault.IndexState{}
	return func(s vault.IndexState) {
		if s.Ready != before.Ready || s.Watched != before.Watched || s.Why != before.Why {
			a.Log().Info("index of the vault", "ready", s.Ready, "watched", s.Watched, "why", s.Why,
				"texts", s.Texts, "text_bytes", s.TextBytes, "filter_bytes", s.Filters)
		}
		// As much garbage as there would be without the texts, which are long-lived and cheap to scan.
		debug.SetGCPercent(int(100 * baseMemory / (baseMemory + s.TextBytes + s.Filters)))
		if s.Ready && !before.Ready {
			debug.FreeOSMemory() // used for building it
		}
		before = s
	}
}

// baseMemory is about how much memory the program needs without the texts of notes, in bytes.
const baseMemory = 16 << 20
