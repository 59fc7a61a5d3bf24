package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"chatvault/internal/app/mcp"
	"chatvault/internal/app/session"
)

func newMCP(s Streams, g *globals) *cobra.Command {
	o := mcp.Options{Version: versionText(), Log: slog.New(slog.NewTextHandler(s.Err, nil))}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the vault to other agents (Model Context Protocol)",
		Long: `Let agents of other programs work with the vault over the Model Context Protocol: its tools,
its notes as resources, and its commands as prompts. The client starts this command and talks
to it on stdin and stdout; what is worth telling goes to stderr. It ends when stdin does.

What is private or protected is not there for them. Where approval is set, a change is asked
about through the client, or denied where that cannot ask. Each call that changes something is
a turn: chatvault changes lists them, named after the client, and chatvault undo takes them back.`,
		Example: `  chatvault mcp --vault ~/notes
  chatvault mcp --read-only
  chatvault mcp --tools read_file,search_files,find_notes`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runMCP(s, g, o) },
	}
	c.Flags().BoolVar(&o.ReadOnly, "read-only", false, "offer nothing that changes the vault")
	c.Flags().StringSliceVar(&o.Tools, "tools", nil, "offer only these tools, such as read_file,find_notes")
	c.AddCommand(newMCPConfig(s, g))
	return c
}

func runMCP(s Streams, g *globals, o mcp.Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	defer endWithin(ctx, endWait, func() bool { return false })()
	cfg, found, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	notes, err := session.OpenNotes(ctx, g.options(s, cfg, found.Dir, session.Options{}))
	if err != nil {
		return err
	}
	defer notes.Close()
	for _, text := range notes.Warnings() {
		s.warn(text)
	}
	server, err := mcp.New(notes, o)
	if err != nil {
		return usageError("%v", err)
	}
	if s.InIsTerminal {
		fmt.Fprintln(s.Err, "Waiting for a client on standard input. An agent starts this command by itself: chatvault mcp config shows how. Ctrl+C ends it.")
	}
	return server.Serve(ctx, s.In, s.Out)
}

func newMCPConfig(s Streams, g *globals) *cobra.Command {
	names := strings.Join(mcp.ClientNames(), ", ")
	return &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print the entry that connects a program to the vault",
		Long: `Print the entry by which a program starts chatvault mcp on this vault, and name the file to put
it in. chatvault does not change that file. Add --read-only or --tools to its arguments to offer
less. The clients are: ` + names + `.`,
		Example: `  chatvault mcp config claude-code
  chatvault mcp config codex >> ~/.codex/config.toml`,
		Args:      argCount(1, 1, "name a client: "+names),
		ValidArgs: mcp.ClientNames(),
		RunE:      func(_ *cobra.Command, args []string) error { return runMCPConfig(s, g, args[0]) },
	}
}

func runMCPConfig(s Streams, g *globals, name string) error {
	client, err := mcp.FindClient(name)
	if err != nil {
		return usageError("%v", err)
	}
	_, found, err := loadConfig(s, g)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return failure("the location of this program is unknown: %v", err)
	}
	args := []string{"mcp", "--vault", found.Dir}
	if g.config != "" {
		file, err := filepath.Abs(g.config)
		if err != nil {
			return err
		}
		args = append(args, "--config", file)
	}
	entry, err := client.Entry(program, args)
	if err != nil {
		return failure("%v", err)
	}
	fmt.Fprintf(s.Err, "For %s, in %s:\n", client.Title, client.File())
	fmt.Fprint(s.Out, entry)
	return nil
}
