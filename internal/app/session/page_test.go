package session

import (
	"fmt"
	"strings"
	"testing"

	"chatvault/conversation"
	"chatvault/internal/app/session/home"
)

// The pages of a conversation have each item once, in order.
func TestPages(t *testing.T) {
	for _, turns := range []int{1, 39, 40, 41, 130} {
		vault := fences(t, turns)
		state, err := home.Open(vault)
		if err != nil {
			t.Fatal(err)
		}
		m := conversation.NewManager(state, conversation.Options{})
		a := &Conversations{manager: m, changes: &Changes{}}
		c, err := m.Get(talkID)
		if err != nil {
			t.Fatal(err)
		}
		p := a.lastPage(c)
		items, pages := p.Items, 1
		for err == nil && p.Earlier != "" {
			if p.First != "fence question 0?" {
				t.Errorf("it begins %q", p.First)
			}
			all := pages == 2
			p, err = a.Earlier(t.Context(), p.Earlier, all)
			items, pages = append(p.Items, items...), pages+1
			if all && p.Earlier != "" {
				t.Error("asked for all, got a page")
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if want := itemsOf(c, 0, len(c.Turns)); fmt.Sprint(items) != fmt.Sprint(want) {
			t.Errorf("%d turns in %d pages: %d items, want %d", turns, pages, len(items), len(want))
		}
		if want := map[int]int{1: 1, 39: 1, 40: 1, 41: 2, 130: 3}[turns]; pages != want {
			t.Errorf("%d turns in %d pages", turns, pages)
		}
		p, err = a.Earlier(t.Context(), talkID+" "+c.Turns[turns/2].ID, true)
		if want := itemsOf(c, 0, turns/2); err != nil || fmt.Sprint(p.Items) != fmt.Sprint(want) || p.Earlier != "" {
			t.Errorf("before turn %d: %d items, want %d: %v", turns/2, len(p.Items), len(want), err)
		}
		for before, want := range map[string]string{
			"20990101-000000-00000000 t40": "it has been removed", talkID + " t1000": "has changed in the meantime",
		} {
			if _, err := a.Earlier(t.Context(), before, false); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(want, "it ")) {
				t.Errorf("%q: %v", before, err)
			}
		}
		_ = state.Close()
	}
}

// The first page shown includes the open question, however old it is.
func TestLastPageIncludesQuestion(t *testing.T) {
	vault := keeps(t, func(m *conversation.Manager) {
		for i := range 100 {
			x := talk(fmt.Sprint("t", i), i, "q", "a")
			switch {
			case i == 20:
				x.Question = "Which?"
			case i > 20:
				x.Failed, x.Error = true, "no network"
			}
			if err := m.Append(talkID, x); err != nil {
				t.Fatal(err)
			}
		}
	})
	state, err := home.Open(vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	a := &Conversations{manager: conversation.NewManager(state, conversation.Options{}), changes: &Changes{}}
	c, err := a.manager.Active()
	if err != nil {
		t.Fatal(err)
	}
	p := a.lastPage(c)
	if len(p.Items) == 0 || p.Items[0].Turn != "t20" {
		t.Errorf("%+v", p.Items[:min(1, len(p.Items))])
	}
}
