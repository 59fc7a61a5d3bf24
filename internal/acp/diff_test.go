package acp

import "testing"

func TestOutsideIsNotShown(t *testing.T) {
	teller := teller{dir: "/vault"}
	content, at := teller.diffs("--- ../a\n+++ ../a\n@@ -1 +1 @@\n-x\n+y\n")
	if len(content) > 0 || len(at) > 0 {
		t.Errorf("a file outside the vault is shown: %+v", content)
	}
}
