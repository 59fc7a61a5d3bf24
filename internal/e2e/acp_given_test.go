package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"chatvault/internal/llmtest"
)

// Pictures in a prompt are attached. Those of the vault are read from the vault, and a link outside the vault is not
// opened.
func TestACPPictures(t *testing.T) {
	t.Parallel()
	sized := func(width int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, 10))); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	srv := llmtest.New(t,
		llmtest.Reply("Seen.",
			llmtest.Expect(`all messages contains "[image/png 20×10]"`), llmtest.Expect(`all messages contains "[image/png 30×10]"`), llmtest.Expect(`all messages contains "[image/png 40×10]"`),
			llmtest.Expect(`all messages not contains "[image/png 50×10]"`), llmtest.Expect(`user contains "[far.png](file://"`), llmtest.Expect(`user contains "[far.pdf](file://"`),
			llmtest.Expect(`user contains "(a file that cannot be sent: it is damaged)"`), llmtest.Expect(`user contains "neither a picture nor a PDF"`), llmtest.Expect(`user contains "a picture (which the agent may not read)"`)),
		llmtest.Reply("Only that.", llmtest.Expect(`user contains "@picture-2.png"`)),
	)
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n", "near.png": string(sized(20)), "Diary/own.png": string(sized(50))})
	for name, data := range map[string]string{"far.png": string(sized(50)), "far.pdf": "%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n%%EOF\n", "c/chatvault/config.toml": "private = [\"Diary/**\"]\n"} {
		file := filepath.Join(h.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(dir, name string) map[string]any {
		return map[string]any{"type": "resource_link", "name": name, "uri": "file://" + filepath.Join(dir, name)}
	}
	given := func(data string, with ...string) map[string]any {
		m := map[string]any{"type": "image", "mimeType": "image/png", "data": data}
		if len(with) > 0 {
			m["uri"] = "file://" + with[0]
		}
		return m
	}
	encoded := func(width int) string { return base64.StdEncoding.EncodeToString(sized(width)) }
	e := h.editor(t, editorWith{srv: srv})
	session := e.open(h.vault)
	prompt := func(blocks ...any) {
		t.Helper()
		if got := e.call("session/prompt", map[string]any{"sessionId": session, "prompt": blocks}); got["stopReason"] != "end_turn" {
			t.Errorf("it stopped for %v", got)
		}
	}
	prompt(
		map[string]any{"type": "text", "text": "Look at "}, link(h.vault, "near.png"), given(encoded(30)), link(h.dir, "far.png"), link(h.dir, "far.pdf"), given("!"), given("aGVsbG8="),
		given(encoded(50), filepath.Join(h.vault, "Diary", "own.png")),
		map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///nowhere/shot.png", "mimeType": "image/png", "blob": encoded(40)}},
	)
	prompt(given(encoded(60)))
}
