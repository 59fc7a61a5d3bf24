package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"chatvault/internal/loopback"
	"chatvault/internal/mcp"
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
	if err := server.Serve(ctx, s.In, s.Out); err != nil {
		return failure("%v", err)
	}
	return nil
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
	if err := server.ServeHTTP(ctx, l, token, o.listen); err != nil {
		return failure("%v", err)
	}
	return nil
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
		return nil, nil, withStatus(err)
	}
	for _, text := range notes.Warnings() {
		fmt.Fprintln(s.Err, "Warning: "+text)
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
