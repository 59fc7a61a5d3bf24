package tui

import (
	"fmt"
	"testing"

	"chatvault/internal/ptytest/golden"

	tea "charm.land/bubbletea/v2"
)

// Golden screens of the vault list.
func TestGoldenVaults(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"vaults":        func(s *screen) { s.typeText("/vault"); s.key("enter", "down") },
		"vaults-narrow": func(s *screen) { s.typeText("/vault"); s.key("enter"); s.typeText("wk") },
		"vault-failed": func(s *screen) {
			s.run(s.m.lists.vault("~/Wrok"))
		},
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					v := &twoVaults{}
					if name == "vault-failed" {
						v.fail = fmt.Errorf("there is no folder /home/ines/Wrok; make it first, or name another")
					}
					s := newScreen(t, v.options, func(o *Options) { o.Theme = look })
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}
