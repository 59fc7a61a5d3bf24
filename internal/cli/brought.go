package cli

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"chatvault/internal/config"
	"chatvault/internal/trust"
)

// brought is what came with a vault and steers the agent: it counts only where its owner agreed.
type brought struct {
	files []trust.File // settings that need it, prompts, commands
	keys  []string     // of the settings
}

// lookAtBrought reads what a vault brings.
func lookAtBrought(cfg *config.Config, vault *os.Root) (brought, error) {
	b := brought{}
	for _, u := range cfg.Unagreed {
		b.keys = append(b.keys, u.Key)
	}
	if f, has, err := config.VaultSettings(vault.Name()); err != nil {
		return b, err
	} else if has {
		b.files = append(b.files, trust.File{Name: trust.Settings, Data: f})
	}
	files, err := trust.Brought(vault)
	b.files = append(b.files, files...)
	return b, err
}

// notAgreed are the files that do not count; asked: those that nobody answered for.
func (b brought) notAgreed(a *trust.Answers) (files, asked []trust.File) {
	for _, f := range b.files {
		if f.Why != "" || a.Agreed(f.Name, f.Data) {
			continue
		}
		files = append(files, f)
		if !a.Asked(f.Name, f.Data) {
			asked = append(asked, f)
		}
	}
	return files, asked
}

// describe names files in a few words: "config.toml (model), 2 prompts and 1 command".
func (b brought) describe(files []trust.File) string {
	var parts []string
	prompts, commands := 0, 0
	for _, f := range files {
		switch path.Dir(f.Name) {
		case trust.Prompts:
			prompts++
		case trust.Commands:
			commands++
		default:
			part := path.Base(f.Name)
			if keys := slices.Compact(slices.Sorted(slices.Values(b.keys))); len(keys) > 0 {
				part += " (" + strings.Join(keys, ", ") + ")"
			}
			parts = append(parts, part)
		}
	}
	if prompts > 0 {
		parts = append(parts, count(prompts, "prompt"))
	}
	if commands > 0 {
		parts = append(parts, count(commands, "command"))
	}
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// notUsed is the sentence that says what of a vault is not used; empty: all of it is, or was refused.
func (b brought) notUsed(a *trust.Answers, how string) string {
	_, asked := b.notAgreed(a)
	if len(asked) == 0 {
		return ""
	}
	return fmt.Sprintf("This vault brings settings of its own, which are not used until you agree: %s. %s", b.describe(asked), how)
}

// tellBrought says what of the vault's own is not used, and what lies in it that was never ours.
func (a *app) tellBrought(name string) {
	how := "chatvault trust shows them."
	if name == "chat" {
		how = "/trust shows them and asks."
	}
	b, err := lookAtBrought(a.config, a.own)
	if err != nil {
		a.warnings.add(err.Error())
	}
	if text := b.notUsed(a.answers, how); text != "" {
		a.warnings.add(text)
	}
	if text := a.leftOnce(); text != "" {
		a.warnings.add(text)
	}
}

// agreeToEdit has a vault's settings count as agreed to after a person changed them here, unless what
// stood there before was somebody else's.
func agreeToEdit(answers *trust.Answers, before, after string) error {
	if config.NeedsConsent([]byte(before)) && !answers.Agreed(trust.Settings, []byte(before)) {
		return fmt.Errorf("it is written to %s, whose other settings you have not agreed to, so that it does not count yet: /trust shows them", trust.Settings)
	}
	return answers.Keep([]trust.File{{Name: trust.Settings, Data: []byte(after)}}, true)
}
