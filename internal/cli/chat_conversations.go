package cli

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"chatvault/conversation"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui"
)

// maxFound bounds what a search in the chat shows.
const maxFound = 50

// pastConversations is what the chat can do with conversations that ended.
func (a *app) pastConversations(hide func(string) string) tui.Conversations {
	return tui.Conversations{
		List: func(context.Context) ([]session.Past, error) { return a.listConversations() },
		Search: func(ctx context.Context, query string) ([]session.Past, error) {
			hits, err := a.conversations.Search(ctx, query, maxFound)
			list := make([]session.Past, len(hits))
			for i, h := range hits {
				list[i] = pastOf(h.Entry)
				for _, x := range h.Excerpts {
					list[i].Excerpts = append(list[i].Excerpts, x.Text)
				}
			}
			return list, err
		},
		Read: func(_ context.Context, id string) ([]session.HistoryItem, error) {
			c, err := a.conversations.Get(id)
			if err != nil {
				return nil, gone(err)
			}
			return a.whole(c)
		},
		Continue: func(_ context.Context, id string) (session.Page, error) {
			if err := a.processor.Continue(id); err != nil {
				return session.Page{}, gone(err)
			}
			c, err := a.conversations.Active()
			switch {
			case err != nil:
				return session.Page{}, err
			case c == nil:
				return session.Page{}, errors.New("another chatvault ended it at once")
			}
			return a.lastPage(c)
		},
		Rename: func(_ context.Context, id, title string) error { return gone(a.conversations.SetTitle(id, title, "")) },
		Delete: func(_ context.Context, id string) error { return gone(a.conversations.Delete(id)) },
		Export: func(_ context.Context, id string) (string, error) {
			c, err := a.conversations.Get(id)
			if err != nil {
				return "", gone(err)
			}
			t, err := tellingOf(c, 0)
			if err != nil {
				return "", err
			}
			if t.gone, err = removed(a.conversations, c.Continues); err != nil {
				return "", err
			}
			return exportHere(fileTitle(titleOf(c.Entry())), []byte(hide(note(t))))
		},
	}
}

// listConversations are the active one, then those that ended, newest first.
func (a *app) listConversations() ([]session.Past, error) {
	active, err := a.conversations.Active()
	if err != nil {
		return nil, err
	}
	entries, err := a.conversations.Recent(0)
	if err != nil {
		return nil, err
	}
	var list []session.Past
	if active != nil {
		list = append(list, pastOf(active.Entry()))
	}
	for _, e := range entries {
		list = append(list, pastOf(e))
	}
	return list, nil
}

// gone says plainly what happens where another process works on the same conversations.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("it was removed meanwhile")
	}
	return err
}

func pastOf(e conversation.Entry) session.Past {
	return session.Past{ID: e.ID, Title: e.Title, First: e.First, Summary: e.Summary, Ended: e.Ended, Turns: e.Turns}
}

// lastEnded is the conversation that ended last, nil where none did.
func (a *app) lastEnded() (*session.Past, error) {
	list, err := a.conversations.Recent(1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	p := pastOf(list[0])
	return &p, nil
}

// exportHere writes a note into the working folder, under a name that is free.
func exportHere(name string, data []byte) (string, error) { return exportInto("", name, data) }

// exportInto writes a note into a folder, under a name that is free.
func exportInto(folder, name string, data []byte) (string, error) {
	for i := 1; i <= 100; i++ {
		path := filepath.Join(folder, name+".md")
		if i > 1 {
			path = filepath.Join(folder, name+" "+strconv.Itoa(i)+".md")
		}
		err := writeNew(path, data)
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
	title = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*#^[]`, r) || !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, title)
	title = text.OneLine(title)
	if r := []rune(title); len(r) > maxFileTitle {
		title = string(r[:maxFileTitle])
	}
	if title = strings.Trim(title, " ."); title == "" {
		return "Conversation"
	}
	return title
}
