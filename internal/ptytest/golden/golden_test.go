package golden_test

import (
	"testing"

	"chatvault/internal/ptytest/golden"
)

func TestFormat(t *testing.T) {
	for drawn, want := range map[string]string{
		"plain  \n\n":                                 "plain\n\n",
		"a \x1b[1;31mbold  red\x1b[m  \n":             "a bold  red\n-- styles --\n1       3-11 bold fg=1\n",
		"\x1b[2mx\x1b[m\n\x1b[2my\x1b[m\n":            "x\ny\n-- styles --\n1-2     1 faint\n",
		"\x1b[2m桃\x1b[3m桃\x1b[m\n":                    "桃桃\n-- styles --\n1       1-2 faint · 3-4 faint italic\n",
		"\x1b[48;2;1;2;3m  \x1b[38;5;9mz\n":           "  z\n-- styles --\n1       1-2 bg=#010203 · 3 fg=9 bg=#010203\n",
		"\x1b]8;;http://a.b\x07l\x1b]8;;\x07":         "l\n-- styles --\n1       1 link=http://a.b\n",
		"\x1b[1ma\x1b[m \x1b[1mb\x1b[m\x1b[4m \x1b[m": "a b\n-- styles --\n1       1-3 bold · 4 underline\n",
	} {
		if got := golden.Format(drawn); got != want {
			t.Errorf("%q:\n%q, want\n%q", drawn, got, want)
		}
	}
}
