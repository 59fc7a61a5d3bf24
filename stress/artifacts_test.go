//go:build unix

package stress

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/llmtest"
)

// TestArtifactsKilled kills the real binary with SIGKILL at every step between the moment at which an
// artifact is created and the end of its turn. The next start says what became of it, once, and that is so.
func TestArtifactsKilled(t *testing.T) {
	t.Parallel()
	table := "| tree | age |\n|---|---|\n" + strings.Repeat("| oak | 90 |\n", 30)
	sum := sha256.Sum256([]byte(table))
	stored := filepath.Join("artifacts", hex.EncodeToString(sum[:]))
	bin, srv := failing(t), llmtest.New(t, llmtest.Reply("# Trees\n\n"+table, llmtest.When(`user matches "^list the trees"`), llmtest.Forever()),
		llmtest.Reply("Hello.", llmtest.Forever()))
	dir := scratch(t)

	h := newHome(t, filepath.Join(dir, "undisturbed"), bin, srv, nil)
	log := filepath.Join(h.dir, "points")
	r := h.run(0, []string{"CHATVAULT_FAILPOINT_LOG=" + log}, "ask", "--json", "list the trees")
	if created, ready := strings.Index(r.out, `"artifact_created"`), strings.Index(r.out, `"artifact_ready"`); r.status != 0 || created < 0 || ready < created {
		t.Fatalf("undisturbed it ended with %d\n%s\n%s", r.status, r.out, r.err)
	}
	points := strings.Split(strings.TrimSpace(read(t, log)), "\n")
	from, to := slices.Index(points, "artifact created")+1, slices.Index(points, "step notified")
	if from < 1 || to < from || !slices.Contains(points[from:to], "artifact stored") || !slices.Contains(points[from:to], "file rename") {
		t.Fatalf("the steps are %q", points)
	}

	var mu sync.Mutex
	told := map[string]int{}
	parallel(to-from+1, func(i int) {
		h := newHome(t, filepath.Join(dir, fmt.Sprint(i)), bin, srv, nil)
		r := h.run(0, []string{fmt.Sprintf("CHATVAULT_FAILPOINT=kill * %d", from+i)}, "ask", "--json", "list the trees")
		starts := [][]string{{"--accessible"}, {"ask", "hello"}}
		first := h.run(0, nil, starts[i%2]...)
		next := first.out + first.err
		data, _ := os.ReadFile(h.state(stored))
		what := "nothing"
		switch is := string(data) == table; {
		case strings.Contains(next, "The artifact Trees.md was being stored when chatvault ended: it is there"):
			if what = "there"; !is {
				t.Errorf("at step %d it is said to be there, and is %q", from+i, data)
			}
		case strings.Contains(next, "The artifact Trees.md was being stored when chatvault ended: it is lost"):
			if what = "lost"; is {
				t.Errorf("at step %d it is said to be lost, and is there", from+i)
			}
		case !is:
			t.Errorf("at step %d (killed: %v) nothing is said, and it is not there\n%s", from+i, r.killed, next)
		}
		if again := h.run(0, nil, starts[0]...).out; strings.Contains(again, "being stored") {
			t.Errorf("at step %d it is said twice", from+i)
		}
		mu.Lock()
		defer mu.Unlock()
		if r.killed {
			told[what]++
		}
	})
	if told["there"] == 0 || told["lost"] == 0 {
		t.Errorf("of the kills it was said: %v", told)
	}
	t.Logf("%d steps; of the kills it was said: %v", to-from+1, told)
}
