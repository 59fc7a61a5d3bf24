// Command genchat adds an open conversation with a given number of messages to a vault:
//
//	genchat -vault DIR -messages 10000
//
// Each turn has a question, tool calls and an answer. Their words contain none of the letters that bench/run
// types to measure key echo.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/app/statedir"
)

// perTurn is the number of messages in a turn. Larger turns save time, because each is flushed to disk.
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

// turn returns a turn of n messages. from is the number of the first message in the conversation.
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
