package e2e

import (
	"strings"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// hostileTurn returns a model that sends the corpus through everything that a chat prints, and then an error.
func hostileTurn(t *testing.T, rows []escape) *llmtest.Server {
	t.Helper()
	all := hostileText(spoken(rows))
	short := rows[0].text + rows[31].text + rows[80].text
	return llmtest.New(t,
		llmtest.Say(
			llmtest.Reasoning(all), llmtest.Text(all), llmtest.Split(7),
			llmtest.Call("read_file", map[string]any{"path": "hostile.md"}),
			llmtest.Call("read_file", map[string]any{"path": short}),
			llmtest.Call("list_files", map[string]any{"pattern": "**"}),
			llmtest.Call("send_message", map[string]any{"message": all}),
			llmtest.Call("task_list", map[string]any{"items": []any{map[string]any{"text": short, "done": false}}}),
			llmtest.Call("append_file", map[string]any{"path": "Home.md", "content": short}),
			llmtest.Call("no\x1b[2Jsuch", map[string]any{"x": short})),
		llmtest.Reply(all+"\n\nIt ends here.", llmtest.Split(3)),
		llmtest.Fail(400, `{"error":{"message":`+jsonText(short)+`}}`),
	)
}

// TestEscapesAsLines is TestEscapesOnTheScreen for the chat as plain lines, which print no sequence at all.
func TestEscapesAsLines(t *testing.T) {
	t.Parallel()
	rows := escapes(t)
	srv := hostileTurn(t, rows)
	h := hostileHome(t, rows)
	h.vault = renamed(t, h.vault, "No\u202etes")
	x := h.run(t, srv, []string{"CHATVAULT_APPROVAL=off", "CHATVAULT_ACCESSIBLE=true"})
	x.WaitFor("You:", patience)
	x.Send("first\n")
	x.WaitFor("It ends here.", patience)
	x.Send("second\n")
	x.WaitFor("The provider refused the request", patience)
	time.Sleep(quiet)
	x.Send("\x04")
	x.Wait(patience)
	if n := marks(string(x.Raw()), rows); n < len(rows)*8/10 {
		t.Errorf("of %d rows %d were printed", len(rows), n)
	}
	if strings.ContainsRune(string(x.Raw()), '\x1b') {
		t.Error("an escape sequence was written")
	}
	checkDone(t, x, rows, true)
}
