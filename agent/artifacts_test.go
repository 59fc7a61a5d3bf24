package agent

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/statefile/statetest"
)

// heard is a turn that keeps artifacts, and what it published.
type heard struct {
	*core
	turn *turn
	sub  *event.Subscription
}

func listening(t *testing.T) (heard, *artifact.Store) {
	c := &core{opt: Options{Agent: Agent{Artifacts: artifact.NewStore(statetest.Root(t))}}}
	return heard{c, &turn{id: "t", conv: &conversation.Conversation{ID: "one"}}, c.Subscribe()}, c.opt.Artifacts
}

func (h heard) told() (told []string) {
	h.bus.Close()
	events, _ := h.sub.Next(context.Background())
	for _, e := range events {
		c := e.(event.ArtifactChanged)
		told = append(told, fmt.Sprintf("%s %s %s%s", c.State, c.Name, c.CallID, c.Reason))
	}
	return told
}

func TestKeep(t *testing.T) {
	k, s := listening(t)
	a := k.keep(k.turn, "c", []artifact.Thing{{Name: "words.txt", Data: []byte("words")}, {Name: "none"}, {Name: "huge", Data: make([]byte, artifact.MaxSize+1)}})
	if len(a) != 1 || a[0].Name != "words.txt" || a[0].File != s.File("one", a[0]) {
		t.Errorf("%+v", a)
	}
	if data, err := s.Read(a[0].Hash); string(data) != "words" {
		t.Errorf("%q, %v", data, err)
	}
	got := k.told()
	slices.Sort(got)
	want := []string{"created huge.bin c", "created none.txt c", "created words.txt c", "failed huge.bin cit is too large", "failed none.txt cit is empty", "ready words.txt c"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What cannot be stored is told, and is not kept.
func TestNotStored(t *testing.T) {
	k, s := listening(t)
	if _, err := s.Put("one", "y", []byte("y")); err != nil {
		t.Fatal(err)
	}
	breakStore(t, s, "z")
	if kept := k.keep(k.turn, "", []artifact.Thing{{Name: "x", Data: []byte("x")}, {Name: "z", Data: []byte("z")}}); len(kept) != 1 || kept[0].Name != "x.txt" {
		t.Errorf("%+v", kept)
	}
	if got := k.told(); len(got) != 4 || !strings.HasPrefix(got[3], "failed z.txt") {
		t.Errorf("%q", got)
	}
}

func TestBytesInAnAnswer(t *testing.T) {
	k, s := listening(t)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 300)
	record := []conversation.Message{
		{Role: conversation.RoleUser, Content: "draw"},
		{Role: conversation.RoleAssistant, Content: "Here: ![a tree](data:image/jpeg;base64," + base64.StdEncoding.EncodeToString([]byte(png)) + ") and no more."},
	}
	k.keepAnswer(k.turn, record)
	m := record[1]
	if m.Content != "Here: ![a tree](artifact:picture.png) and no more." || len(m.Artifacts) != 1 || m.Artifacts[0].MediaType != "image/png" {
		t.Fatalf("%q, %+v", m.Content, m.Artifacts)
	}
	if data, err := s.Read(m.Artifacts[0].Hash); string(data) != png {
		t.Errorf("%q, %v", data, err)
	}
	record[1].ToolCalls = []conversation.ToolCall{{ID: "x"}}
	k.keepAnswer(k.turn, record) // it is no answer
	k.keepAnswer(k.turn, nil)
}

// breakStore keeps the bytes of some data from being stored: a folder has the name of their file.
func breakStore(t *testing.T, s *artifact.Store, data string) {
	t.Helper()
	a, err := artifact.Describe("z", []byte(data))
	if err == nil {
		err = os.MkdirAll(s.File("one", a), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}
