package history

import (
	"testing"
	"time"

	"chatvault/conversation"
)

// TestEarlier: a model gets the list of earlier conversations once.
func TestEarlier(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ended := []conversation.Entry{{ID: "a", Title: "A", Last: at}, {ID: "b", First: "words of b", Last: at}, {ID: "c", Last: at}}
	turnWith := func(id, context string) conversation.Turn {
		return conversation.Turn{ID: id, Ended: at, Messages: []conversation.Message{{ID: id, Role: conversation.RoleUser, Content: "x", Context: context}}}
	}
	a := earlierIntro + "\n" + earlierLine(ended[0])
	for _, c := range []struct {
		name string
		conv conversation.Conversation
		want int
	}{
		{"none sent", conversation.Conversation{}, 2},
		{"one sent", conversation.Conversation{Turns: []conversation.Turn{turnWith("1", a)}}, 1},
		{"another one sent", conversation.Conversation{Turns: []conversation.Turn{turnWith("1", earlierLine(ended[0]))}}, 2},
		{"sent before a summary", conversation.Conversation{
			Turns:      []conversation.Turn{turnWith("1", a), turnWith("2", "")},
			Compaction: &conversation.Compaction{Through: "1", Summary: "s", Time: at.Add(time.Minute)},
		}, 2},
		{"one of them is this", conversation.Conversation{ID: "b"}, 1},
	} {
		if got := Earlier(&c.conv, ended); max(len(got)-1, 0) != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
