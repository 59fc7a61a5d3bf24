package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"chatvault/internal/app/config"
)

// globals are the global flags.
type globals struct {
	vault  string
	config string
	demo   bool
	flags  *pflag.FlagSet // the global flags
}

// settingFlags are the settings with a flag.
var settingFlags = []string{
	"model", "base_url", "approval", "theme", "log_level", "offline", "mouse", "accessible", "smarthole.enabled", "max_tool_iterations",
}

// flagOf returns the flag of a setting.
func flagOf(key string) string {
	return strings.ReplaceAll(strings.TrimSuffix(key, ".enabled"), "_", "-")
}

// given returns the settings on the command line, by key.
func (g *globals) given() map[string]string {
	out := map[string]string{}
	for _, key := range settingFlags {
		if f := g.flags.Lookup(flagOf(key)); f != nil && f.Changed {
			out[key] = f.Value.String()
		}
	}
	return out
}

const longHelp = `chatvault is a chat with your vault of Markdown notes: an agent reads, searches, writes,
edits, moves and deletes notes, says what it does while it does it, and stops at once on Esc.

Without a command it opens the chat on the vault given by --vault, else on the one the
working folder belongs to. Without a key or a local model the embedded offline engine
answers: no network, no set-up.`

func newRoot(s Streams) *cobra.Command {
	g := &globals{}
	root := &cobra.Command{
		Use:   "chatvault",
		Short: "Chat with your vault of Markdown notes",
		Long:  longHelp,
		Example: `  chatvault --vault ~/notes
  chatvault ask "what did I decide about the garden fence?"
  chatvault tool list_files '{"pattern": "**/*.md"}'`,
		SilenceErrors: true, SilenceUsage: true,
		Version: versionLine(),
		RunE:    func(*cobra.Command, []string) error { return runChat(s, g) },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if c.DisableFlagsInUseLine || slices.Contains([]string{"version", "man", "help"}, c.Name()) { // they only print
			return nil
		}
		if err := config.CheckHome(); err != nil {
			return usageError("%v", err)
		}
		return nil
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError("%v\nRun '%s --help' for usage.", err, c.CommandPath())
	})
	g.define(root)
	root.AddCommand(
		newAsk(s, g),
		newTool(s, g),
		newInbox(s, g),
		newConversations(s, g),
		newChanges(s, g),
		newUndo(s, g),
		newRedo(s, g),
		newVaults(s, g),
		newConfig(s, g),
		newDoctor(s, g),
		newServe(s, g),
		newACP(s, g),
		newMCP(s, g),
		newTrust(s, g),
		newDemo(s, g),
		newVersion(s),
		newMan(s),
	)
	root.AddCommand(newTopics(s, root)...)
	root.InitDefaultCompletionCmd()
	root.SetHelpCommand(newHelp(root.Commands()))
	root.InitDefaultHelpCmd()
	return root
}

// define defines the global flags. Shells complete folders for --vault and a setting's values for its flag.
func (g *globals) define(root *cobra.Command) {
	f := root.PersistentFlags()
	g.flags = f
	f.StringVar(&g.vault, "vault", "", "the vault's folder (default: the one the working folder belongs to)")
	_ = root.MarkPersistentFlagDirname("vault")
	f.StringVar(&g.config, "config", "", "a configuration file instead of the user's")
	for _, s := range config.Defaults().Settings() {
		if !slices.Contains(settingFlags, s.Key) {
			continue
		}
		flag, about := flagOf(s.Key), strings.ToLower(s.About[:1])+s.About[1:]
		switch s.Kind {
		case config.KindSwitch:
			f.Bool(flag, s.Value == "true", about)
		case config.KindChoice:
			f.String(flag, "", about+" ("+strings.Join(s.Choices, ", ")+")")
		default:
			f.String(flag, "", about)
		}
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(s.Choices, cobra.ShellCompDirectiveNoFileComp))
	}
}
