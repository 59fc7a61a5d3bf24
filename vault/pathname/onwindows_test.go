package pathname

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/vault/vaulterr"
)

func TestWindowsFault(t *testing.T) {
	for _, name := range []string{
		"C:", "12:30 call.md", "secret.md::$DATA", "Diary::$INDEX_ALLOCATION", "a.md:stream", `Diary\a.md`, "a.md.", "Diary ", "Diary. .",
		"CON", "con.md", "Nul.tar.gz", "COM1", "lpt9.md", "com¹.txt", "CONIN$", "AUX .md", "DIARY~1", "MYPRIV~1.MD", "notes~12.md", "PR~4", "a~1.", strings.Repeat("x", 200) + " ",
	} {
		if windowsFault(name) == "" {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, name := range []string{
		"a.md", "con-fusion.md", "COM10.md", "Console", "日本語.md", "v1.2 notes.md", "~", "a~b.md", "~1 draft.md", "version~10.2 notes.md", "drafts of May~1.md", " a.md",
	} {
		if fault := windowsFault(name); fault != "" {
			t.Errorf("%q: %s", name, fault)
		}
	}
}

// TestNewNamesOnWindows: every name that may be created can be opened on Windows, except those that look like a short
// name.
func TestNewNamesOnWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z.:~$ 1-9]{1,12}`)).Draw(t, "name")
		if name == "" || strings.ContainsAny(name, "/\\") || NewNameFault(name) != "" {
			return
		}
		if fault := windowsFault(name); fault != "" && !shortForm.MatchString(name) {
			t.Fatalf("%q may be created, but is %s", name, fault)
		}
	})
}

func TestCheckComponentsOnWindows(t *testing.T) {
	for given, denied := range map[string]bool{"Diary::$INDEX_ALLOCATION/a.md": true, "x/../CON": true, "a/DIARY~1/b.md": true, "a./b.md": true, "a/b.md": false, "./a/../b.md": false} {
		if err := checkComponents("windows", given, given); errors.Is(err, vaulterr.KindDenied) != denied {
			t.Errorf("windows: %s: %v", given, err)
		}
		if err := checkComponents("linux", given, given); err != nil && !strings.Contains(given, "~1") {
			t.Errorf("linux: %s: %v", given, err)
		}
	}
}
