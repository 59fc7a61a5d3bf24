package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chatvault/internal/app/acp"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	completion "chatvault/tui/complete"
)

func newACP(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "acp",
		Short: "The chat inside an editor, over the Agent Client Protocol",
		Long: `Chat inside an editor that speaks the Agent Client Protocol (version 1): Zed, Obsidian with a
plugin for it, Neovim, Emacs and others. The editor starts this command and speaks with it over
standard input and output; nobody types here.

The vault is the one that the editor's folder belongs to, unless --vault names one. Each change
waits for your consent in the editor, unless your own configuration sets approval.`,
		Example: `  chatvault acp --vault ~/notes`,
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runACP(s, g) },
	}
}

// acpEnds is the timeout for closing the sessions after the editor has disconnected.
const acpEnds = 1800 * time.Millisecond

func runACP(s Streams, g *globals) error {
	if s.InIsTerminal {
		return usageError("chatvault acp is started by an editor, not by hand\nTo set one up: chatvault help editors; to chat here: chatvault")
	}
	signalled, unwatch := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer unwatch() // last: a signal during the closing of sessions does not interrupt it
	ctx, stop := context.WithCancel(signalled)
	defer stop()
	defer endWithin(ctx, acpEnds, func() bool { return false })()
	broken := make(chan os.Signal, 1) // a write to a disconnected editor then fails instead of ending the program
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	find := func(cwd string) (*config.Config, string, error) { return vaultOf(s, g, cwd) }
	return acp.Run(ctx, acp.Options{
		In: s.In, Out: s.Out.Unfiltered(), Version: versionText(), Ending: stop,
		Open: func(cwd string, o session.Options) (*session.Session, error) {
			cfg, dir, err := find(cwd)
			if err != nil {
				return nil, err
			}
			return session.Open(g.options(s, cfg, dir, o))
		},
		Listed: func(cwd string) (string, []session.Past, error) {
			_, dir, err := find(cwd)
			if cwd == "" && errors.Is(err, config.ErrNoVault) {
				return "", nil, nil
			}
			if err != nil {
				return "", nil, err
			}
			list, err := session.Listed(dir)
			return dir, list, err
		},
		Delete: func(cwd, id string) error {
			_, dir, err := find(cwd)
			if err != nil {
				return nil //nolint:nilerr // without a vault there is no conversation
			}
			return session.Delete(dir, id)
		},
		Logout: func(ctx context.Context) error {
			_, err := provider.NewKeys(s.LookupEnv).Forget(ctx, func(keystore.Entry) bool { return true })
			return err
		},
		Mention: completion.Mention, Attached: completion.Attached,
	})
}

// vaultOf finds the vault of an editor's folder. It ignores Obsidian's list and earlier uses, which may be of vaults
// that the editor does not show.
func vaultOf(s Streams, g *globals, cwd string) (*config.Config, string, error) {
	find := config.Search{}
	if cwd != "" {
		find = config.Search{Cwd: cwd, Registry: []string{}, Known: []string{}}
	}
	const name = "where it starts chatvault: chatvault acp --vault DIR"
	cfg, found, err := config.Open(g.sources(s), find)
	switch {
	case errors.Is(err, config.ErrNoVault) && cwd != "":
		return nil, "", usageError("%s holds no notes\nOpen a folder of Markdown notes in the editor, or name one %s", cwd, name)
	case errors.Is(err, config.ErrNoVault):
		return nil, "", err
	case err != nil:
		return nil, "", usageError("%v", err)
	case found.Unsure != "":
		return nil, "", usageError("%s may not be a vault: %s\nName a folder of Markdown notes %s", found.Dir, found.Unsure, name)
	}
	return cfg, found.Dir, nil
}
