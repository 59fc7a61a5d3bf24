package offline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/tools"
)

// TestPartly: of what the user took in part it is not claimed that all was done.
func TestPartly(t *testing.T) {
	c := newChat(t, map[string]string{"House.md": "# House\n\nThe fence is red.\n\nThe gate is red.\n\nThe door is red.\n"})
	c.full, c.deny, c.take = true, func(tools.Proposal) error { return nil }, []int{1}
	got := c.say("replace “red” with “blue” everywhere in House")
	if !strings.Contains(got, "Of my change to [[House]] (House.md) you accepted 1 of 3 parts; the others are unchanged.") || strings.Contains(got, "3 times") {
		t.Errorf("it says %q", got)
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "House.md"))
	if err != nil || !strings.Contains(string(data), "The gate is blue.") || strings.Count(string(data), "blue") != 1 {
		t.Errorf("%q, %v", data, err)
	}
}
