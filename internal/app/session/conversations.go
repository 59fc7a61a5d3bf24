package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"chatvault/conversation"
	"chatvault/internal/base/text"
	"chatvault/vault"
	"chatvault/vault/pathname"
)

// Past is a conversation in a list.
type Past struct {
	conversation.Entry
	Here      bool // it is the current one in this window
	Elsewhere bool // it is open in another window
	// Excerpts are the matches of a search, a line each.
	Excerpts []string
}

// Branch is a path through the conversation: the active one, or one left when an earlier message was edited.
type Branch struct {
	ID      string
	Active  bool
	First   string    // first words that differ
	Turns   int       // not shared with another branch
	Ended   time.Time // end of its last turn
	History []HistoryItem
}

// Moved is the conversation after a fork or a switch.
type Moved struct {
	Page     // the end of the active branch
	Left int // number of turns that are now a branch
	// Changed is what those turns changed in the vault, a line each. It is not undone.
	Changed []string
}

// TitleOf returns a conversation's display name on one line.
func TitleOf(e conversation.Entry) string {
	return cmp.Or(text.OneLine(e.Name()), "(nothing was said)")
}

// maxFound is the maximum number of matches shown.
const maxFound = 50

// Conversations are the active conversation and the ended ones of a vault.
type Conversations struct {
	manager    *conversation.Manager
	windows    *windowLocks
	*processor // Compact, Retrospect and LeaveQuestion for the active conversation
	changes    *Changes
	vault      *vault.Vault
	hide       func(string) string // removes keys from exported text
}

// Search searches all messages, best match first.
func (s *Conversations) Search(ctx context.Context, query string) ([]Past, error) {
	hits, err := s.manager.Search(ctx, query, maxFound)
	list := make([]Past, len(hits))
	active, _ := s.manager.Active() // on an error, the list reports it
	for i, h := range hits {
		list[i] = s.past(h.Entry, active)
		for _, x := range h.Excerpts {
			list[i].Excerpts = append(list[i].Excerpts, x.Text)
		}
	}
	return list, err
}

// Read returns a whole conversation.
func (s *Conversations) Read(_ context.Context, id string) ([]HistoryItem, error) {
	c, err := s.manager.Get(id)
	if err != nil {
		return nil, gone(err)
	}
	return s.page(c, 0, len(c.Turns)).Items, nil
}

// New ends the active conversation.
func (s *Conversations) New(context.Context) error {
	s.EndConversation()
	return nil
}

// Continue opens another conversation, in place of the active one, and returns its end.
func (s *Conversations) Continue(_ context.Context, id string) (Page, error) {
	if err := s.processor.Continue(id); err != nil {
		return Page{}, gone(err)
	}
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return Page{}, err
	}
	return s.lastPage(c), nil
}

// Rename sets the title of a conversation.
func (s *Conversations) Rename(_ context.Context, id, title string) error {
	return gone(s.manager.SetTitle(id, title, ""))
}

// Delete removes an ended conversation.
func (s *Conversations) Delete(_ context.Context, id string) error { return gone(s.manager.Delete(id)) }

// Export writes a conversation as a note into the default folder, under a free name.
func (s *Conversations) Export(_ context.Context, id string) (string, error) {
	c, err := s.manager.Get(id)
	if err != nil {
		return "", gone(err)
	}
	return s.exportNote(c)
}

// active returns the active conversation for export; otherwise is the error if there is none.
func (s *Conversations) active(otherwise string) (*conversation.Conversation, error) {
	c, err := s.manager.Active()
	if err == nil && c == nil {
		err = errors.New(otherwise)
	}
	return c, err
}

// List returns the active conversation and the others, the one used last first.
func (s *Conversations) List(context.Context) ([]Past, error) {
	active, err := s.manager.Active()
	if err != nil {
		return nil, err
	}
	all, err := s.manager.List()
	if err != nil {
		return nil, err
	}
	var list []Past
	for _, e := range all {
		if p := s.past(e, active); p.Here || p.Turns > 0 || !p.Ended.IsZero() {
			list = append(list, p)
		}
	}
	used := func(p Past) time.Time {
		if p.Here {
			return time.Now()
		}
		return p.Last
	}
	slices.SortStableFunc(list, func(a, b Past) int { return used(b).Compare(used(a)) })
	return list, nil
}

// past returns the list entry of a conversation. active may be nil.
func (s *Conversations) past(e conversation.Entry, active *conversation.Conversation) Past {
	p := Past{Entry: e}
	p.Here = active != nil && e.ID == active.ID
	p.Elsewhere = !p.Here && s.windows.has(e)
	return p
}

// gone replaces the error for a conversation that another process removed.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it has been removed")
	}
	return err
}

// freeNames returns the names NAME.md, "NAME 2.md" and so on, a hundred in all.
func freeNames(name string) []string {
	names := []string{name + ".md"}
	for i := 2; i <= 100; i++ {
		names = append(names, fmt.Sprintf("%s %d.md", name, i))
	}
	return names
}

const maxFileTitle = 60 // characters

// fileTitle returns a title as a file name that is valid on every system.
func fileTitle(title string) string {
	return cmp.Or(pathname.Portable(title, maxFileTitle), "Conversation")
}
