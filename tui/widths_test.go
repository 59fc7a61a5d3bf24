package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/base/cells"
	"chatvault/tui/dialog"
)

// TestRightEdgesAreDrawn draws frames as Bubble Tea does, which cuts lines at the edge of the screen: the frame of a
// dialog is whole and at one place, elapsed times are shown and no typed text is lost, before and after a terminal
// reports that it draws grapheme clusters.
func TestRightEdgesAreDrawn(t *testing.T) {
	defer cells.SetClusters(false)
	const text = "हिन्दी नमस्ते 👩‍👩‍👧‍👦👩‍👩‍👧‍👦 🇩🇪🇯🇵 e\u0301Z\u0351\u036b 👍🏽👍🏽"
	for _, clusters := range []bool{false, true} {
		for _, width := range []int{20, 40, 80} {
			s := newScreen(t, func(o *Options) { o.VaultName, o.Provider = text, "model" })
			s.send(tea.WindowSizeMsg{Width: width, Height: 30})
			cells.SetClusters(false)
			if clusters {
				s.m.View() // in code points
				s.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			}
			if got := cells.Method() == ansi.GraphemeWidth; got != clusters {
				t.Fatalf("clusters are drawn: %v", got)
			}
			drawn := func() string {
				screen := uv.NewScreenBuffer(width, 30)
				screen.Method = cells.Method()
				uv.NewStyledString(s.m.View().Content).Draw(screen, screen.Bounds())
				return screen.String()
			}
			s.typeText(text)
			plain := strings.NewReplacer("›", "", " ", "", "\n", "")
			if !strings.Contains(plain.Replace(drawn()), plain.Replace(text)) {
				t.Errorf("clusters %v, at %d, typed text is missing:\n%s", clusters, width, drawn())
			}
			s.key("enter")
			id := s.f.sent[len(s.f.sent)-1].ID
			s.deliver(event.TurnStarted{MessageIDs: []string{id}}, event.StateChanged{State: event.StateThinking},
				event.TextDelta{Text: text + "\n\n| " + text + " | edge |\n|---|---|\n| x | end |\n"})
			if width > 20 && (!strings.Contains(drawn(), "edge") || !strings.Contains(drawn(), "end")) {
				t.Errorf("clusters %v, at %d, a column is missing:\n%s", clusters, width, drawn())
			}
			s.m.dialogs.Push(dialog.NewConfirm(s.m.styles, text, text, []string{text}, []dialog.Choice{{Label: text}, {Label: "Keep"}}, 0, nil))
			s.m.dirty = true
			var edges []int
			for line := range strings.Lines(drawn()) {
				if line = strings.TrimRight(line, " \n"); strings.HasSuffix(line, "│") {
					edges = append(edges, cells.Width(line))
				}
			}
			if len(edges) == 0 && width > 20 { // narrower dialogs have none
				t.Fatalf("no frame:\n%s", drawn())
			}
			if len(slices.Compact(edges)) > 1 {
				t.Errorf("clusters %v, at %d, the frame is not straight:\n%s", clusters, width, drawn())
			}
		}
	}
}
