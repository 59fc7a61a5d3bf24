package session

import (
	"context"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"chatvault/agent/llm/offline"
	"chatvault/internal/routine"
	"chatvault/internal/session/examples"
	"chatvault/vault"
)

// OpensTurn says whether its turn begins with it.
func (h HistoryItem) OpensTurn() bool {
	return h.Turn != "" && h.ID == h.Turn && !h.Added && !h.Carried
}

// Load reads what the chat shows at the start. It leaves the processor to the first frame before,
// so that how soon that is there does not depend on the vault.
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
		p, err := a.Conversations.lastPage(conv)
		if err != nil {
			a.Log().Warn("what the conversation continues was not looked for", "error", err)
		}
		l.History, l.ID, l.Earlier, l.First = p.Items, p.ID, p.Earlier, p.First
	}
	if l.Before, err = a.Conversations.lastEnded(); err != nil {
		a.Log().Warn("earlier conversations not read", "error", err)
	}
	l.Goal = a.Goal()
	l.Draft = unsent(a.Drafts.Load(), pending)
	if len(l.History) == 0 { // they are for the first screen
		l.Examples = a.examples(ctx)
	}
	l.Notices = append(l.Notices, a.warnings.take()...)
	a.KeepIndex()
	a.mcp.Start() // after the first frame
	return l, nil
}

// examples are questions for the first-run screen, made from this vault's notes.
func (a *Session) examples(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return examples.Questions(ctx, a.vault, time.Now())
}

// ProviderChanges looks for a local server after the first frame and tells what it found,
// where that is news. Other providers are found by the first message.
func (a *Session) ProviderChanges(ctx context.Context) <-chan ProviderChange {
	if !a.provider.Probes {
		return nil
	}
	changes := make(chan ProviderChange, 1)
	before := a.provider.Name()
	routine.Go("look for a provider", func() {
		defer close(changes)
		if _, err := a.provider.Ready(ctx); err != nil {
			a.Log().Warn("provider not ready", "error", err)
			return // the first message's error tells the user
		}
		if name := a.provider.Name(); name != before {
			changes <- ProviderChange{Name: name, Offline: name == offline.Name}
		}
	})
	return changes
}

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

// KeepIndex lets the vault be kept in memory from now on: it is called when the first frame is on
// the screen, and what it begins happens in the background.
func (a *Session) KeepIndex() {
	err := a.vault.StartIndex(vault.IndexOptions{
		TextBytes: int64(a.config.IndexTextMegabytes.V) << 20,
		Changed:   a.indexChanged(),
		Failed:    func(err error) { a.Log().Error("no index of the vault any more", "error", err) },
	})
	if err != nil {
		a.Log().Warn("no index of the vault", "error", err)
	}
}

// indexChanged is told of each state of the index.
func (a *Session) indexChanged() func(vault.IndexState) {
	before := vault.IndexState{}
	return func(s vault.IndexState) {
		if s.Ready != before.Ready || s.Watched != before.Watched || s.Why != before.Why {
			a.Log().Info("index of the vault", "ready", s.Ready, "watched", s.Watched, "why", s.Why,
				"files", s.Files, "folders", s.Folders, "texts", s.Texts, "text_bytes", s.TextBytes, "filter_bytes", s.Filters)
		}
		if percent, ok := collectPercent(s.TextBytes+s.Filters, os.Getenv("GOGC")); ok {
			debug.SetGCPercent(percent)
		}
		if s.Ready && !before.Ready {
			debug.FreeOSMemory() // what building it took
		}
		before = s
	}
}

// beside is about what the program needs in memory beside the texts of notes, in bytes.
const beside = 16 << 20

// collectPercent is how much garbage there may be until it is collected, in percent of what is in
// use: as much as there would be without the texts, which are no garbage and quickly passed over.
// It is not ok to set it where the user has.
func collectPercent(textBytes int64, user string) (percent int, ok bool) {
	if user != "" {
		return 0, false
	}
	return int(100 * beside / (beside + textBytes)), true
}
