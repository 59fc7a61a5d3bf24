package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"chatvault/internal/llmtest"
)

// TestEscapesCopied copies the corpus in each form of the chat: the answer, its code and the conversation. The
// clipboard gets no control characters but tabs and line feeds, so a terminal that it is pasted into obeys nothing.
func TestEscapesCopied(t *testing.T) {
	t.Parallel()
	rows := escapes(t)
	for name, mode := range map[string]struct{ ready, env string }{
		"screen": {"Ask about your notes", ""},
		"lines":  {"You:", "CHATVAULT_ACCESSIBLE=true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := hostileText(spoken(rows)) + "a\rb\r\nc\x1b[201~d\n\n```sh\nmake\x1b[201~\r\n\ttart\r\x07\n```\n\nIt ends here."
			srv := llmtest.New(t, llmtest.Reply(all, llmtest.Split(700)))
			h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
			x := h.run(t, srv, []string{mode.env})
			x.WaitFor(mode.ready, patience)
			x.Type("first")
			x.Press("enter")
			if name == "screen" { // a long answer is shown from its beginning
				x.WaitFor("↓ more below", patience)
				x.WaitFor("Enter sends", patience)
				x.Press("end")
			}
			x.WaitFor("It ends here.", patience)
			for i, command := range []string{"/copy", "/copy code", "/copy all"} {
				x.WaitIdle(quiet, patience)
				x.Type(command)
				x.Press("enter")
				x.WaitUntil(command, patience, func(string) bool { return len(x.Clipboard()) > i })
			}
			x.WaitIdle(quiet, patience)
			got := x.Clipboard()
			if len(got) != 3 {
				t.Fatalf("%d texts were copied", len(got))
			}
			for i, sent := range got {
				text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sent, "52;c;"))
				if err != nil {
					t.Fatal(err)
				}
				if at := strings.IndexFunc(string(text), acts); at >= 0 || !utf8.Valid(text) {
					t.Errorf("copied: %.60q", text[max(at-20, 0):])
				}
				if i != 1 && marks(string(text), rows) < len(rows)*9/10 {
					t.Errorf("not all was copied: %.200q", text)
				}
				if i == 1 && !strings.HasSuffix(string(text), "make[201~\n\ttart\n\n") {
					t.Errorf("the code is %q", text)
				}
				kept, err := os.ReadFile(filepath.Join(h.dir, "s", "chatvault", "copied.md"))
				if i == 2 && string(kept) != string(text) {
					t.Errorf("the file holds %.200q, %v", kept, err)
				}
			}
		})
	}
}

// acts reports whether a terminal might interpret a character.
func acts(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
