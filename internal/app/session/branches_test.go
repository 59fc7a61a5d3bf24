package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
)

// saying returns a turn that optionally writes a note.
func saying(id, said, wrote string) conversation.Turn {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	t := conversation.Turn{ID: id, Started: at, Ended: at.Add(time.Minute), Messages: []conversation.Message{
		{ID: id, Role: conversation.RoleUser, Content: said, Source: "direct", Time: at},
	}}
	if wrote != "" {
		t.Messages = append(t.Messages,
			conversation.Message{Role: conversation.RoleTool, ToolName: "read_file", Content: "1: x"},
			conversation.Message{Role: conversation.RoleTool, ToolName: "write_file", Content: "Error: no", IsError: true},
			conversation.Message{Role: conversation.RoleTool, ToolName: "write_file", Content: fmt.Sprintf("Created file %q (1 byte).\nmore", wrote)})
	}
	t.Messages = append(t.Messages, conversation.Message{Role: conversation.RoleAssistant, Content: "Answer to " + said})
	return t
}

// forked returns a conversation made by steps: a turn is appended, an ID goes back to before its turn.
func forked(t *testing.T, steps ...any) *conversation.Conversation {
	t.Helper()
	m := conversation.NewManager(testState(t), conversation.Options{})
	for _, step := range steps {
		var err error
		switch step := step.(type) {
		case conversation.Turn:
			err = m.Append(talkID, step)
		case string:
			err = m.Fork(talkID, step)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := m.Get(talkID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBranchList(t *testing.T) {
	c := forked(t, saying("1", "one", ""), saying("4", "two again", ""), saying("5", "more", ""), "4", saying("2", "two", ""), saying("6", "three again", ""), "6", saying("3", "three", ""))
	var got []string
	for _, b := range branchList(c) {
		got = append(got, fmt.Sprint(b.ID, b.Active, b.First, b.Turns, len(b.History), b.Ended.Format(" 15:04")))
	}
	want := []string{"truetwo2 4 12:01", "6falsethree again1 2 12:01", "5falsetwo again2 4 12:01"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}

// Right after a fork the active branch is empty but listed.
func TestBranchListAfterFork(t *testing.T) {
	c := forked(t, saying("1", "one", ""), saying("2", "two", ""), "2")
	list := branchList(c)
	if len(list) != 2 || !list[0].Active || list[0].First != "" || list[0].Turns != 0 || !list[0].Ended.IsZero() || list[1].First != "two" {
		t.Errorf("%+v", list)
	}
}

func TestShared(t *testing.T) {
	a := []conversation.Turn{saying("1", "one", ""), saying("2", "two", ""), saying("3", "three", "")}
	retried := slices.Clone(a)
	retried[1].Ended = retried[1].Ended.Add(time.Second)
	for _, tt := range []struct {
		b    []conversation.Turn
		want int
	}{{nil, 0}, {a, 3}, {a[:2], 2}, {append(slices.Clone(a[:1]), saying("4", "x", "")), 1}, {retried, 1}} {
		if got := shared(a, tt.b); got != tt.want {
			t.Errorf("%d, want %d", got, tt.want)
		}
	}
}

// The history has the turn of each message, and whether a question still waits.
func TestHistoryTurnsAndQuestions(t *testing.T) {
	asked := saying("1", "open it", "")
	asked.Question, asked.Options = "Which?", []string{"this", "that"}
	asked.Messages = append(asked.Messages, conversation.Message{Role: conversation.RoleAgent, Content: "Which?", IsQuestion: true})
	c := &conversation.Conversation{Turns: []conversation.Turn{asked}}
	items := itemsOf(c, 0, len(c.Turns))
	if u := items[0]; u.ID != "1" || u.Turn != "1" {
		t.Errorf("%+v", u)
	}
	if q := items[len(items)-1]; !q.Waits || !reflect.DeepEqual(q.Options, asked.Options) {
		t.Errorf("%+v", q)
	}
	c.Ended = time.Now() // an ended conversation has no open question
	items = itemsOf(c, 0, len(c.Turns))
	if q := items[len(items)-1]; q.Role != HistoryQuestion || q.Waits || q.Options != nil {
		t.Errorf("%+v", q)
	}
}

func TestFileTitle(t *testing.T) {
	for title, want := range map[string]string{
		"Planning the tart":               "Planning the tart",
		"“a/b\\c: d?”":                    "“a b c d ”",
		" .hidden. ":                      "hidden",
		"[[Note#Heading]]\n\x1b[31mred":   "Note Heading 31mred",
		"":                                "Conversation",
		"...":                             "Conversation",
		"日本語 " + strings.Repeat("x", 100): "日本語 " + strings.Repeat("x", 56),
	} {
		if got := fileTitle(title); got != want {
			t.Errorf("fileTitle(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestExportHere(t *testing.T) {
	c, _ := cited(t, nil)
	t.Chdir(t.TempDir())
	s := &Conversations{vault: c.vault, hide: func(text string) string { return text }}
	for _, want := range []string{"/Tart.md", "/Tart 2.md", "/Tart 3.md"} {
		path, err := s.exportNote(&conversation.Conversation{Title: "Tart"})
		if err != nil || !strings.HasSuffix(path, want) {
			t.Errorf("%q, %v; want …%s", path, err, want)
		}
	}
}
