package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdxlib"
)

// sample is a licence's text, as the library that recognises them is tested with.
func sample(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/licensecheck").Output()
	if err != nil {
		t.Fatal(explained(err))
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "testdata", name+".t1"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ = bytes.Cut(text, []byte("\n\n")) // what is expected of it stands before
	return text
}

func TestLicences(t *testing.T) {
	mit := sample(t, "MIT")
	for _, c := range []struct {
		name  string
		files []file
		is    string // its licence; empty: it is refused
		says  string
	}{
		{"one", []file{{name: "LICENSE", data: mit}}, "MIT", ""},
		{"other spelling, with a notice", []file{{name: "LICENCE.txt", data: sample(t, "Apache-2.0")}, {name: "NOTICE", data: []byte("by some")}}, "Apache-2.0", ""},
		{"two in two files", []file{{name: "LICENSE", data: mit}, {name: "LICENSE-x", data: sample(t, "BSD-3-Clause")}}, "BSD-3-Clause AND MIT", ""},
		{"two in one file", []file{{name: "LICENSE", data: append(append([]byte{}, mit...), sample(t, "Apache-2.0")...)}}, "Apache-2.0 AND MIT", ""},
		{"GPL", []file{{name: "COPYING", data: sample(t, "GPL-3.0")}}, "", "not among those that are accepted"},
		{"AGPL", []file{{name: "LICENSE", data: sample(t, "AGPL-3.0")}}, "", "not among those that are accepted"},
		{"GPL beside MIT", []file{{name: "LICENSE", data: mit}, {name: "COPYING", data: sample(t, "GPL-2.0")}}, "", "not among those that are accepted"},
		{"unknown", []file{{name: "LICENSE", data: []byte("You may look at this, and do nothing else with it, but on Sundays.")}}, "", "no licence that is recognised"},
		{"mostly something else", []file{{name: "LICENSE", data: append(append([]byte{}, mit...), strings.Repeat("And this too binds you, whoever you are. ", 60)...)}}, "", "no licence that is recognised"},
		{"a notice alone", []file{{name: "NOTICE", data: mit}}, "", "has no licence"},
		{"none", nil, "", "has no licence"},
	} {
		got := component{path: "example.com/x", version: "v1"}
		err := got.read(c.files)
		if c.is != "" && (err != nil || got.licence != c.is || len(got.texts) != len(c.files)) {
			t.Errorf("%s: %q, %d texts, %v", c.name, got.licence, len(got.texts), err)
		}
		if c.is == "" && (err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "example.com/x@v1")) {
			t.Errorf("%s: %q, %v", c.name, got.licence, err)
		}
	}
}

// What is in the product may be handed out, and its list says so in a form that SPDX's own library takes.
func TestWhatIsInside(t *testing.T) {
	r := release{version: "1.2.3-rc.1", commit: "abc", time: time.Unix(1e9, 0).UTC(), root: filepath.Join("..", "..")}
	parts, err := r.components()
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.spdx(parts)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Read(bytes.NewReader(list))
	if err == nil {
		err = spdxlib.ValidateDocument(doc)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	if ids, err := spdxlib.GetDescribedPackageIDs(doc); err != nil || len(ids) != 1 || ids[0] != common.ElementID("chatvault") {
		t.Errorf("it describes %v, %v", ids, err)
	}
	told := string(notices(parts))
	licences := map[string]string{}
	for _, p := range doc.Packages {
		licences[p.PackageName] = p.PackageLicenseConcluded
		if p.PackageName != "chatvault" && !strings.Contains(told, p.PackageName+" "+p.PackageVersion+": "+p.PackageLicenseConcluded) {
			t.Errorf("the notices lack %s %s", p.PackageName, p.PackageVersion)
		}
	}
	for path, licence := range map[string]string{
		"std": "BSD-3-Clause", "charm.land/catwalk": "MIT", "charm.land/bubbletea/v2": "MIT",
		"github.com/spf13/cobra": "Apache-2.0", "github.com/danieljoos/wincred": "MIT", // Windows alone
		"golang.org/x/sys": "BSD-3-Clause",
	} {
		if licences[path] != licence {
			t.Errorf("%s is under %q, not %s", path, licences[path], licence)
		}
	}
	for _, path := range []string{"github.com/rogpeppe/go-internal", "pgregory.net/rapid"} { // of tests
		if licences[path] != "" {
			t.Errorf("%s is not in the binary", path)
		}
	}
}
