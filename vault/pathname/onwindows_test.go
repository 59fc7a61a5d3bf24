package pathname

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/vault/vaulterr"
)

func TestWindowsFault(t *testing.T) {
	for name, message := range map[string]string{
		"C:":                           "colon",
		"12:30 call.md":                "colon",
		"secret.md::$DATA":             "colon",
		"Diary::$INDEX_ALLOCATION":     "colon",
		"a.md:stream":                  "colon",
		`Diary\a.md`:                   "backslash",
		"a.md.":                        "dot",
		"Diary ":                       "a space",
		"Diary. .":                     "dot",
		"CON":                          "device",
		"con.md":                       "device",
		"Nul.tar.gz":                   "device",
		"COM1":                         "device",
		"lpt9.md":                      "device",
		"com¹.txt":                     "device",
		"CONIN$":                       "device",
		"AUX .md":                      "device",
		"DIARY~1":                      "short name",
		"MYPRIV~1.MD":                  "short name",
		"notes~12.md":                  "short name",
		"PR~4":                         "short name",
		"a~1.":                         "dot",
		strings.Repeat("x", 200) + " ": "a space",
	} {
		if fault := windowsFault(name); !strings.Contains(fault, message) {
			t.Errorf("%q: %q; want %q", name, fault, message)
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
