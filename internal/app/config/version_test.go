package config

import (
	"os"
	"strings"
	"testing"
)

// TestVersion: a file of a later version is refused as a whole and left alone; the version may be left out.
func TestVersion(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"theme = \"warm\"\n", ""},
		{"schema = 1\ntheme = \"warm\"\n", ""},
		{"theme = \"warm\"\nschema = 2\nfuture = 1\n", "toml:2: schema: must be 1, the version of the file; if it is later, update chatvault"},
		{"schema = 0\n", "toml:1: schema: must be 1, the version of the file"},
		{"schema = \"1\"\n", "toml:1: schema: must be 1"},
	} {
		for _, vault := range []bool{false, true} {
			user, of := tt.file, ""
			if vault {
				user, of = "mouse = false\n", tt.file
			}
			in := sourcesWith(t, user, of)
			c, err := Load(in)
			if tt.want == "" && (err != nil || c.Theme.V != "warm") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "future")) {
				t.Errorf("%q, of a vault %v: %v", tt.file, vault, err)
			}
			if data, err := os.ReadFile(in.UserFile); !vault && (err != nil || string(data) != tt.file) {
				t.Errorf("it became %q (%v)", data, err)
			}
		}
	}
}
