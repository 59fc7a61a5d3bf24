package textedit

import (
	"fmt"
	"strings"
	"testing"
)

// TestDiffOfLongLines checks that lines of megabytes are cut, and that lines which differ only in the omitted part
// are different.
func TestDiffOfLongLines(t *testing.T) {
	long := strings.Repeat("word ", 1<<20)
	before := "# Title\n" + long + "a\n" + long + "\nend\n"
	after := "# Title\n" + long + "b\n" + long + "\nend\n"
	shown := func(line string) string { return shortLine(line, inResult.lineBytes) }
	want := fmt.Sprintf("--- n.md\n+++ n.md\n@@ -1,4 +1,4 @@\n # Title\n-%s\n+%s\n %s\n end", shown(long+"a"), shown(long+"b"), shown(long))
	if got := ResultDiff("n.md", before, after); got != want {
		t.Errorf("got\n%.3000s\nwant\n%s", got, want)
	}
	f := NewFile([]byte(before))
	at := len("# Title\n" + long)
	got, added, removed := FileDiff(f, "n.md", f.Content([]Splice{{Start: at, End: at + 1, text: "b"}}))
	if got != want || added != 1 || removed != 1 {
		t.Errorf("+%d -%d, got\n%.3000s\nwant\n%s", added, removed, got, want)
	}
}
