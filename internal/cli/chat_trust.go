package cli

import (
	"context"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"chatvault/internal/config"
	"chatvault/internal/trust"
	"chatvault/tui"
)

// trust is how the chat shows what came with the vault, and keeps the answer.
func (a *app) trust(sources config.Sources) *tui.Trust {
	var looked []trust.File // at last
	look := func(context.Context) (what, whole string, err error) {
		cfg, _ := config.Load(sources) // what is wrong with it is told at the start
		b, err := lookAtBrought(cfg, a.own)
		if err != nil {
			return "", "", err
		}
		looked, _ = b.notAgreed(a.answers)
		var text strings.Builder
		for _, f := range looked {
			text.WriteString(strings.TrimPrefix(shownWhole(f), "\n"))
		}
		if len(looked) == 0 {
			return "", "", nil
		}
		return b.describe(looked), udiff.Unified("nothing", "what came with the vault", "", text.String()), nil
	}
	return &tui.Trust{Look: look, Answer: func(agreed bool) error { return a.answers.Keep(looked, agreed) }}
}
