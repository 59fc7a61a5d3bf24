package acp

import (
	"slices"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/session"
)

// TestAfter: pages follow each other although the last session of one is used again or deleted, and two of one instant
// are told apart.
func TestAfter(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 123, time.UTC)
	past := func(id string, minutes int) session.Past {
		return session.Past{Entry: conversation.Entry{ID: id, Last: at.Add(time.Duration(minutes) * time.Minute)}}
	}
	list := []session.Past{past("d", 3), past("c", 2), past("b", 2), past("a", 1)}
	for _, c := range []struct {
		list []session.Past
		at   session.Past
		want int
	}{{list, list[0], 3}, {list, list[1], 2}, {list[2:], list[1], 2}, {append([]session.Past{past("c", 9)}, list[2:]...), list[1], 2}, {list, list[3], 0}} {
		got, err := after(slices.Clone(c.list), cursor(c.at))
		if err != nil || len(got) != c.want {
			t.Errorf("after %s of %v: %v, %v", c.at.ID, c.list, got, err)
		}
	}
	if _, err := after(list, "c"); err == nil {
		t.Error("an invalid cursor was accepted")
	}
}
