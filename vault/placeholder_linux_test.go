package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/vault/search"
)

// TestPlaceholders: an index follows a file that is put online and downloaded again, and undo replaces no placeholder.
func TestPlaceholders(t *testing.T) {
	for kind, watch := range testWatchers {
		t.Run(kind, func(t *testing.T) {
			v := openTest(t, t.TempDir())
			cold := openTest(t, v.dir)
			file, online := filepath.Join(v.dir, "d", "A.md"), filepath.Join(v.dir, "d", ".A.md.icloud")
			writeTestFile(t, v.dir, "d/A.md", "needle")
			startTestIndex(t, v, watch, 1<<20)
			look := func(wantOnline, wantHits int) {
				t.Helper()
				for _, v := range []*Vault{v, cold} {
					list, err := v.List(t.Context(), search.ListQuery{Pattern: "**", Only: search.NotDownloaded})
					mustTest(t, err)
					found, err := v.Search(t.Context(), search.Query{Pattern: "needle"})
					mustTest(t, err)
					if list.Total != wantOnline || len(found.Files) != wantHits || len(found.Skipped) != wantOnline {
						t.Errorf("%d online, %d found, skipped %q; want %d and %d", list.Total, len(found.Files), found.Skipped, wantOnline, wantHits)
					}
				}
			}
			look(0, 1)
			mustTest(t, os.WriteFile(online, []byte("bplist"), 0o600)) // both for a moment
			look(0, 1)
			mustTest(t, os.Remove(file))
			look(1, 0)
			mustTest(t, os.Rename(online, file))
			look(0, 0)
			mustTest(t, os.WriteFile(file, []byte("a needle again"), 0o600))
			look(0, 1)
			mustTest(t, os.Rename(file, online))
			look(1, 0)
			if _, err := v.Do(t.Context(), Request{Op: OpWrite, Path: "d/a.md", Data: []byte("x")}, nil); err == nil || !strings.Contains(err.Error(), "not downloaded") {
				t.Errorf("a write: %v", err)
			}
			if _, err := v.Do(t.Context(), Request{Op: OpDelete, Path: "d", Recursive: true}, nil); err == nil || !strings.Contains(err.Error(), `"d/A.md" is not downloaded`) {
				t.Errorf("a deletion: %v", err)
			}
		})
	}
}
