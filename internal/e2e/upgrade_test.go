package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

var keepState = flag.String("keep-state", "", "write a state folder as this version does into testdata/states/NAME, for a version that is tagged")

// states is the folder with a vault and its state for each tagged version.
var states = filepath.Join("testdata", "states")

// earlier is a vault with the state of an earlier version, and the current program.
type earlier struct {
	t          *testing.T
	home, note string // folders
	bin        string
}

func (x earlier) env() []string {
	return append(os.Environ(), "HOME="+x.home, "XDG_CONFIG_HOME="+x.home+"/config", "XDG_STATE_HOME="+x.home+"/state", "XDG_DATA_HOME="+x.home+"/data",
		"OPENAI_BASE_URL=", "OPENAI_API_KEY=", "CHATVAULT_OFFLINE=true", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off", "TZ=UTC")
}

// run runs a command on the vault and returns what it printed.
func (x earlier) run(env []string, args ...string) (printed string, err error) {
	x.t.Helper()
	c := exec.Command(x.bin, append([]string{"--vault", x.note}, args...)...)
	c.Env = append(x.env(), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

func (x earlier) must(args ...string) string {
	x.t.Helper()
	out, err := x.run(nil, args...)
	if err != nil {
		x.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return out
}

// open copies the state of an earlier version, as for a vault that moved to another disk.
func open(t *testing.T, from string) earlier {
	t.Helper()
	x := earlier{t: t, home: t.TempDir(), bin: chatvault(t)}
	x.note = filepath.Join(x.home, "Notes")
	for at, what := range map[string]string{x.note: "vault", filepath.Join(x.home, "state", "chatvault"): "state"} {
		if err := os.CopyFS(at, os.DirFS(filepath.Join(from, what))); err != nil {
			t.Fatal(err)
		}
	}
	// The recorded state gets older with the repository.
	settings := filepath.Join(x.home, "config", "chatvault", "config.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("journal_days = 36000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	was := regexp.MustCompile(`"path":"([^"]+)"`).FindSubmatch(readFile(t, record(t, x)))
	if was == nil {
		t.Fatal("the record names no path")
	}
	x.must("vaults", "moved", string(was[1]))
	return x
}

// record returns the file that identifies the state's vault.
func record(t *testing.T, x earlier) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(x.home, "state", "chatvault", "vaults", "*", "vault.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found[0]
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStatesOfEarlierVersions reads the state of each tagged version and continues from it.
func TestStatesOfEarlierVersions(t *testing.T) {
	if *keepState != "" {
		writeState(t, filepath.Join(states, *keepState))
		return
	}
	versions, err := os.ReadDir(states)
	if err != nil || len(versions) == 0 {
		t.Fatalf("there are none: %v", err)
	}
	for _, v := range versions {
		t.Run(v.Name(), func(t *testing.T) {
			t.Parallel()
			from := filepath.Join(states, v.Name())
			x := open(t, from)
			for _, c := range []struct {
				args []string
				want string
			}{
				{[]string{"conversations", "list"}, "Create a note Waffles"},
				{[]string{"conversations", "show", "last"}, "remember the milk"},
				{[]string{"conversations", "search", "flour"}, "Waffles"},
				{[]string{"changes"}, "Knee.md"},
				{[]string{"changes", "--diff"}, "a cold spoon"},
				{[]string{"inbox", "list"}, "remember the milk"},
				{[]string{"trust"}, "agreed"},
				{[]string{"ask", "/tidy"}, "Home.md"},
				{[]string{"undo"}, "Knee.md"},
				{[]string{"redo"}, "Knee.md"},
				{[]string{"undo"}, "Knee.md"},
				{[]string{"ask", "-c", "list the notes"}, "Waffles"}, // goes on in a conversation of that version
				{[]string{"conversations", "export", "last"}, "list the notes"},
				{[]string{"tool", "get_conversation", `{"query": "flour"}`}, "Waffles"},
				{[]string{"undo", "--since", "2026-11-01", "--yes"}, "Pancakes"},
			} {
				out := x.must(c.args...)
				if !strings.Contains(out, c.want) {
					t.Errorf("%q says nothing of %q:\n%s", c.args, c.want, out)
				}
				for _, bad := range []string{"set aside", "makes no sense", "damaged", "later version"} {
					if strings.Contains(out, bad) {
						t.Errorf("%q: %s", c.args, out)
					}
				}
			}
			if got := readFile(t, filepath.Join(x.note, "Knee.md")); strings.Contains(string(got), "a cold spoon") {
				t.Errorf("not taken back: %s", got)
			}
			chat := reopenChat(t, chatOptions{env: x.env(), shows: "1 message not finished"}, x.home, x.note)
			chat.Type("\x1b")
			chat.WaitFor("half a thought", patience)
		})
	}
}

// No command uses or changes the state of a later version.
func TestStateOfALaterVersion(t *testing.T) {
	t.Parallel()
	versions, err := os.ReadDir(states)
	if err != nil || len(versions) == 0 {
		t.Fatalf("there are none: %v", err)
	}
	x := open(t, filepath.Join(states, versions[len(versions)-1].Name()))
	name := record(t, x)
	later := bytes.Replace(readFile(t, name), []byte(`"schema":1`), []byte(`"schema":1000`), 1)
	if err := os.WriteFile(name, later, 0o600); err != nil {
		t.Fatal(err)
	}
	was := everything(t, x.home)
	for _, args := range [][]string{
		{"ask", "delete Home"},
		{"tool", "write_file", `{"path": "New.md", "content": "x"}`},
		{"undo"},
		{"inbox", "list"},
		{"conversations", "list"},
		{"changes"},
		{"--accessible"},
	} {
		out, err := x.run(nil, args...)
		if err == nil || !strings.Contains(out, "written by a later version of chatvault") {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
		if is := everything(t, x.home); !reflect.DeepEqual(is, was) {
			t.Fatalf("%q changed something", args)
		}
	}
}

// Each file of state that says its version is left alone by every command if a later program wrote it, whatever else is in
// the folder.
func TestFilesOfALaterVersion(t *testing.T) {
	t.Parallel()
	versions, err := os.ReadDir(states)
	if err != nil || len(versions) == 0 {
		t.Fatalf("there are none: %v", err)
	}
	from := filepath.Join(states, versions[len(versions)-1].Name())
	said := regexp.MustCompile(`"(schema|version)": ?1\b`)
	tried := 0
	for name, text := range everything(t, from) {
		rel, err := filepath.Rel(filepath.Join(from, "state"), name)
		if err != nil || strings.HasPrefix(rel, "..") || !said.MatchString(text) || filepath.Base(name) == "vault.json" {
			continue
		}
		tried++
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			x := open(t, from)
			file := filepath.Join(x.home, "state", "chatvault", rel)
			later := said.ReplaceAllString(string(readFile(t, file)), `"$1":1000`)
			if err := os.WriteFile(file, []byte(later), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"ask", "what is in Home?"},
				{"ask", "-c", "and Knee?"},
				{"tool", "append_file", `{"path": "Home.md", "content": "x"}`},
				{"undo"},
				{"inbox", "list"},
				{"inbox", "retry", "--yes"},
				{"conversations", "list"},
				{"trust"},
				{"doctor"},
			} {
				out, _ := x.run(nil, args...) // many are refused
				if is := string(readFile(t, file)); is != later {
					t.Fatalf("%q changed it to\n%s\nand said\n%s", args, is, out)
				}
			}
		})
	}
	if tried == 0 {
		t.Error("no file says its version")
	}
}

// everything returns all files below a folder, without locks, which are empty, and incomplete files.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) != ".lock" && !strings.HasPrefix(d.Name(), ".chatvault-tmp-") {
			all[path] = string(readFile(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// writeState creates, with this version, the state that TestStatesOfEarlierVersions reads.
func writeState(t *testing.T, to string) {
	x := earlier{t: t, home: t.TempDir(), bin: chatvault(t)}
	x.note = filepath.Join(x.home, "Notes")
	for name, text := range map[string]string{
		"Home.md": "# Home\n\n- [ ] water the ferns\n", "Knee.md": "# Knee\n\nIce, twice a day.\n",
		".smarthole/commands/tidy.md": "what is in Home?\n",
	} {
		name = filepath.Join(x.note, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x.must("trust", "--yes")
	x.must("ask", "create a note Waffles with flour")
	x.must("ask", "create a note Pancakes with flour and milk")
	x.must("ask", "--goal", "make the vault beautiful")
	if out, err := x.run([]string{"CHATVAULT_OFFLINE=false", "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_API_KEY=k", "CHATVAULT_MODEL=m"}, "ask", "remember the milk"); err == nil {
		t.Fatalf("it was answered: %s", out)
	}
	x.must("tool", "edit_file", `{"path": "Knee.md", "old_text": "Ice", "new_text": "Ice, or a cold spoon"}`)
	chat := reopenChat(t, chatOptions{env: x.env(), shows: "1 message not finished"}, x.home, x.note)
	chat.WaitFor("1 message not finished", patience)
	chat.Type("\x1b")
	chat.WaitFor("Ask about your notes", patience)
	chat.Type("half a thought")
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // until it is on disk
		if strings.Contains(fmt.Sprint(everything(t, x.home)), "half a thought") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the draft was not kept")
		}
	}
	chat.Kill()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	for at, what := range map[string]string{"vault": x.note, "state": filepath.Join(x.home, "state", "chatvault")} {
		if err := os.CopyFS(filepath.Join(to, at), os.DirFS(what)); err != nil {
			t.Fatal(err)
		}
	}
}
