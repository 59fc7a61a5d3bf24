// Command baretui is the smallest chat screen that Bubble Tea 2 can draw: a viewport and a text area. It is
// the lower bound for start-up time, memory, idle CPU and key echo with these libraries.
//
//	baretui            the plain screen
//	baretui -glamour   also renders Markdown with Glamour at start-up
package main

import (
	"flag"
	"strings"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/glamour"
)

var (
	gl   = flag.Bool("glamour", false, "")
	fps  = flag.Int("fps", 60, "")
	hist = flag.Int("hist", 0, "KB of transcript in the viewport")
)

type m struct {
	v  viewport.Model
	t  textarea.Model
	ok bool
}

func (x m) Init() tea.Cmd { return nil }
func (x m) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch k := msg.(type) {
	case tea.WindowSizeMsg:
		x.v = viewport.New(viewport.WithWidth(k.Width), viewport.WithHeight(k.Height-5))
		s := "Welcome\n"
		if *hist > 0 {
			s = strings.Repeat("The quick brown fox jumps over the lazy dog, again and again, until the line is full enough.\n", *hist*1024/94)
		}
		if *gl {
			r, _ := glamour.NewTermRenderer(glamour.WithStandardStyle("dark"), glamour.WithWordWrap(100))
			s, _ = r.Render("# Welcome\n\nHello **there**\n\n```go\nfunc x(){}\n```\n")
		}
		x.v.SetContent(s)
		x.t.SetWidth(k.Width)
		x.ok = true
		return x, nil
	case tea.KeyPressMsg:
		if k.String() == "ctrl+c" {
			return x, tea.Quit
		}
		var c tea.Cmd
		x.t, c = x.t.Update(msg)
		return x, c
	}
	return x, nil
}

func (x m) View() tea.View {
	v := tea.View{AltScreen: true}
	if x.ok {
		v.Content = lipgloss.JoinVertical(lipgloss.Left, x.v.View(), x.t.View())
	}
	return v
}

func main() {
	flag.Parse()
	t := textarea.New()
	t.Placeholder = "READYPROMPT"
	t.SetHeight(3)
	t.Focus()
	if _, err := tea.NewProgram(m{t: t}, tea.WithFPS(*fps)).Run(); err != nil {
		panic(err)
	}
}
