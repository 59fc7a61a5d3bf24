package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPrivateListsAreMerged(t *testing.T) {
	c, err := layers{user: "private = [\"Diary/\", \"*.secret.md\"]", vault: "theme = \"dark\"\nprivate = \"Pay/\""}.load(t)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.PrivateGlobs(); !slices.Equal(got, []string{"Diary/", "*.secret.md", "Pay/"}) {
		t.Errorf("%q", got)
	}
	i := slices.IndexFunc(c.Settings(), func(s Setting) bool { return s.Key == "private" })
	if s := c.Settings()[i]; s.Shown != "Diary/, *.secret.md, Pay/" || !strings.Contains(s.From.String(), "user.toml:1, ") || !strings.HasSuffix(s.From.String(), "config.toml:2") {
		t.Errorf("%+v", s)
	}
	// An empty list of the vault does not remove the user's.
	c, err = layers{user: "private = [\"Diary/\"]", vault: "private = []"}.load(t)
	if err != nil || len(c.Private) != 1 {
		t.Errorf("%v, %v", c.Private, err)
	}
}

func TestBadPrivate(t *testing.T) {
	for text, want := range map[string]string{
		"private = 4":               ":1: private: must be a list of globs such as",
		"private = [\"a\", 4]":      ":1: private: each entry must be text in quotes",
		"private = {a = 1}":         "private: must be a list of globs",
		"\nprivate = [\"bad one\"]": "user.toml:2: private: no good",
		"private = [" + strings.Repeat(`"a",`, 1001) + "]": "at most 1000 globs, not 1001",
	} {
		dir := t.TempDir()
		user := filepath.Join(dir, "user.toml")
		write(t, user, text)
		_, err := Load(Sources{LookupEnv: func(string) (string, bool) { return "", false }, UserFile: user, CheckGlob: func(glob string) error {
			if glob == "bad one" {
				return errors.New("no good")
			}
			return nil
		}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		_ = os.Remove(user)
	}
}
