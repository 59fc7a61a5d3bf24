package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"chatvault/internal/mcp/install"
)

type mcpInstallOptions struct {
	client   string
	as       string
	write    bool
	readOnly bool
	tools    []string
}

func newMCPInstall(s Streams, g *globals) *cobra.Command {
	var o mcpInstallOptions
	c := &cobra.Command{
		Use:   "install NAME",
		Short: "Show how to connect a program to the vault",
		Long: `Print the entry by which a program starts chatvault mcp on this vault, and say in which of
its files it belongs. The names are: ` + strings.Join(install.Names(), ", ") + `.

With --write it is put there, in your own file, never a project's: every other byte stays, and
what was there before is kept beside it. That is done for claude-code, gemini-cli and opencode.`,
		Example: `  chatvault mcp install claude-code --write
  chatvault mcp install codex >> ~/.codex/config.toml`,
		Args:              wants(1, 1, "name a program: "+strings.Join(install.Names(), ", ")),
		ValidArgsFunction: cobra.FixedCompletions(install.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			o.client = args[0]
			return runMCPInstall(s, g, o)
		},
	}
	c.Flags().BoolVar(&o.write, "write", false, "put the entry into the program's file")
	c.Flags().StringVar(&o.as, "as", "chatvault", "what the program calls it")
	c.Flags().BoolVar(&o.readOnly, "read-only", false, "offer nothing that changes the vault")
	c.Flags().StringSliceVar(&o.tools, "tools", nil, "offer only these tools")
	return c
}

func runMCPInstall(s Streams, g *globals, o mcpInstallOptions) error {
	client, err := install.Find(o.client)
	if err != nil {
		return usageError("%v", err)
	}
	if strings.TrimSpace(o.as) == "" {
		return usageError("--as needs a name, such as chatvault")
	}
	_, dir, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	server, err := mcpServer(g, dir, o)
	if err != nil {
		return failure("%v", err)
	}
	env, err := mcpEnv(s)
	if err != nil {
		return failure("%v", err)
	}
	if !o.write {
		entry, err := client.Entry(server)
		if err != nil {
			return failure("%v", err)
		}
		fmt.Fprintf(s.Err, "For %s, in %s:\n", client.Title, client.File(env))
		fmt.Fprint(s.Out, entry)
		if also := client.Also(server); also != "" {
			fmt.Fprintf(s.Err, "Or run: %s\n", also)
		}
		return nil
	}
	w, err := client.Write(env, server, time.Now())
	switch {
	case err != nil:
		return failure("%v", err)
	case w.Same:
		fmt.Fprintf(s.Out, "%s knows it already: %s is as it was.\n", client.Title, w.File)
		return nil
	}
	fmt.Fprintf(s.Out, "Written to %s, for %s. Restart it to use the vault.\n", w.File, client.Title)
	if w.Backup != "" {
		fmt.Fprintf(s.Out, "What was there before is in %s.\n", w.Backup)
	}
	return nil
}

// mcpServer is the command that a program is to start.
func mcpServer(g *globals, dir string, o mcpInstallOptions) (install.Server, error) {
	program, err := os.Executable()
	if err != nil {
		return install.Server{}, fmt.Errorf("the location of this program is unknown: %w", err)
	}
	args := []string{"mcp", "--vault", dir}
	if g.config != "" {
		file, err := filepath.Abs(g.config)
		if err != nil {
			return install.Server{}, err
		}
		args = append(args, "--config", file)
	}
	if o.readOnly {
		args = append(args, "--read-only")
	}
	if len(o.tools) > 0 {
		args = append(args, "--tools", strings.Join(o.tools, ","))
	}
	return install.Server{Name: o.as, Command: program, Args: args}, nil
}

func mcpEnv(s Streams) (install.Env, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return install.Env{}, fmt.Errorf("your home folder is unknown: %w", err)
	}
	config := filepath.Join(home, ".config")
	if runtime.GOOS == "linux" {
		config = xdg.ConfigHome
	}
	return install.Env{Home: home, Config: config, System: runtime.GOOS, Getenv: s.getenv}, nil
}
