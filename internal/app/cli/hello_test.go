package cli

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/app/config"
	"chatvault/internal/app/lines"
	"chatvault/internal/app/session"
	"chatvault/internal/base/terminal/output"
	"chatvault/tui"

	"chatvault/tui/keys"
)

// TestCommandIsOneRow checks that a row of the table appears in the palette, the help, completion, the line chat and
// ask, and runs.
func TestCommandIsOneRow(t *testing.T) {
	table := append(session.Commands(), session.Command{
		Name: "hello", Does: "say hello",
		Run: func(session.Call) session.Reply { return session.Reply{Say: "Hello to you."} },
	})
	shows := func(where, text string, wanted ...string) {
		t.Helper()
		for _, w := range wanted {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %q:\n%s", where, w, text)
			}
		}
	}
	screen := tui.New(t.Context(), tui.Options{Processor: noProcessor{}, Events: noProcessor{}, VaultName: "notes", Screen: tui.Screen{NoColor: true}, Typed: tui.Typed{Commands: table}})
	screen.Update(tea.WindowSizeMsg{Width: 80, Height: 60})
	typed := func(text string) string {
		for _, r := range text {
			screen.Update(keys.Typed(string(r)))
		}
		return ansi.Strip(screen.View().Content)
	}
	press := func(k string) string { screen.Update(keys.Press(k)); return ansi.Strip(screen.View().Content) }
	shows("completion", typed("/hel"), "/hello", "say hello")
	typed("lo ")
	shows("the screen", press("enter"), "Hello to you.")
	press("ctrl+p")
	shows("the palette", typed("hello"), "/hello", "say hello")
	press("esc")
	typed("/help ")
	help := press("enter")
	for range 20 {
		help += press("pgdown")
	}
	shows("the help", help, "/hello", "say hello")

	cfg := config.Defaults()
	cfg.Offline.V = true
	a, err := session.Open(session.Options{Config: cfg, Dir: newVault(t), Name: "chat", Sources: config.Sources{LookupEnv: noServers}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var out bytes.Buffer
	lines.Run(t.Context(), lines.Options{
		In: strings.NewReader("/help\n/hello\n"), Out: output.New(&out, false), Session: a, Commands: table,
	})
	shows("the chat as lines", out.String(), "/hello: say hello\n", "\nHello to you.\n")

	_, err = expandSlash(a, table, "/hello")
	if err == nil {
		t.Fatal("ask takes /hello for a message")
	}
	shows("ask", err.Error(), "/hello is a command of the chat")
}
