package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/conversation"
	"chatvault/internal/base/terminal/output"
)

func entriesOf(ids ...string) catalog {
	c := catalog{}
	for i, id := range ids {
		c.entries = append(c.entries, conversation.Entry{ID: id, Title: fmt.Sprintf("Title %d", i)})
	}
	return c
}

func TestFind(t *testing.T) {
	c := entriesOf("20261121-153145-0a1b2c3d", "20261121-153000-00000000", "20261120-000000-ffffffff")
	c.active = c.entries[0].ID
	for word, want := range map[string]string{
		"last": c.entries[0].ID, "active": c.entries[0].ID, "LAST": c.entries[0].ID, "20261121-1530": c.entries[1].ID, "20261120-000000-FFFFFFFF": c.entries[2].ID,
	} {
		if got, err := c.find(word); err != nil || got.ID != want {
			t.Errorf("%q finds %s (%v), not %s", word, got.ID, err, want)
		}
	}
	for word, want := range map[string]string{
		"": `no conversation ""`, "nosuch": `no conversation "nosuch"`, "20261121": "beginning of 2 conversations", "../x": "no conversation",
	} {
		if got, err := c.find(word); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q finds %s (%v)", word, got.ID, err)
		}
	}
	c.active = ""
	if _, err := c.find("active"); err == nil || !strings.Contains(err.Error(), "no conversation is active") {
		t.Errorf("without an active one: %v", err)
	}
}

// TestListFitsTheTerminal checks that each title is one line that fits with its marks, and that a pipe gets it whole.
func TestListFitsTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := entriesOf("20261121-153145-0a1b2c3d", "20261121-153145-0a1b2c3e")
		c.active = c.entries[1].ID
		c.entries[0].Title = rapid.OneOf(rapid.String(), rapid.StringMatching(`(日本語|word |\x{202e}|\x1b\[31m){0,40}`)).Draw(t, "title")
		c.entries[0].Branches, c.entries[0].Turns = 2, 123
		lines := make([]string, len(c.entries))
		for i, e := range c.entries {
			lines[i] = c.line(Streams{Out: output.New(io.Discard, true)}, e)
		}
		for _, line := range lines {
			if w := ansi.StringWidth(line); w > 80 || strings.ContainsAny(line, "\x1b\n\u202e") {
				t.Fatalf("%d cells: %q", w, line)
			}
		}
		if !strings.HasSuffix(lines[0], "[2 branches]") || !strings.HasPrefix(lines[0], "  2026") || !strings.HasPrefix(lines[1], "* 2026") {
			t.Fatalf("marks: %q", lines)
		}
		if piped := c.line(Streams{}, c.entries[0]); !strings.Contains(piped, strings.Join(strings.Fields(c.entries[0].Title), " ")) {
			t.Fatalf("piped: %q", piped)
		}
	})
}
