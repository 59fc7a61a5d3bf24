package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// Ended conversations are saved as notes in a folder of the vault (save_chats). Each is saved once; the note then
// belongs to the user.
const (
	savedFile   = "saved_chats.json"
	savedLock   = "saved_chats.lock"
	savedSchema = 1
	maxSaved    = 64 << 20 // in bytes
	untitledFor = 10 * time.Minute
	savedWait   = time.Second // for another process that saves
)

// savedState lists the conversations that were saved or had ended before saving was enabled.
type savedState struct {
	Schema int      `json:"schema"`
	Done   []string `json:"done"`
}

// saver returns the function that saves a conversation, or nil if saving is off.
func (a *Session) saver() func(ctx context.Context, id string) error {
	if err := a.beginSaving(); err != nil {
		a.warnings.add("Conversations are not saved as notes: " + err.Error())
		return nil
	}
	if a.config.SaveChats.V == "" {
		return nil
	}
	return a.saveChats
}

// beginSaving records at the start which conversations had ended before saving was enabled.
func (a *Session) beginSaving() error {
	if a.config.SaveChats.V == "" {
		return atomicfile.Remove(a.state, savedFile)
	}
	return statefile.WithLock(a.state, savedLock, savedWait, func() error {
		if _, err := statefile.Stat(a.state, savedFile); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		list, err := a.manager.Recent(0)
		if err != nil {
			return err
		}
		done := text.Of(list, func(e conversation.Entry) string { return e.ID })
		return statefile.WriteJSON(a.state, savedFile, savedState{savedSchema, done})
	})
}

// saveChats saves an ended conversation by its ID. An empty ID saves those that were missed, except those whose process
// still creates their title.
func (a *Session) saveChats(ctx context.Context, id string) error {
	return statefile.WithLock(a.state, savedLock, savedWait, func() error {
		var known savedState
		if err := statefile.ReadJSON(a.state, savedFile, maxSaved, savedSchema, &known); err != nil {
			return fmt.Errorf("what was saved so far cannot be read: %w; move %s away, and those that end from then on are saved", err, filepath.Join(a.state.Name(), savedFile))
		}
		list, err := a.manager.Recent(0)
		if err != nil {
			return err
		}
		var errs []error
		for _, e := range slices.Backward(list) {
			due := e.ID == id || id == "" && (e.Title != "" || time.Since(e.Last) >= untitledFor)
			if !due || e.Turns == 0 || slices.Contains(known.Done, e.ID) {
				continue
			}
			if err := a.saveChat(ctx, e); err != nil {
				errs = append(errs, err)
				continue
			}
			known.Done = append(known.Done, e.ID)
		}
		return errors.Join(append(errs, statefile.WriteJSON(a.state, savedFile, known))...)
	})
}

// saveChat writes the note of a conversation, under a free name. The change has the owner's rights, as the folder may be
// private.
func (a *Session) saveChat(ctx context.Context, e conversation.Entry) error {
	c, err := a.manager.Get(e.ID)
	if err != nil {
		return err
	}
	data := []byte(a.Conversations.hide((&noteWriter{spoken: true}).tell(c)))
	v, err := vault.Open(a.vault.Dir())
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	kept := home.KeepJournal(v, func(text string) { a.Log().Warn("journal of the saved chats", "warning", text) })
	defer func() { _ = kept.Close() }()
	origin := vault.Origin{Turn: journal.NewID(time.Now()), Source: journal.SourceOwn, Title: TitleOf(e), Conversation: e.ID}
	name := path.Join(a.config.SaveChats.V, c.Started.Local().Format(time.DateOnly)+" "+fileTitle(TitleOf(e)))
	for _, at := range freeNames(name) {
		_, err = v.Do(vault.WithOrigin(ctx, origin), vault.Request{Op: vault.OpWrite, Path: at, Data: data, New: true}, nil)
		if !errors.Is(err, vault.KindExists) {
			return errors.Join(err, v.History.EndTurn(origin.Turn))
		}
		if f, err := v.Read(ctx, at); err == nil && strings.Contains(string(f.Data), "\nid: \""+e.ID+"\"\n") {
			return nil // a process that ended before it recorded this
		}
	}
	return err
}
