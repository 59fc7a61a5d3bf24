package conversation_test

import (
	"fmt"
	"os"
	"time"

	"chatvault/conversation"
)

// Turns are appended to the active conversation. Once it has been idle for too long, the next turn ends it and begins
// a new one.
func ExampleManager() {
	dir, err := os.MkdirTemp("", "conversation")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		panic(err)
	}
	defer func() { _ = root.Close() }()

	m := conversation.NewManager(root, conversation.Options{IdleTimeout: 30 * time.Minute})
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	c, _, err := m.Begin("", now)
	if err != nil {
		panic(err)
	}
	err = m.Append(c.ID, conversation.Turn{ID: "t1", Started: now, Ended: now.Add(time.Minute), Messages: []conversation.Message{
		{ID: "t1", Role: conversation.RoleUser, Time: now, Content: "Which beds need water?"},
		{Role: conversation.RoleAssistant, Time: now.Add(time.Minute), Content: "The tomatoes."},
	}})
	if err != nil {
		panic(err)
	}
	active, _ := m.Active()
	fmt.Println(active.Entry().Name())
	_, ended, err := m.Begin("", now.Add(2*time.Hour))
	fmt.Println(ended.ID == c.ID, err)
	// Output:
	// Which beds need water?
	// true <nil>
}
