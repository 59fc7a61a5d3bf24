package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/terminal/output"
	"chatvault/tui"
	"chatvault/vault"
)

// openVault opens the vault and the configuration, as a tool needs them.
func openVault(s Streams, g *globals) (*vault.Vault, *config.Config, error) {
	cfg, found, err := loadConfig(s, g)
	if err != nil {
		return nil, nil, err
	}
	v, err := session.OpenVault(cfg, found.Dir)
	return v, cfg, err
}

// place is a vault opened by a command that does not use the agent.
type place struct {
	*vault.Vault
	config *config.Config
	state  *os.Root // its state folder; nil if nothing is kept for the vault yet
}

// withPlace runs do with the vault. It creates no state folder.
func withPlace(s Streams, g *globals, do func(*place) error) error {
	v, cfg, err := openVault(s, g)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	state, err := home.LookIfThere(v.Dir())
	if state != nil {
		_ = state.Close()
		state, err = home.Open(v.Dir()) // notes where a moved vault is
	}
	if err != nil {
		return failure("%v", err)
	}
	if state != nil {
		defer func() { _ = state.Close() }()
	}
	return do(&place{v, cfg, state})
}

// open opens a session on the vault.
func open(s Streams, g *globals, o session.Options) (*session.Session, error) {
	cfg, found, err := loadConfig(s, g)
	if err != nil {
		return nil, err
	}
	return session.Open(g.options(s, cfg, found.Dir, o))
}

// options completes a session's options for the vault in a folder.
func (g *globals) options(s Streams, cfg *config.Config, dir string, o session.Options) session.Options {
	o.Config, o.Dir, o.Version, o.Begun = cfg, dir, versionText(), s.faults.session.Store
	o.Sources = g.sources(s)
	o.Sources.VaultDir = dir
	return o
}

// askUnsure asks whether to use a doubtful folder as the vault, before anything is created in it. Only a yes counts.
func askUnsure(s Streams, found config.Found) error {
	question := fmt.Sprintf("Is %s your vault? It is the folder you are in, and %s.\n"+
		"If you say yes, the agent may work in the whole folder.\n"+
		"Use it as the vault? [y/N] ", found.Dir, found.Unsure)
	if s.confirmed(s.Out, output.Hang(s.safeOut(question), "", s.Out.Width())+" ") {
		return nil
	}
	return usageError("no vault was opened, and nothing was created\nName a folder of Markdown notes: chatvault --vault DIR; chatvault vaults lists those that are known")
}

// userFile returns the path of the user's configuration file.
func (g *globals) userFile() string {
	if g.config != "" {
		return g.config
	}
	return config.UserPath()
}

// sources returns the sources of this run's configuration.
func (g *globals) sources(s Streams) config.Sources {
	flags := g.given()
	if g.vault != "" {
		flags["vault"] = g.vault
	}
	return config.Sources{
		Flags: flags, Demo: g.demo, UserFile: g.userFile(), LookupEnv: s.LookupEnv,
		CheckGlob: vault.CheckPrivate, Chosen: home.ChosenModel, CheckKeys: tui.CheckKeys, Agreed: home.AgreedSettings,
	}
}

// loadConfig finds the vault and reads the configuration. Its error is config.ErrNoVault or a usage error.
func loadConfig(s Streams, g *globals) (*config.Config, config.Found, error) {
	cfg, found, err := config.Open(g.sources(s), config.Search{})
	if err != nil && !errors.Is(err, config.ErrNoVault) {
		err = cmp.Or(refused(err), usageError("%v", err))
	}
	return cfg, found, err
}

// refused returns the error of an invalid configuration, or nil for other errors.
func refused(err error) error {
	if bad, ok := errors.AsType[config.Errors](err); ok {
		return usageError("the configuration is invalid:\n%v", bad)
	}
	return nil
}
