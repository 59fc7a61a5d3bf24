package lines

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"chatvault/internal/app/session"
)

// TestLinesCopy: what /copy copies from a conversation in the line chat, and what it prints.
func TestLinesCopy(t *testing.T) {
	history := []session.HistoryItem{
		{Role: session.HistoryUser, Content: "```\nmine\n```"},
		{Role: session.HistoryAssistant, Content: "Do this:\n\n```sh\nmake tart\n```\n\nand\n\n```go\nx := 1\n```\n"},
		{Role: session.HistoryTool, Content: "read_file"},
		{Role: session.HistoryAssistant, Content: "In June."},
	}
	for name, tt := range map[string]struct {
		words          string
		items          []session.HistoryItem
		err            error
		copied, prints string
	}{
		"the last answer":            {"", history, nil, "In June.", "Copied, by wl-copy."},
		"its code":                   {"code", history, nil, "x := 1\n", "Copied, by wl-copy."},
		"in capitals":                {"Code", history, nil, "x := 1\n", "Copied, by wl-copy."},
		"all":                        {"all", history, nil, "# All", "Copied, by wl-copy."},
		"no code":                    {"code", history[2:], nil, "", "No answer here has a code block."},
		"a user message is no reply": {"code", history[:1], nil, "", "No answer here has a code block."},
		"no answer":                  {"", history[:1], nil, "", "There is no answer to copy yet."},
		"another word":               {"it", history, nil, "", "/copy code its last code block"},
		"a fault":                    {"code", nil, errors.New("the file is gone"), "", "the file is gone"},
	} {
		var out bytes.Buffer
		copied := ""
		l := &lines{print: &linePrinter{out: &out}, o: Options{
			LastCode: lastFence, Copy: fakeClipboard(func(text string) { copied = text }).Copy,
		}}
		l.views.Print = l.block
		l.copyFrom(context.Background(), fakeHistory{items: tt.items, err: tt.err}, tt.words)
		if copied != tt.copied || !strings.Contains(out.String(), tt.prints) {
			t.Errorf("%s: copied %q, printed %q", name, copied, out.String())
		}
	}
}

// fakeHistory is a conversation of fixed items.
type fakeHistory struct {
	items []session.HistoryItem
	err   error
}

func (c fakeHistory) History(context.Context) ([]session.HistoryItem, error) { return c.items, c.err }
func (c fakeHistory) Transcript(context.Context) (string, error)             { return "# All", nil }

// fakeClipboard is a clipboard that calls a function.
type fakeClipboard func(text string)

func (c fakeClipboard) Copy(_ context.Context, text string) (session.Copied, error) {
	c(text)
	return session.Copied{By: "wl-copy"}, nil
}

// lastFence returns the last fenced code block.
func lastFence(text string) string {
	parts := strings.Split(text, "```")
	if len(parts) < 3 {
		return ""
	}
	_, code, _ := strings.Cut(parts[len(parts)-2], "\n")
	return code
}
