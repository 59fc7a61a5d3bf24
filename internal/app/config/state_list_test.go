package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func stateIn(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", dir)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

// TestStateList: the newest entries are kept, one for each name, and an unreadable file is moved away.
func TestStateList(t *testing.T) {
	stateIn(t, t.TempDir())
	type entry struct{ Name, Value string }
	list := StateList[entry]{File: "things.json", Key: "things", Most: 20}
	want := func(name, value string) {
		t.Helper()
		all, err := list.Read()
		i := slices.IndexFunc(all, func(e entry) bool { return e.Name == name })
		if err != nil || (i >= 0) != (value != "") || i >= 0 && all[i].Value != value {
			t.Errorf("%s: %v, %v, want %q", name, all, err, value)
		}
	}
	put := func(name, value string) {
		t.Helper()
		if err := list.Put(entry{name, value}, func(e entry) bool { return e.Name == name }); err != nil {
			t.Error(err)
		}
	}
	want("x", "")
	put("x", "high")
	put("y", "low")
	want("x", "high")
	put("x", "none")
	want("x", "none")
	want("y", "low")
	for i := range list.Most {
		put(fmt.Sprint(i), "low")
	}
	want("y", "") // long ago
	if info, err := os.Stat(list.path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(list.path(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := list.Read(); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v", err)
	}
	put("x", "high")
	want("x", "high")
	if aside, _ := filepath.Glob(list.path() + ".corrupt-*"); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
}
