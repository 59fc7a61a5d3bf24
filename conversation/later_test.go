package conversation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewerConversation: a conversation written by a newer version stays unchanged and is reported; the next turn
// begins a new one.
func TestNewerConversation(t *testing.T) {
	dir, id, data := writeConversation(t)
	path := filepath.Join(dir, file(id))
	data = bytes.Replace(data, []byte(`"schema":1`), []byte(`"schema":9`), 1)
	data = append(data, []byte("something of later\n")...)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // also with the index built from it
		var warned []string
		m := NewManager(openRoot(t, dir), Options{Warn: func(s string) { warned = append(warned, s) }})
		if c := activeConversation(t, m); c != nil && c.ID == id {
			t.Fatal("it is active")
		}
		c, _ := appendTurn(t, m, turn("d", at(3)))
		if c.ID == id {
			t.Fatal("the conversation continues")
		}
		if err := m.Append(id, turn("e", at(4))); err == nil || !strings.Contains(err.Error(), "later version") {
			t.Errorf("a turn was added: %v", err)
		}
		if len(warned) != 1 || !strings.Contains(warned[0], id) || !strings.Contains(warned[0], "later version") {
			t.Errorf("warned %q", warned)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
		t.Errorf("its file was changed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, aside(id))); err == nil {
		t.Error("its lines were reported as damaged")
	}
}
