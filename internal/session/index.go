package session

import (
	"os"
	"runtime/debug"

	"chatvault/vault"
)

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
