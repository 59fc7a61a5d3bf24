//go:build unix

package stress

import (
	"encoding/base64"
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
// artifact is created and the end of its turn. The artifact's file is whole or not there, and there if a conversation
// names it; the message that brought it is kept or answered.
func TestArtifactsKilled(t *testing.T) {
	t.Parallel()
	picture := "\x89PNG\r\n\x1a\n" + strings.Repeat("oak ", 100)
	link := "![oak](data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(picture)) + ")"
	bin, srv := failing(t), llmtest.New(t, llmtest.Reply("Here it is: "+link, llmtest.When(`user matches "^draw a tree"`), llmtest.Forever()),
		llmtest.Reply("Hello.", llmtest.Forever()))
	dir := scratch(t)

	h := newHome(t, filepath.Join(dir, "undisturbed"), bin, srv, nil)
	log := filepath.Join(h.dir, "points")
	r := h.run(0, []string{"CHATVAULT_FAILPOINT_LOG=" + log}, "ask", "--json", "draw a tree")
	if created, ready := strings.Index(r.out, `"artifact_created"`), strings.Index(r.out, `"artifact_ready"`); r.status != 0 || created < 0 || ready < created {
		t.Fatalf("undisturbed it ended with %d\n%s\n%s", r.status, r.out, r.err)
	}
	points := strings.Split(strings.TrimSpace(read(t, log)), "\n")
	from, to := slices.Index(points, "artifact created")+1, slices.Index(points, "step notified")
	if from < 1 || to < from || !slices.Contains(points[from:to], "artifact stored") || !slices.Contains(points[from:to], "file rename") {
		t.Fatalf("the steps are %q", points)
	}

	var mu sync.Mutex
	found := map[string]int{}
	parallel(to-from+1, func(i int) {
		h := newHome(t, filepath.Join(dir, fmt.Sprint(i)), bin, srv, nil)
		r := h.run(0, []string{fmt.Sprintf("CHATVAULT_FAILPOINT=kill * %d", from+i)}, "ask", "--json", "draw a tree")
		starts := [][]string{{"--accessible"}, {"ask", "hello"}}
		h.run(0, nil, starts[i%2]...)
		inbox, answered, err := h.kept("draw a tree")
		if err != nil || inbox+answered == 0 {
			t.Errorf("at step %d (killed: %v) the message is lost: %v", from+i, r.killed, err)
		}
		what := "nothing"
		files, _ := filepath.Glob(h.state("artifacts", "*", "*", "*"))
		hidden, _ := filepath.Glob(h.state("artifacts", "*", "*", ".*"))
		for _, file := range append(files, hidden...) {
			data, _ := os.ReadFile(file)
			if what = "there"; filepath.Base(file) != "picture.png" || string(data) != picture {
				t.Errorf("at step %d %s is there, and is %q", from+i, file, data)
			}
		}
		if answered > 0 && what != "there" {
			t.Errorf("at step %d a conversation names it, and it is not there", from+i)
		}
		mu.Lock()
		defer mu.Unlock()
		if r.killed {
			found[what]++
		}
	})
	if found["there"] == 0 || found["nothing"] == 0 {
		t.Errorf("of the kills was found: %v", found)
	}
	t.Logf("%d steps; of the kills was found: %v", to-from+1, found)
}
