package session

import (
	"os"
	"strings"
	"sync"

	"chatvault/internal/config"
	"chatvault/internal/trust"
	"chatvault/vault/glob"
)

// instructions are what the vault's owner tells the agent, in AGENTS.md or CLAUDE.md. They count where
// the owner agreed to them as they are.
type instructions struct {
	vault   *os.Root
	private func(name string) bool
	answers *trust.Answers

	mu   sync.Mutex
	told string // what the user was last told is not used
}

// now are the instructions, and which file they are from; empty: there are none that count.
func (i *instructions) now() (name, text string) {
	f, there := trust.Instructions(i.vault, i.private)
	if !there || f.Why != "" || !i.answers.Agreed(f.Name, f.Data) {
		return "", ""
	}
	return f.Name, strings.TrimSpace(string(f.Data))
}

// fault is what is wrong with them, for the start, which tells of all that does not count.
func (i *instructions) fault() string {
	if f, untold := i.untold(); untold && f.Why != "" {
		return f.Name + " cannot be used as instructions: " + f.Why + "."
	}
	return ""
}

// news says, before a turn, what the user was not told yet: that there are instructions which do not count.
func (i *instructions) news() string {
	f, untold := i.untold()
	switch {
	case !untold:
		return ""
	case f.Why != "":
		return f.Name + " cannot be used as instructions: " + f.Why + "."
	}
	return f.Name + " changed; what it says now is not used until you agree: /trust or chatvault trust shows it."
}

// untold are instructions that do not count, as long as nobody was told.
func (i *instructions) untold() (f trust.File, untold bool) {
	f, there := trust.Instructions(i.vault, i.private)
	if !there || i.answers.Asked(f.Name, f.Data) {
		return f, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	was := i.told
	i.told = f.Name + f.Why + string(f.Data)
	return f, i.told != was
}

// privateIn says what the configuration keeps from the agent; nil: nothing.
func privateIn(cfg *config.Config) func(name string) bool {
	list, err := glob.NewList(cfg.PrivateGlobs())
	if err != nil { // such a configuration opens no vault
		return func(string) bool { return true }
	}
	return list.Has
}
