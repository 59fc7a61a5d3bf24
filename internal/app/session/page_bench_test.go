package session

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
)

// BenchmarkLongConversation measures a start with a long active conversation: reading it and preparing its last page,
// or all of it, for display. Each turn has 2.5 KB.
func BenchmarkLongConversation(b *testing.B) {
	for _, turns := range []int{1000, 2000} {
		dir := b.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = root.Close() })
		m := conversation.NewManager(root, conversation.Options{})
		result := strings.Repeat("a line of a note that was read\n", 60)
		for i := range turns {
			x := talk(fmt.Sprint("t", i), 0, fmt.Sprint("question ", i), fmt.Sprint("answer ", i))
			x.Ended = talkBegan.Add(time.Duration(i) * time.Second)
			x.Messages = append(x.Messages[:1:1], conversation.Message{Role: conversation.RoleAssistant, ToolCalls: []conversation.ToolCall{{ID: "c", Name: "read_file", Arguments: "{}", Target: "a.md"}}},
				conversation.Message{Role: conversation.RoleTool, ToolCallID: "c", ToolName: "read_file", Content: result}, x.Messages[1])
			if err := m.Append(talkID, x); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprintf("read/%d", turns), func(b *testing.B) {
			for b.Loop() {
				if c, err := conversation.NewManager(root, conversation.Options{}).Active(); err != nil || len(c.Turns) != turns {
					b.Fatal(err)
				}
			}
		})
		a := &Conversations{manager: m, changes: &Changes{}}
		c, err := m.Active()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("page/%d", turns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.lastPage(c)
			}
		})
		b.Run(fmt.Sprintf("whole/%d", turns), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a.page(c, 0, len(c.Turns))
			}
		})
		b.Run(fmt.Sprintf("earlier/%d", turns), func(b *testing.B) {
			b.ReportAllocs()
			p := a.lastPage(c)
			for b.Loop() {
				if _, err := a.Earlier(b.Context(), p.Earlier, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
