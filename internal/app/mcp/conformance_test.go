package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// conformanceTools names the folder of the protocol's conformance suite and inspector. conformance.sh installs both
// and runs these tests; without it they are skipped.
const conformanceTools = "CHATVAULT_CONFORMANCE" // the folder with node_modules; node must be first in PATH

const newest = "2026-07-28" // the revision without sessions

func conformanceDir(t *testing.T) string {
	dir := os.Getenv(conformanceTools)
	if dir == "" {
		t.Skip("run by internal/app/mcp/conformance.sh, which needs npm")
	}
	return filepath.Join(dir, "node_modules", ".bin")
}

// public returns an address at which the server answers over HTTP, as the suite does not support pipes.
func public(t *testing.T, s *Server, stateless bool) string {
	o := &sdk.StreamableHTTPOptions{Stateless: stateless}
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, o))
	t.Cleanup(server.Close)
	return server.URL
}

// here returns the path of a file of this folder.
func here(t *testing.T, name string) string {
	file, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func suite(t *testing.T, dir string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(dir, "conformance"), args...)
	c.Dir = t.TempDir()
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("conformance %s: %v", strings.Join(args, " "), err)
	}
}

// TestConformance: a server with the suite's own tools, resources and prompts, registered on the result of New,
// passes every scenario.
func TestConformance(t *testing.T) {
	dir := conformanceDir(t)
	s := open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), "", Options{Version: "1"})
	addFixtures(s.sdk)
	suite(t, dir, "server", "--url", public(t, s, false))
	suite(t, dir, "server", "--url", public(t, s, true), "--requirements", newest, "--expected-failures", here(t, "conformance-newest-failures.yml"))
}

// TestConformanceVault: the unchanged server passes all scenarios except those that need the suite's own tools.
func TestConformanceVault(t *testing.T) {
	dir := conformanceDir(t)
	s := open(t, vaultOf(t, map[string]string{"A.md": "a\n"}), "", Options{Version: "1"})
	suite(t, dir, "server", "--url", public(t, s, false), "--expected-failures", here(t, "conformance-expected-failures.yml"))
}

// TestInspector: the inspector's command lists and calls tools over standard input and output.
func TestInspector(t *testing.T) {
	dir := conformanceDir(t)
	program := filepath.Join(t.TempDir(), "chatvault")
	if out, err := exec.Command("go", "build", "-o", program, "../../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	vault := vaultOf(t, map[string]string{"A.md": "# Fence\n"}) // the test's home has no build cache
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--method", "tools/list"}, `"name": "move_file"`},
		{[]string{"--method", "resources/list"}, `"uri": "vault:///A.md"`},
		{[]string{"--method", "resources/read", "--uri", "vault:///A.md"}, "# Fence"},
		{[]string{"--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=A.md"}, "1: # Fence"},
		{[]string{"--method", "tools/call", "--tool-name", "edit_file", "--tool-arg", "path=A.md", "old_text=Fence", "new_text=Gate"}, "Replaced 1"},
		{[]string{"--method", "tools/call", "--tool-name", "changes"}, "edit_file A.md"},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		args := append([]string{"--cli", program, "mcp", "--vault", vault}, tt.args...)
		out, err := exec.CommandContext(ctx, filepath.Join(dir, "mcp-inspector"), args...).CombinedOutput()
		cancel()
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%v: %v: %s", tt.args, err, out)
		}
	}
}

// pixel is a picture of one pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

func say(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// addFixtures registers the tools, resources and prompts that the suite uses.
func addFixtures(s *sdk.Server) {
	tool := func(name, schema string, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, h)
	}
	const none = `{"type":"object"}`
	gives := func(name string, content ...sdk.Content) {
		tool(name, none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: content}, nil
		})
	}
	picture := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	gives("test_simple_text", &sdk.TextContent{Text: "This is a simple text response for testing."})
	gives("test_image_content", picture)
	gives("test_audio_content", &sdk.AudioContent{Data: []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00"), MIMEType: "audio/wav"})
	gives("test_embedded_resource", &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}})
	gives("test_multiple_content_types", &sdk.TextContent{Text: "Multiple content types test:"}, picture,
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`}})
	tool("test_error_handling", none, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := say("This tool intentionally returns an error for testing")
		r.IsError = true
		return r, nil
	})
	tool("test_tool_with_logging", none, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			//nolint:staticcheck // the suite asks for it still
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return say("logged"), nil
	})
	tool("test_tool_with_progress", none, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for _, n := range []float64{0, 50, 100} {
			if token := r.Params.GetProgressToken(); token != nil {
				if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100}); err != nil {
					return nil, err
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
		return say("done"), nil
	})
	tool("test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var a struct{ Prompt string }
		if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
			return nil, err
		}
		//nolint:staticcheck // the suite asks for it still
		got, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: a.Prompt}}}})
		if err != nil {
			return nil, err
		}
		return say(fmt.Sprint("LLM response: ", got.Content.(*sdk.TextContent).Text)), nil
	})
	elicits := func(name, takes string, schema string) {
		tool(name, takes, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Please say", RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			data, _ := json.Marshal(got.Content)
			return say(fmt.Sprintf("Elicitation completed: action=%s, content=%s", got.Action, data)), nil
		})
	}
	elicits("test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}}}`,
		`{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}`)
	elicits("test_elicitation_sep1034_defaults", none, `{"type":"object","properties":{
		"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	elicits("test_elicitation_sep1330_enums", none, `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
	tool("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`,
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return say("ok"), nil })

	resource := func(uri string, c sdk.ResourceContents) {
		c.URI = uri
		s.AddResource(&sdk.Resource{URI: uri, Name: uri, Description: uri, MIMEType: c.MIMEType}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		})
	}
	resource("test://static-text", sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	resource("test://static-binary", sdk.ResourceContents{MIMEType: "image/png", Blob: pixel})
	resource("test://watched-resource", sdk.ResourceContents{MIMEType: "text/plain", Text: "watched"})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "template", MIMEType: "application/json"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}}, nil
		})
	// The server accepts subscriptions only to files of the vault, so one replaces the suite's resource.
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch r := req.(type) {
			case *sdk.SubscribeRequest:
				if r.Params.URI == "test://watched-resource" {
					r.Params.URI = "vault:///A.md"
				}
			case *sdk.UnsubscribeRequest:
				if r.Params.URI == "test://watched-resource" {
					r.Params.URI = "vault:///A.md"
				}
			}
			return next(ctx, method, req)
		}
	})

	prompt := func(name string, takes []string, messages func(map[string]string) []*sdk.PromptMessage) {
		p := &sdk.Prompt{Name: name, Description: name}
		for _, a := range takes {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: a, Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: messages(r.Params.Arguments)}, nil
		})
	}
	user := func(contents ...sdk.Content) (out []*sdk.PromptMessage) {
		for _, c := range contents {
			out = append(out, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return out
	}
	prompt("test_simple_prompt", nil, func(map[string]string) []*sdk.PromptMessage {
		return user(&sdk.TextContent{Text: "This is a simple prompt for testing."})
	})
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []*sdk.PromptMessage {
		return user(&sdk.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])})
	})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []*sdk.PromptMessage {
		return user(&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}},
			&sdk.TextContent{Text: "Please process the embedded resource above."})
	})
	prompt("test_prompt_with_image", nil, func(map[string]string) []*sdk.PromptMessage {
		return user(picture, &sdk.TextContent{Text: "Please analyze the image above."})
	})
}
