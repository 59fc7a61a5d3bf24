package transcript

import (
	"strings"
	"testing"

	"chatvault/conversation"
)

func TestCutLine(t *testing.T) {
	for _, line := range []string{"", "short", strings.Repeat("\x80", 3*MaxLine), strings.Repeat("é", MaxLine)} {
		n := 0
		for rest := line; rest != ""; n++ {
			part := cutLine(rest)
			if part == "" || len(part) > MaxLine {
				t.Fatalf("%d bytes of %.20q", len(part), line)
			}
			rest = rest[len(part):]
		}
		if n > 4 {
			t.Errorf("%d parts of %.20q", n, line)
		}
	}
}

// The program's messages for the goal are not attributed to the user.
func TestProgramsWords(t *testing.T) {
	c := &conversation.Conversation{ID: "c", Turns: []conversation.Turn{
		{ID: "t", Messages: []conversation.Message{{Role: conversation.RoleUser, Content: "Sort them.", Source: "direct"}}},
		{ID: "u", Messages: []conversation.Message{{Role: conversation.RoleUser, Content: "Keep working.", Source: "goal"}}},
	}}
	text := strings.Join(Lines(c, func(string) bool { return false }), "\n")
	if !strings.Contains(text, "): Sort them.") || !strings.Contains(text, "\nProgram: Keep working.") {
		t.Error(text)
	}
}
