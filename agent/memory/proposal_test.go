package memory

import (
	"strings"
	"testing"
)

func TestProposal(t *testing.T) {
	for _, c := range []struct{ text, content, architecture string }{
		{"All well.", "All well.", ""},
		{"All well.\n\n```information_architecture\nNew.\n```", "All well.", "New."},
		{"A\n~~~~ Information_Architecture text\n```\ncode\n```\n~~~~\nB", "A\nB", "```\ncode\n```"},
		{"A\n```architecture\nOne\n```\n```information-architecture\nTwo\n```", "A\n```architecture\nOne\n```", "Two"},
		{"```information_architecture\nNew.\n```", "```information_architecture\nNew.\n```", "New."},
		// None, or none to speak of.
		{"A\n```information_architecture\nOld.\n```", "A", ""},
		{"A\n```information_architecture\n  \n```", "A", ""},
		{"A\n```information_architecture\ncut off", "A\n```information_architecture\ncut off", ""},
		{"A\n```markdown\n```information_architecture\nx\n```\nB", "A\n```markdown\n```information_architecture\nx\n```\nB", ""},
		{"A\n```information_architecture\n" + strings.Repeat("x", maxArchitecture+1) + "\n```", "A", ""},
		{"A `information_architecture` b", "A `information_architecture` b", ""},
		{"", "", ""},
	} {
		content, architecture := Proposal(c.text, "Old.\n")
		if content != c.content || architecture != c.architecture {
			t.Errorf("%.60q\n got %q, %.60q\nwant %q, %q", c.text, content, architecture, c.content, c.architecture)
		}
	}
}
