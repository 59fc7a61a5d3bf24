package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"chatvault/agent"
	"chatvault/conversation"
	"chatvault/internal/atomicfile"
	"chatvault/internal/session/telling"
	"chatvault/internal/text"
	"chatvault/vault"
	"chatvault/vault/pathname"
)

// Past is a conversation as a list shows it.
type Past struct {
	conversation.Entry
	Here      bool // it goes on in this window
	Elsewhere bool // another window is in it
	// Excerpts are where the words of a search stand, a line each.
	Excerpts []string
}

// Name is what the conversation is called.
func (p Past) Name() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.First != "":
		return "“" + p.First + "”"
	}
	return "An empty conversation"
}

// Branch is a way the conversation went: the active one, or one that was left when an earlier
// message was edited.
type Branch struct {
	ID      string
	Active  bool
	First   string    // the first words in which it differs
	Turns   int       // that it shares with no other way
	Ended   time.Time // when its last turn did
	History []HistoryItem
}

// Moved is the conversation after it went back to before an earlier message, or over to another
// branch.
type Moved struct {
	History []HistoryItem // the active way now
	Earlier string        // as Page.Earlier, and First as Page.First
	First   string
	Left    int // the turns that are a branch now
	// Changed is what those turns changed in the vault, a line each: it stays as it is. Back is
	// what of it was taken back, and Kept what could not be, and why.
	Changed, Back, Kept []string
}

// SettingChange is a change of a setting that was worked out and not made.
type SettingChange struct {
	Path string // of the file that is to hold it
	Diff string // unified, of the setting's text; empty if nothing would change
	// Apply makes it; it refuses if the setting changed meanwhile.
	Apply func() error
}

// TitleOf is what a conversation is called, on one line.
func TitleOf(e conversation.Entry) string {
	return cmp.Or(text.OneLine(e.Name()), "(nothing was said)")
}

// maxFound bounds what a search in the chat shows.
const maxFound = 50

// Conversations are those of the vault: the one that goes on, and those that ended.
type Conversations struct {
	manager   *conversation.Manager
	windows   *windowLocks
	processor *agent.Processor
	changes   *Changes
	vault     *vault.Vault
	hide      func(string) string // takes keys out of what leaves the state folder
}

// Search looks for words in all that was said; best first.
func (s *Conversations) Search(ctx context.Context, query string) ([]Past, error) {
	hits, err := s.manager.Search(ctx, query, maxFound)
	list := make([]Past, len(hits))
	active, _ := s.manager.Active() // where it cannot be read, the list says so
	for i, h := range hits {
		list[i] = s.past(h.Entry, active)
		for _, x := range h.Excerpts {
			list[i].Excerpts = append(list[i].Excerpts, x.Text)
		}
	}
	return list, err
}

// Read is all of one.
func (s *Conversations) Read(_ context.Context, id string) ([]HistoryItem, error) {
	c, err := s.manager.Get(id)
	if err != nil {
		return nil, gone(err)
	}
	return s.whole(c)
}

// New ends the active one.
func (s *Conversations) New(context.Context) error {
	s.processor.EndConversation()
	return nil
}

// LeaveQuestion drops the question that the active one waits with.
func (s *Conversations) LeaveQuestion() error { return s.processor.LeaveQuestion() }

// Compact summarises the active one for the model.
func (s *Conversations) Compact() error { return s.processor.Compact() }

// Retrospect has the active one, or the last one, looked back at; what comes of it is told by an event.
func (s *Conversations) Retrospect() error { return s.processor.Retrospect() }

// Continue begins a conversation that continues one which has ended, and is it. One that a closed window
// left ends with that.
func (s *Conversations) Continue(_ context.Context, id string) (Page, error) {
	if err := s.endLeft(id); err != nil {
		return Page{}, err
	}
	if err := s.processor.Continue(id); err != nil {
		return Page{}, gone(err)
	}
	c, err := s.manager.Active()
	switch {
	case err != nil:
		return Page{}, err
	case c == nil:
		return Page{}, errors.New("another chatvault process ended it at once")
	}
	return s.lastPage(c)
}

