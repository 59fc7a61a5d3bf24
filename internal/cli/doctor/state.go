package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"chatvault/agent/inbox"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/text"
	"chatvault/internal/trust"
)

// checkState looks at what is kept for a vault, and at what the vault brings.
func checkState(o Options, cfg *config.Config, dir string) []finding {
	root, err := home.Open(dir)
	if err != nil {
		return []finding{{area: "state", text: text.FirstLine(err.Error()), todo: "make that folder writable, or name another with XDG_STATE_HOME; without it no message can be saved"}}
	}
	defer func() { _ = root.Close() }()
	probe := ".doctor"
	if err := root.WriteFile(probe, []byte("x"), 0o600); err != nil {
		_ = root.Remove(probe) // a full disk takes the name and nothing in it
		return []finding{{area: "state", text: "cannot write: " + err.Error(), todo: "free disk space or make " + root.Name() + " writable"}}
	}
	_ = root.Remove(probe)
	out := []finding{{area: "state", text: root.Name() + " is writable", bare: "it is writable"}}
	if cfg.KeepsHistory(dir) {
		out[0].text += "; conversations and changes are kept in the vault, as your own configuration says"
	}
	out = append(out, checkLocks(root, time.Now())...)
	out = append(out, checkLeft(root)...)
	out = append(out, checkLeftBehind(o, cfg, dir)...)
	out = append(out, checkBrought(o, cfg, dir, root)...)
	return append(out, checkInbox(root)...)
}

// checkBrought says what of the vault's own counts.
func checkBrought(o Options, cfg *config.Config, dir string, state *os.Root) []finding {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil // the vault's own line tells
	}
	defer func() { _ = own.Close() }()
	var out []finding
	answers, err := trust.Load(state)
	if err != nil {
		out = append(out, finding{area: "trust", text: text.FirstLine(err.Error()), todo: "chatvault trust asks again", warn: true})
	}
	unused, err := o.NotAgreed(cfg, own, answers)
	if err != nil {
		out = append(out, finding{area: "trust", text: text.FirstLine(err.Error()), todo: "move it away", warn: true})
	}
	if unused != "" {
		out = append(out, finding{
			area: "trust", warn: true, text: "not used, because you have not agreed to it: " + unused, bare: "something is not used, because nobody agreed to it",
			why: "It came with the vault and would steer the agent.", todo: "look at it, and agree or not: chatvault trust",
		})
	}
	out = append(out, checkInstructions(own, cfg, answers)...)
	if o.Skills != nil {
		out = append(out, checkSkills(o.Skills(cfg, own, answers))...)
	}
	return append(out, checkPrompts(own, answers)...)
}

// checkInbox tells of messages that were not finished.
func checkInbox(root *os.Root) []finding {
	var out []finding
	box := inbox.Open(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		out = append(out, finding{area: "inbox", text: w, todo: "look at the file; nothing in it was lost", warn: true})
	}
	waiting := 0
	for _, e := range list {
		if !box.Others(e) {
			waiting++
		}
	}
	switch {
	case err != nil:
		out = append(out, finding{area: "inbox", text: err.Error(), todo: "make the inbox in " + root.Name() + " readable"})
	case waiting > 0:
		out = append(out, finding{
			area: "inbox", text: fmt.Sprintf("%d unfinished", waiting), bare: fmt.Sprintf("%d unfinished", waiting), why: "They were accepted and not answered; none is resent automatically.",
			todo: "chatvault inbox list, then retry or drop", warn: true,
		})
	default:
		out = append(out, finding{area: "inbox", text: "nothing unfinished"}.plain())
	}
	return out
}

// checkLeftBehind tells of state that lies in the vault.
func checkLeftBehind(o Options, cfg *config.Config, dir string) []finding {
	vault, err := os.OpenRoot(dir)
	if err != nil {
		return nil // the vault's own line tells
	}
	defer func() { _ = vault.Close() }()
	left, err := o.LeftBehind(cfg, vault)
	switch {
	case err != nil:
		return []finding{{area: "vault state", text: text.FirstLine(err.Error()), todo: "move it away", warn: true}}
	case len(left) == 0:
		return nil
	}
	return []finding{{
		area: "vault state", warn: true, text: filepath.Join(dir, home.InVault) + " holds state that is not used: " + text.Some(left), bare: text.Count(len(left), "file") + " of state not used",
		why:  "An older chatvault kept it there, or whoever made this vault did. State is kept with you, so that nothing in a vault acts or speaks for you.",
		todo: "if it is yours: chatvault trust adopt; else delete it",
	}}
}
