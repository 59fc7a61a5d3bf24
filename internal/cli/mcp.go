package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"chatvault/internal/loopback"
	"chatvault/internal/mcp"
	"chatvault/internal/mcp/install"
	"chatvault/internal/session"
)

type mcpOptions struct {
	readOnly bool
	tools    []string
	http     string
	listen   bool
}

func newMCP(s Streams, g *globals) *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the vault to other agents (Model Context Protocol)",
		Long: `Let agents of other programs work with the vault over the Model Context Protocol: its tools,
its notes as resources, and its commands as prompts. The client starts this command and talks
to it on stdin and stdout; what is worth telling goes to stderr. It ends when stdin does.

With --http it listens instead, for clients that know its token (streamable HTTP). The token is
made at the first start and kept in a file that only you can read. An address that other
machines reach needs --listen as well; nothing is encrypted.

What is private or protected is not there for them. Where approval is set, a change is asked
about through the client, or denied where that cannot ask. Each call that changes something is
a turn: chatvault changes lists them, named after the client, and chatvault undo takes them back.`,
		Example: `  chatvault mcp --vault ~/notes
  chatvault mcp --read-only
  chatvault mcp --http 127.0.0.1:8421
  chatvault mcp --tools read_file,search_files,find_notes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runMCP(s, g, o) },
	}
	c.Flags().BoolVar(&o.readOnly, "read-only", false, "offer nothing that changes the vault")
	c.Flags().StringSliceVar(&o.tools, "tools", nil, "offer only these tools, such as read_file,find_notes")
	c.Flags().StringVar(&o.http, "http", "", "listen on this address of this computer, such as 127.0.0.1:8421, instead of stdin")
	c.AddCommand(newMCPInstall(s, g))
	c.Flags().BoolVar(&o.listen, "listen", false, "let --http take an address that other machines reach")
	return c
}

func runMCP(s Streams, g *globals, o mcpOptions) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := o.check(); err != nil {
		return err
	}
	server, end, err := openMCP(ctx, s, g, o)
	if err != nil {
		return err
	}
	defer end()
	if o.http != "" {
		return serveMCP(ctx, s, server, o)
	}
	if s.InIsTerminal {
		fmt.Fprintln(s.Err, "Waiting for a client on standard input. An agent starts this command by itself: chatvault mcp install shows how. Ctrl+C ends it.")
	}
	return server.Serve(ctx, s.In, s.Out)
}

// check says what is wrong with the address.
func (o *mcpOptions) check() error {
	if o.http == "" {
		if o.listen {
			return usageError("--listen goes with --http ADDRESS:PORT")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(o.http)
	switch {
	case err != nil:
		return usageError("--http %s is not an address with a port, such as 127.0.0.1:8421", o.http)
	case !o.listen && !loopback.Host(host):
		return usageError("--http %s is an address that other machines reach; add --listen if that is meant (nothing is encrypted), or use 127.0.0.1", o.http)
	}
	return nil
}

// serveMCP answers clients over HTTP.
func serveMCP(ctx context.Context, s Streams, server *mcp.Server, o mcpOptions) error {
	token, file, err := server.Token()
	if err != nil {
		return failure("the token for clients cannot be kept: %v", err)
	}
	l, err := net.Listen("tcp", o.http)
	if err != nil {
		return failure("cannot listen on %s: %v\nName another port, or :0 for a free one", o.http, err)
	}
	fmt.Fprintf(s.Err, "Serving at http://%s%s\nThe token is in %s: clients send it as \"Authorization: Bearer TOKEN\". Ctrl+C ends it.\n", l.Addr(), mcp.Path, file)
	return server.ServeHTTP(ctx, l, token, o.listen)
}

// openMCP opens the vault for other programs' agents.
func openMCP(ctx context.Context, s Streams, g *globals, o mcpOptions) (server *mcp.Server, end func(), err error) {
	cfg, dir, err := loadConfig(s, g)
	if err != nil {
		return nil, nil, err
	}
	sources := g.sources(s)
	sources.VaultDir, sources.UserFile = dir, g.userFile()
	notes, err := session.OpenNotes(ctx, session.Options{Config: cfg, Dir: dir, Sources: sources, Begun: s.faults.reportTo})
	if err != nil {
		return nil, nil, err
	}
	for _, text := range notes.Warnings() {
		s.warn(text)
	}
	server, err = mcp.New(notes, mcp.Options{
		Version: versionText(), ReadOnly: o.readOnly, Tools: o.tools, Log: slog.New(slog.NewTextHandler(s.Err, nil)),
	})
	if err != nil {
		notes.Close()
		return nil, nil, usageError("%v", err)
	}
	end = func() {
		server.Close()
		notes.Close()
	}
	return server, end, nil
}

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
