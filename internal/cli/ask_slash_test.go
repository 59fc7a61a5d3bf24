package cli

import (
	"errors"
	"strings"
	"testing"
)

func TestRefuseSlash(t *testing.T) {
	for prompt, want := range map[string]string{
		"/usage":             "/usage is a command of the chat, not a message. Run: chatvault cost",
		"/usgae":             "did you mean /usage?",
		"/USAGE \n":          "/usage is a command of the chat",
		"/gaol":              "did you mean /goal? Run: chatvault ask --goal",
		"/goal tag all":      "Run: chatvault ask --goal",
		"/plan sort my note": "Run: chatvault ask --plan",
		"/conv":              "did you mean /conversations? Run: chatvault conversations list",
		"/xyzzy":             "there is none of that name",
		// Messages.
		" /usage":                         "",
		"usage":                           "",
		"/":                               "",
		"/etc/hosts":                      "",
		"/usage is a word, what is it?":   "",
		"/tmp is full, what can I do":     "",
		"//":                              "",
		"/2":                              "",
		"what does /usage do in the chat": "",
	} {
		err := refuseSlash(prompt, nil)
		var e *exitError
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", prompt, err)
		case want != "" && (!errors.As(err, &e) || e.status != exitUsage || !strings.Contains(e.text, want) || !strings.Contains(e.text, "put a space before")):
			t.Errorf("%q: %v, want %q", prompt, err, want)
		}
	}
}
