package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"chatvault/internal/app/config"
)

// asClient makes the test binary a client of the address in its last argument.
const asClient = "CHATVAULT_TEST_CLIENT"

// client connects like the agent and calls the tools of the suite's server.
func client() error {
	s := New(Options{Version: "1", Servers: []config.MCPServer{{Name: "suite", URL: os.Args[len(os.Args)-1], Enabled: true, TimeoutSeconds: 30}}})
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s.Ready(ctx)
	fmt.Println(s.Describe())
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") != "tools_call" {
		return nil
	}
	r := box(s, &fakeUser{}).Call(ctx, "suite__add_numbers", json.RawMessage(`{"a": 5, "b": 3}`))
	fmt.Println(r.Text)
	if r.IsError {
		return fmt.Errorf("%s", r.Text)
	}
	return nil
}

// TestConformanceClient runs the protocol's conformance suite; see internal/app/mcp/conformance.sh.
func TestConformanceClient(t *testing.T) {
	dir := os.Getenv("CHATVAULT_CONFORMANCE")
	if dir == "" {
		t.Skip("run by internal/app/mcp/conformance.sh, which needs npm")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"initialize", "tools_call"} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		c := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "conformance"), "client", "--command", exe, "--scenario", scenario)
		c.Dir, c.Env = t.TempDir(), append(os.Environ(), asClient+"=1")
		out, err := c.CombinedOutput()
		cancel()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("conformance client --scenario %s: %v", scenario, err)
		}
	}
}
