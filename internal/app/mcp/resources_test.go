package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/app/session/home"
	"chatvault/internal/base/trust"
)

func TestResources(t *testing.T) {
	files := map[string]string{"Über uns/50% & #1?.md": "text\r\n", "Diary/Me.md": "secret", "pic.png": "\x89PNG\x00\xff", "Long.md": strings.Repeat("x", maxContent+1)}
	for i := range 450 {
		files[fmt.Sprintf("N/%03d.md", i)] = fmt.Sprint(i)
	}
	c := connect(t, open(t, vaultOf(t, files), `private = ["Diary/"]`, Options{}), "probe", nil)
	ctx := context.Background()
	var names []string
	pages := 0
	for p := (&sdk.ListResourcesParams{}); ; pages++ {
		r, err := c.ListResources(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range r.Resources {
			names = append(names, r.Name)
			if r.MIMEType != markdown || r.Annotations.LastModified == "" || r.URI != uriOf(r.Name) {
				t.Errorf("%+v", r)
			}
		}
		if p.Cursor = r.NextCursor; p.Cursor == "" {
			break
		}
	}
	if len(names) != 452 || pages != 2 || !slices.IsSorted(names) || slices.Contains(names, "Diary/Me.md") {
		t.Errorf("%d names in %d pages: %q", len(names), pages+1, names[:3])
	}
	if _, err := c.ListResources(ctx, &sdk.ListResourcesParams{Cursor: "?"}); err == nil {
		t.Error("an invalid cursor was accepted")
	}
	for _, uri := range []string{"vault:///%C3%9Cber%20uns/50%25%20&%20%231%3F.md", uriOf("Über uns/50% & #1?.md"), "vault:///über uns/50%25 & %231?.md"} {
		r, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil || r.Contents[0].Text != "text\r\n" || r.Contents[0].URI != uri || r.Contents[0].MIMEType != markdown {
			t.Errorf("%s: %+v, %v", uri, r, err)
		}
	}
	r, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "vault:///pic.png"})
	if err != nil || string(r.Contents[0].Blob) != "\x89PNG\x00\xff" || r.Contents[0].MIMEType != "image/png" {
		t.Errorf("a picture: %+v, %v", r, err)
	}
	messages := map[string]bool{}
	for _, uri := range []string{"vault:///Diary/Me.md", "vault:///Diary/No.md", "vault:///No.md", "vault:///.obsidian/app.json", "vault:///../x", "vault:///%2e%2e/x", "vault:////etc/passwd", "file:///etc/passwd", "vault://host/N/001.md", "vault:///"} {
		if _, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s was read", uri)
		} else if strings.Contains(uri, "Diary") {
			messages[strings.ReplaceAll(err.Error(), uri, "")] = true
		}
	}
	if len(messages) != 1 {
		t.Errorf("a private note is distinguishable from a missing one: %v", messages)
	}
	if _, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "vault:///Long.md"}); err == nil || !strings.Contains(err.Error(), "read_file") {
		t.Errorf("a long note: %v", err)
	}
	if _, err := c.ReadResource(ctx, &sdk.ReadResourceParams{URI: "vault:///N"}); err == nil || !strings.Contains(err.Error(), "list_files") {
		t.Errorf("a folder: %v", err)
	}
}

func TestSubscriptions(t *testing.T) {
	for _, version := range []string{"2025-06-18", ""} {
		t.Run(version, func(t *testing.T) {
			dir := vaultOf(t, map[string]string{"A.md": "a\n", "F/B.md": "b\n", "Diary/Me.md": "x"})
			s := open(t, dir, `private = ["Diary/"]`, Options{})
			updates := make(chan string, 100)
			here, there := sdk.NewInMemoryTransports()
			if _, err := s.sdk.Connect(context.Background(), there, nil); err != nil {
				t.Fatal(err)
			}
			c, err := sdk.NewClient(&sdk.Implementation{Name: "probe"}, &sdk.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
			}).Connect(context.Background(), here, &sdk.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			ctx := context.Background()
			for _, uri := range []string{"vault:///A.md", "vault:///f/b.md"} {
				if err := c.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err != nil {
					t.Fatal(err)
				}
			}
			if version != "" {
				for _, uri := range []string{"vault:///Diary/Me.md", "vault:///No.md", "test://x"} {
					if err := c.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}); err == nil {
						t.Errorf("%s was subscribed to", uri)
					}
				}
			}
			wait := func(want string, do func()) {
				t.Helper()
				limit := time.After(30 * time.Second)
				do()
				for {
					select {
					case got := <-updates:
						if got == want {
							return
						}
						t.Errorf("got an update of %s, want %s", got, want)
					case <-time.After(2 * time.Second): // a new protocol's subscription may not be active yet
						do()
					case <-limit:
						t.Fatalf("no update of %s", want)
					}
				}
			}
			n := 0
			wait("vault:///A.md", func() { n++; write(t, dir, "A.md", fmt.Sprint("changed ", n)) }) // by another program
			other := connect(t, open(t, dir, "", Options{}), "other", nil)
			wait("vault:///f/b.md", func() { mustCall(t, other, "append_file", map[string]any{"path": "F/B.md", "content": "more"}) })
			wait("vault:///f/b.md", func() {
				if _, err := os.Stat(filepath.Join(dir, "F")); err == nil {
					mustCall(t, other, "move_file", map[string]any{"source": "F", "destination": "G"})
				}
			})
		})
	}
}

