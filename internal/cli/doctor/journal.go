package doctor

import (
	"context"
	"fmt"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/text"
	"chatvault/vault"
)

// checkJournal says what became of a change that was cut off, and what the journal takes up.
func checkJournal(ctx context.Context, v *vault.Vault, cfg *config.Config) []finding {
	var out []finding
	j := home.KeepJournal(v, cfg, func(trouble string) {
		out = append(out, finding{area: "journal", text: trouble, todo: "chatvault changes shows it", warn: true})
	})
	defer func() { _ = j.Close() }()
	home.Recover(ctx, v, func(trouble string) {
		out = append(out, finding{area: "journal", text: trouble, todo: "fix what it names; until then nothing is changed in this vault"})
	})
	u, err := j.Usage()
	if err != nil {
		return append(out, finding{
			area: "journal", text: "cannot be read: " + text.FirstLine(err.Error()),
			todo: "make journal/ in the vault's state folder readable, or move it away; until then nothing is changed in this vault",
		})
	}
	said := fmt.Sprintf("%s on record, %.1f MB; kept are %s and %d MB at most", text.Count(u.Turns, "turn"), float64(u.Bytes)/(1<<20), text.Count(cfg.JournalDays.V, "day"), cfg.JournalMegabytes.V)
	if u.Turns == 0 {
		said = "nothing has been changed through chatvault yet"
	}
	return append(out, finding{area: "journal", text: said}.plain())
}
