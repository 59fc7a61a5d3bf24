package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageTest   = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9]+)`")
	pageScript = regexp.MustCompile("`([a-z_]+\\.txtar)`")
)

// Each test named in docs/reliability.md exists.
func TestReliabilityPage(t *testing.T) {
	t.Parallel()
	page := string(projectFile(t, "docs", "reliability.md"))
	named := pageTest.FindAllStringSubmatch(page, -1)
	if len(named) < 80 {
		t.Errorf("it names %d tests", len(named))
	}
	files := map[string]string{} // what the tests of a folder hold
	for _, m := range named {
		dir, name := m[1], m[2]
		if dir == "e2e" {
			dir = "internal/e2e"
		}
		if _, read := files[dir]; !read {
			all, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range all {
				files[dir] += string(projectFile(t, f))
			}
		}
		if !strings.Contains(files[dir], "\nfunc "+name+"(") {
			t.Errorf("%s has no %s", dir, name)
		}
	}
	for _, m := range pageScript.FindAllStringSubmatch(page, -1) {
		if _, err := os.Stat(filepath.Join("testdata", "script", m[1])); err != nil {
			t.Error(err)
		}
	}
}