// endLeft ends a conversation that goes on nowhere; where another window is in it, its error says so.
func (s *Conversations) endLeft(id string) error {
	c, err := s.manager.Get(id)
	if err != nil {
		return gone(err)
	}
	if active, err := s.manager.Active(); err != nil || active != nil && active.ID == c.ID {
		return err
	}
	if s.windows.has(c.Entry()) {
		return errors.New("another window is in it: go on there, or close that window first")
	}
	_, err = s.manager.EndLeft(time.Now(), func(e conversation.Entry) bool { return e.ID == c.ID })
	return err
}

// Rename gives one a title.
func (s *Conversations) Rename(_ context.Context, id, title string) error {
	return gone(s.manager.SetTitle(id, title, ""))
}

// Delete removes one that ended.
func (s *Conversations) Delete(_ context.Context, id string) error { return gone(s.manager.Delete(id)) }

// Export writes one as a note into the working folder, under a name that is free.
func (s *Conversations) Export(_ context.Context, id string) (string, error) {
	c, err := s.manager.Get(id)
	if err != nil {
		return "", gone(err)
	}
	t, err := s.telling(c)
	if err != nil {
		return "", err
	}
	return exportInto("", fileTitle(TitleOf(c.Entry())), []byte(s.hide(AsNote(t))))
}

// activeTelling is telling for the active one; otherwise says that there is none.
func (s *Conversations) activeTelling(otherwise string) (telling.Telling, error) {
	c, err := s.manager.Active()
	if err == nil && c == nil {
		err = errors.New(otherwise)
	}
	if err != nil {
		return telling.Telling{}, err
	}
	return s.telling(c)
}

// telling is a conversation along its active path.
func (s *Conversations) telling(c *conversation.Conversation) (telling.Telling, error) {
	t, err := telling.Tell(c, 0)
	if err == nil {
		t.Gone, err = removed(s.manager, c.Continues)
	}
	return t, err
}

// List are the one that goes on here, those that have not ended elsewhere, and those that ended, newest first.
func (s *Conversations) List(context.Context) ([]Past, error) {
	active, err := s.manager.Active()
	if err != nil {
		return nil, err
	}
	ended, err := s.manager.Recent(0)
	if err != nil {
		return nil, err
	}
	all, err := s.manager.List()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b conversation.Entry) int { return b.Last.Compare(a.Last) })
	var here, list []Past
	for _, e := range all {
		switch p := s.past(e, active); {
		case p.Here:
			here = append(here, p)
		case p.Ended.IsZero() && p.Turns > 0:
			list = append(list, p)
		}
	}
	list = append(here, list...)
	for _, e := range ended {
		list = append(list, Past{Entry: e})
	}
	return list, nil
}

// past is a conversation beside the one that goes on here; nil: none does.
func (s *Conversations) past(e conversation.Entry, active *conversation.Conversation) Past {
	p := Past{Entry: e}
	p.Here = active != nil && e.ID == active.ID
	p.Elsewhere = !p.Here && s.windows.has(e)
	return p
}

// gone says plainly what happens where another process works on the same conversations.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it has been removed")
	}
	return err
}

// lastEnded is the conversation that ended last, nil where none did.
func (s *Conversations) lastEnded() (*Past, error) {
	list, err := s.manager.Recent(1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &Past{Entry: list[0]}, nil
}

// exportInto writes a note into a folder, under a name that is free.
func exportInto(folder, name string, data []byte) (string, error) {
	for i := 1; i <= 100; i++ {
		path := filepath.Join(folder, name+".md")
		if i > 1 {
			path = filepath.Join(folder, name+" "+strconv.Itoa(i)+".md")
		}
		err := atomicfile.CreatePath(path, data, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if whole, absErr := filepath.Abs(path); absErr == nil {
			path = whole
		}
		if err != nil {
			return "", errors.New(path + " cannot be written: " + err.Error())
		}
		return path, nil
	}
	return "", errors.New("a hundred files of that name are in the working folder; export it with chatvault conversations export")
}

const maxFileTitle = 60 // characters

// fileTitle is a title as a file can be called on any system.
func fileTitle(title string) string {
	return cmp.Or(pathname.Portable(title, maxFileTitle), "Conversation")
}
