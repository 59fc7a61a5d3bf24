package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"

	"chatvault/internal/base/statefile"
)

func TestKnownVaults(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Mkdir(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("a"), at("link")); err != nil {
		t.Fatal(err)
	}
	write(t, at("file"), "x")
	moment := func(n int64) time.Time { return time.Unix(n, 0) }
	got := known([]KnownVault{
		{Dir: at("a"), Obsidian: true, Opened: moment(10)},
		{Dir: at("b") + "/", Obsidian: true, Opened: moment(50), Open: true},
		{Dir: at("gone"), Obsidian: true, Opened: moment(99)},
		{Dir: at("file"), Obsidian: true, Opened: moment(98)},
		{Dir: `\\server\share`, Obsidian: true, Opened: moment(1)},
	}, []Use{{at("link"), moment(60)}, {at("c"), moment(20)}, {at("gone"), moment(5)}})
	var shown []string
	for _, k := range got {
		name := k.Name
		if strings.Contains(k.Dir, "server") {
			name = "share"
		}
		shown = append(shown, fmt.Sprintf("%s %v %v %d %d %v", name, k.Obsidian, k.Open, max(k.Opened.Unix(), 0), max(k.Used.Unix(), 0), k.Missing))
	}
	want := []string{
		"a true false 10 60 false",
		"b true true 50 0 false",
		"c false false 0 20 false",
		"gone true false 99 5 true",
		"file true false 98 0 true",
		"share true false 1 0 true",
	}
	if strings.Join(shown, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(shown, "\n"), strings.Join(want, "\n"))
	}
}

func TestRecent(t *testing.T) {
	state := t.TempDir()
	old := xdg.StateHome
	xdg.StateHome = state
	t.Cleanup(func() { xdg.StateHome = old })
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	note := func(dir string, after time.Duration) {
		t.Helper()
		if err := NoteUse(dir, now.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	shown := func() string {
		list, err := Recent()
		if err != nil {
			return err.Error()
		}
		var out []string
		for _, u := range list {
			out = append(out, fmt.Sprintf("%s@%d", u.Dir, int(u.Time.Sub(now).Minutes())))
		}
		return strings.Join(out, " ")
	}
	if got := shown(); got != "" {
		t.Errorf("at first: %s", got)
	}
	note("/a", 0)
	note("/b", time.Minute)
	note("/a", 2*time.Minute)
	note("/a", 3*time.Minute) // too soon to be recorded
	if got := shown(); got != "/a@2 /b@1" {
		t.Errorf("%s", got)
	}
	note("/a", 30*time.Minute)
	if got := shown(); got != "/a@30 /b@1" {
		t.Errorf("%s", got)
	}
	if info, err := os.Stat(recentVaults.path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	note("/z", 31*time.Minute)
	note("/a", 31*time.Minute+time.Millisecond)
	note("/z", 31*time.Minute+2*time.Millisecond)
	uses, err := Recent()
	if list := known(nil, uses); err != nil || list[0].Dir != "/z" || list[1].Dir != "/a" {
		t.Errorf("used soon after each other: %+v, %v", list, err)
	}
	for i := range 60 {
		note(fmt.Sprintf("/v%d", i), time.Duration(32+i)*time.Minute)
	}
	if list, err := Recent(); err != nil || len(list) != recentVaults.Most || list[0].Dir != "/v59" {
		t.Errorf("%d, %v", len(list), err)
	}
	// A file of another format is moved away, not overwritten.
	write(t, recentVaults.path(), `{"version": 0, "vaults": []}`)
	if got := shown(); !strings.Contains(got, "move it away") {
		t.Errorf("%s", got)
	}
	note("/a", 2*time.Hour)
	if got := shown(); got != "/a@120" {
		t.Errorf("%s", got)
	}
	aside, _ := filepath.Glob(recentVaults.path() + ".corrupt-*")
	if len(aside) != 1 {
		t.Errorf("set aside: %q", aside)
	}
	// One of a later version stays as it is.
	const later = `{"version": 7, "vaults": []}`
	write(t, recentVaults.path(), later)
	if err := NoteUse("/a", now.Add(3*time.Hour)); !errors.Is(err, statefile.ErrLater) {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(recentVaults.path()); err != nil || string(data) != later {
		t.Errorf("%s, %v", data, err)
	}
}
