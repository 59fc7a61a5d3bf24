package cli

import (
	"os"
	"testing"
	"time"

	"chatvault/conversation"
	"chatvault/internal/app/session/home"
)

func newVault(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/Home.md", []byte("# Home\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// noServers is an environment without local model servers.
func noServers(name string) (string, bool) {
	if name == "CHATVAULT_LOCAL_SERVERS" {
		return "off", true
	}
	return "", false
}

// keeps creates a vault with the conversations that build records.
func keeps(t *testing.T, build func(*conversation.Manager)) string {
	t.Helper()
	vault := newVault(t)
	state, err := home.Open(vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	build(conversation.NewManager(state, conversation.Options{}))
	return vault
}

var talkBegan = time.Date(2026, 11, 20, 9, 0, 0, 0, time.Local)

// talk returns a turn with a question and its answer.
func talk(id string, minute int, question, answer string) conversation.Turn {
	at := talkBegan.Add(time.Duration(minute) * time.Minute)
	return conversation.Turn{ID: id, Started: at, Ended: at.Add(30 * time.Second), Messages: []conversation.Message{
		{ID: id, Role: conversation.RoleUser, Time: at, Content: question},
		{Role: conversation.RoleAssistant, Time: at.Add(20 * time.Second), Content: answer},
	}}
}

const talkID = "20261120-090000-00000000"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// stateOf returns the state folder of a vault.
func stateOf(t testing.TB, vault string) string {
	t.Helper()
	root, err := home.Open(vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	return root.Name()
}
