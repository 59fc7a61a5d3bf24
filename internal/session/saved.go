package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/atomicfile"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
	"chatvault/vault"
	"chatvault/vault/journal"
)

// savedChats saves ended conversations as notes in a folder of the vault (save_chats). Each is saved once; the note
// then belongs to the user.
type savedChats struct {
	config *config.Config
	state  *os.Root
	of     *Conversations
	log    *slog.Logger
}

const (
	savedFile   = "saved_chats.json"
	savedLock   = "saved_chats.lock"
	savedSchema = 1
	maxSaved    = 64 << 20 // in bytes
	untitledFor = 10 * time.Minute
)

// savedState lists the conversations that were saved or had ended before saving was enabled.
type savedState struct {
	Schema int      `json:"schema"`
	Done   []string `json:"done"`
}

// saver returns the function that saves a conversation, or nil if saving is off. hide removes keys.
func (a *Session) saver(hide func(string) string) func(ctx context.Context, id string) error {
	s := &savedChats{
		config: a.config, state: a.state, log: a.Log(),
		of: &Conversations{manager: a.manager, vault: a.vault, hide: hide},
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.begin(ctx); err != nil {
		a.warnings.add("Conversations are not saved as notes: " + err.Error())
		return nil
	}
	if a.config.SaveChats.V == "" {
		return nil
	}
	return s.save
}

// begin records at the start which conversations had ended before saving was enabled.
func (s *savedChats) begin(ctx context.Context) error {
	if s.config.SaveChats.V == "" {
		return atomicfile.Remove(s.state, savedFile)
	}
	return s.withLock(ctx, func() error {
		if _, err := statefile.Stat(s.state, savedFile); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		list, err := s.of.manager.Recent(0)
		if err != nil {
			return err
		}
		return s.keep(savedState{Done: text.Of(list, func(e conversation.Entry) string { return e.ID })})
	})
}

// withLock runs do while no other process saves.
func (s *savedChats) withLock(ctx context.Context, do func() error) error {
	l, err := statefile.NewLock(s.state, savedLock)
	if err != nil {
		return err
	}
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil || !ok {
		return fmt.Errorf("cannot take the lock %s: %w", l.Path(), err)
	}
	defer func() { _ = l.Unlock() }()
	return do()
}

func (s *savedChats) known() (known savedState, err error) {
	if err := statefile.ReadJSON(s.state, savedFile, maxSaved, savedSchema, &known); err != nil {
		return known, fmt.Errorf("what was saved so far cannot be read: %w; move %s away, and those that end from then on are saved", err, filepath.Join(s.state.Name(), savedFile))
	}
	return known, nil
}

func (s *savedChats) keep(known savedState) error {
	known.Schema = savedSchema
	return statefile.WriteJSON(s.state, savedFile, known)
}

// save saves an ended conversation by its ID. An empty ID saves those that were missed, except those whose process
// still creates their title.
func (s *savedChats) save(ctx context.Context, id string) error {
	return s.withLock(ctx, func() error {
		known, err := s.known()
		if err != nil {
			return err
		}
		list, err := s.of.manager.Recent(0)
		if err != nil {
			return err
		}
		there := map[string]bool{}
		var errs []error
		for _, e := range slices.Backward(list) {
			there[e.ID] = true
			switch {
			case slices.Contains(known.Done, e.ID), e.Turns == 0, id != "" && e.ID != id:
				continue
			case id == "" && e.Title == "" && time.Since(e.Last) < untitledFor:
				continue
			}
			if err := s.write(ctx, e); err != nil {
				errs = append(errs, err)
				continue
			}
			known.Done = append(known.Done, e.ID)
			if err := s.keep(known); err != nil {
				return errors.Join(append(errs, err)...)
			}
		}
		if n := len(known.Done); n > 2*len(list)+100 { // drop the removed ones
			known.Done = slices.DeleteFunc(known.Done, func(id string) bool { return !there[id] })
			errs = append(errs, s.keep(known))
		}
		return errors.Join(errs...)
	})
}

// write writes the note of a conversation, under a free name. The change has the owner's rights, as the folder may be
// private.
func (s *savedChats) write(ctx context.Context, e conversation.Entry) error {
	c, err := s.of.manager.Get(e.ID)
	if err != nil {
		return err
	}
	t, err := s.of.path(c)
	if err != nil {
		return err
	}
	data := []byte(s.of.hide((&noteWriter{spoken: true}).tell(t)))
	v, err := vault.Open(s.of.vault.Dir())
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	kept := home.KeepJournal(v, s.config, func(text string) { s.log.Warn("journal of the saved chats", "warning", text) })
	defer func() { _ = kept.Close() }()
	origin := vault.Origin{Turn: journal.NewID(time.Now()), Source: journal.SourceOwn, Title: TitleOf(e), Conversation: e.ID}
	name := path.Join(s.config.SaveChats.V, c.Started.Local().Format(time.DateOnly)+" "+fileTitle(TitleOf(e)))
	for i := 1; i <= 100; i++ {
		at := name + ".md"
		if i > 1 {
			at = fmt.Sprintf("%s %d.md", name, i)
		}
		_, err = v.Do(vault.WithOrigin(ctx, origin), vault.Request{Op: vault.OpWrite, Path: at, Data: data, New: true}, nil)
		if !errors.Is(err, vault.KindExists) {
			return errors.Join(err, v.History.EndTurn(origin.Turn))
		}
		if f, err := v.Read(ctx, at); err == nil && strings.Contains(string(f.Data), "\nid: \""+e.ID+"\"\n") {
			return nil // the process that wrote it exited before recording it
		}
	}
	return err
}
