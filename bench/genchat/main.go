// Command genchat gives a vault a conversation that goes on, of so many messages:
//
//	genchat -vault DIR -messages 10000
//
// Its turns hold what turns hold: a question, calls that read, an answer. Their words have none of
// the letters that bench/firstframe types.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatvault/conversation"
	"chatvault/internal/config"
	"chatvault/internal/statedir"
)

// perTurn is how many messages a turn has: each turn is flushed to the disk.
const perTurn = 50

func main() {
	dir := flag.String("vault", "", "the vault")
	messages := flag.Int("messages", 10_000, "how many messages it has")
	flag.Parse()
	if err := write(*dir, *messages); err != nil {
		fmt.Fprintln(os.Stderr, "genchat:", err)
		os.Exit(1)
	}
}

func write(dir string, messages int) error {
	root, err := statedir.Dirs{Base: filepath.Join(config.StateDir(), "vaults")}.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	m := conversation.NewManager(root, conversation.Options{})
	c, _, err := m.Begin("", time.Now())
	if err != nil {
		return err
	}
	for n := 0; n < messages; n += perTurn {
		if err := m.Append(c.ID, turn(n, min(perTurn, messages-n))); err != nil {
			return err
		}
	}
	return nil
}

// turn is a turn of n messages, of which the first is message number from.
func turn(from, n int) conversation.Turn {
	now := time.Now()
	id := fmt.Sprintf("m%d", from)
	t := conversation.Turn{ID: id, Started: now, Ended: now, Messages: []conversation.Message{
		{ID: id, Role: conversation.RoleUser, Time: now, Source: "direct", Content: fmt.Sprintf("Plum %d?", from)},
	}}
	for i := 1; i < n; i += 2 {
		call := fmt.Sprintf("c%d", from+i)
		t.Messages = append(t.Messages, conversation.Message{Role: conversation.RoleAssistant, Time: now, ToolCalls: []conversation.ToolCall{
			{ID: call, Name: "list_files", Arguments: `{}`, Target: fmt.Sprintf("Plum %d", i)},
		}})
		if i+1 < n-1 {
			t.Messages = append(t.Messages, conversation.Message{Role: conversation.RoleTool, Time: now, ToolCallID: call, ToolName: "list_files", Summary: "none", Content: "none"})
			continue
		}
		t.Messages[len(t.Messages)-1].ToolCalls = nil
		t.Messages[len(t.Messages)-1].Content = fmt.Sprintf("Plum **%d**, see [[Plum]].", i)
		break
	}
	return t
}