// TestInstructions: after consent, the owner's instructions are sent to each client that connects.
func TestInstructions(t *testing.T) {
	dir := vaultOf(t, map[string]string{"AGENTS.md": "Use British spelling.\n"})
	instructions := func() string {
		return connect(t, open(t, dir, "", Options{}), "probe", nil).InitializeResult().Instructions
	}
	if got := instructions(); strings.Contains(got, "British") {
		t.Errorf("%q was sent without consent", got)
	}
	state, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	answers, err := trust.Load(state)
	if err == nil {
		err = answers.Keep([]trust.File{{Name: "AGENTS.md", Data: []byte("Use British spelling.\n")}}, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := instructions(); !strings.HasSuffix(got, "The vault's owner tells agents in AGENTS.md:\nUse British spelling.") {
		t.Errorf("%q", got)
	}
}

func TestPrompts(t *testing.T) {
	dir := vaultOf(t, map[string]string{
		"A.md": "#garden/fence and #garage\n", "F/Apple.md": "", "Big apple.md": "",
		".smarthole/commands/week.md":  "---\ndescription: Looks back\narguments: [topic, days?]\n---\nWhat about {{topic}} in {{days}} days?",
		".smarthole/commands/plain.md": "Tidy up.",
		".smarthole/commands/pair.md":  "From $1 to $2.",
	})
	s := open(t, dir, "", Options{})
	c := connect(t, s, "probe", nil)
	ctx := context.Background()
	if r, err := c.ListPrompts(ctx, nil); err != nil || len(r.Prompts) != 0 {
		t.Errorf("commands without consent: %+v, %v", r, err)
	}
	if _, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: "plain"}); err == nil {
		t.Error("a command was returned without consent")
	}
	agree(t, dir)
	c = connect(t, open(t, dir, "", Options{}), "probe", nil)
	r, err := c.ListPrompts(ctx, nil)
	if err != nil || len(r.Prompts) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if p := r.Prompts[2]; p.Name != "week" || p.Description != "Looks back" || len(p.Arguments) != 2 || !p.Arguments[0].Required || p.Arguments[1].Required {
		t.Errorf("%+v", p)
	}
	for _, c2 := range []struct {
		name string
		args map[string]string
		want string // empty if an error is expected
	}{
		{"week", map[string]string{"topic": `two words "quoted`, "days": "5"}, `What about two words "quoted in 5 days?`},
		{"week", map[string]string{"topic": "x"}, "What about x in  days?"},
		{"week", map[string]string{"days": "5"}, ""},
		{"plain", nil, "Tidy up."},
		{"plain", map[string]string{"text": "All of it."}, "Tidy up.\n\nAll of it."},
		{"pair", map[string]string{"word1": "a b", "word2": "c"}, "From a b to c."},
		{"none", nil, ""},
	} {
		r, err := c.GetPrompt(ctx, &sdk.GetPromptParams{Name: c2.name, Arguments: c2.args})
		if c2.want == "" {
			if err == nil {
				t.Errorf("%+v: %+v", c2, r)
			}
			continue
		}
		if err != nil || len(r.Messages) != 1 || r.Messages[0].Content.(*sdk.TextContent).Text != c2.want {
			t.Errorf("%+v: %+v, %v", c2, r, err)
		}
	}
	for _, tt := range []struct {
		ref             *sdk.CompleteReference
		argument, value string
		want            []string
	}{
		{&sdk.CompleteReference{Type: "ref/resource", URI: template}, "path", "ap", []string{"F/Apple.md", "Big apple.md"}},
		{&sdk.CompleteReference{Type: "ref/prompt", Name: "week"}, "topic", "#gar", []string{"#garage", "#garden", "#garden/fence"}},
		{&sdk.CompleteReference{Type: "ref/prompt", Name: "week"}, "topic", "#fen", []string{"#garden/fence"}},
		{&sdk.CompleteReference{Type: "ref/prompt", Name: "week"}, "topic", "f/a", []string{"F/Apple.md"}},
		{&sdk.CompleteReference{Type: "ref/resource", URI: "other:///{x}"}, "x", "a", nil},
	} {
		r, err := c.Complete(ctx, &sdk.CompleteParams{Ref: tt.ref, Argument: sdk.CompleteParamsArgument{Name: tt.argument, Value: tt.value}})
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(r.Completion.Values)
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %q", tt, r.Completion.Values)
		}
	}
}

// agree consents to the vault's own files.
func agree(t *testing.T, dir string) {
	t.Helper()
	answers, end, err := home.AnswersFor(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	files, err := trust.Brought(trust.NewBudget(), root)
	if err == nil {
		err = answers.Keep(files, true)
	}
	if err != nil {
		t.Fatal(err)
	}
}
