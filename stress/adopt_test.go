package stress

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilledWhileAdopting kills the program while it takes over what an older one kept in the vault,
// at any instant: what was there stays, and the next try has taken all of it over, once.
func TestKilledWhileAdopting(t *testing.T) {
	const each = 30
	bin := binary(t)
	for round := range rounds(8, 200) {
		h := newHome(t, scratch(t), bin, nil, map[string]string{"Home.md": "# Home\n"})
		old := filepath.Join(h.vault, ".smarthole")
		for i := range each {
			at := time.Date(2020, 1, 1, 0, i, 0, 0, time.UTC)
			id := at.Format("20060102-150405") + fmt.Sprintf("-0000%04x", i)
			when := at.Format(time.RFC3339)
			text := fmt.Sprintf(`{"type":"turn","time":%[1]q,"turn":{"id":"m%[2]d","started":%[1]q,"ended":%[1]q,"messages":[{"id":"m%[2]d","role":"user","time":%[1]q,"content":"said %[2]d"}]}}`+"\n", when, i)
			path := filepath.Join(old, "conversations", id+".jsonl")
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte(text), 0o600))
		}
		before := whole(t, old)
		for range 3 {
			cmd := exec.Command(bin, "--vault", h.vault, "--offline", "trust", "adopt", "--yes")
			cmd.Env, cmd.Dir = h.environment(), h.dir
			must(t, cmd.Start())
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if r := h.run(0, nil, "--offline", "trust", "adopt", "--yes"); r.status != 0 {
			t.Fatalf("round %d: %d %s", round, r.status, r.err)
		}
		if r := h.run(0, nil, "--offline", "conversations", "list", "--json", "--all"); strings.Count(r.out, `"first":"said `) != each {
			t.Errorf("round %d: %d conversations of %d: %s", round, strings.Count(r.out, `"first":"said `), each, r.out)
		}
		if after := whole(t, old); !equal(before, after) {
			t.Errorf("round %d: what lay in the vault was changed", round)
		}
	}
}

// whole is every file in a folder, by path.
func whole(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			all[path] = read(t, path)
		}
		return err
	}))
	return all
}
