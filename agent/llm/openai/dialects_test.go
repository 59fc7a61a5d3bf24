package openai

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/internal/base/picture"
	"chatvault/internal/llmtest"
)

// endpointCase is a provider connected to a server as strict as the real endpoint.
type endpointCase struct {
	t   *testing.T
	srv *llmtest.Server
	p   *Provider
}

// script answers the requests of a conversation by their content.
func script() []llmtest.Step {
	whole := llmtest.Split(1000) // many small pieces would take long
	return []llmtest.Step{
		llmtest.Say(llmtest.Reasoning("two notes < one"), llmtest.Text("I look."), llmtest.Call("read_file", `{"path":"a.md"}`), llmtest.Call("read_file", `{"path":"b.md"}`),
			llmtest.When(`user contains "read both"`), llmtest.When("no result yet"), llmtest.When("tools contains \"read_file\""), llmtest.Forever(), whole),
		llmtest.Say(llmtest.Reasoning("which one is open?"), llmtest.Call("get_active_note", `{"reason":"to know"}`),
			llmtest.When(`user contains "open one"`), llmtest.When("no result yet"), llmtest.When("tools contains \"read_file\""), llmtest.Forever(), whole),
		llmtest.Say(llmtest.Reasoning("that is all"), llmtest.Text("Here it is."), llmtest.Forever(), whole),
	}
}

func newEndpointCase(t *testing.T, name string, off func(*dialect.Dialect)) endpointCase {
	t.Helper()
	e := llmtest.EndpointOf(name)
	srv, err := llmtest.Start(script(), llmtest.Options{Endpoint: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Name, o.Model = name, e.Model })
	if off != nil {
		changed := *p.dialect
		off(&changed)
		p.dialect = &changed
	}
	return endpointCase{t, srv, p}
}

// offered are the tools of each request: one without arguments, one with every schema feature.
var offered = []llm.ToolSpec{
	{Name: "read_file", Description: "reads", Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string","minLength":1}},"required":["path"],"additionalProperties":false}`)},
	{Name: "get_active_note", Description: "tells", Parameters: []byte(`{"type":"object","additionalProperties":false}`)},
}

// dialogue is a conversation as the agent keeps it.
type dialogue struct {
	history []llm.Message
	calls   int
}

func newDialogue() *dialogue {
	return &dialogue{history: []llm.Message{{Role: llm.RoleSystem, Content: "You keep notes."}}}
}

func (x *dialogue) user(text string) {
	x.history = append(x.history, llm.Message{Role: llm.RoleUser, Content: text})
}

// ask calls a provider once, records its answer and executes its calls. It reports whether the request was accepted.
func (x *dialogue) ask(s endpointCase, tools []llm.ToolSpec) bool {
	s.t.Helper()
	resp, failed := collect(s.t.Context(), s.t, s.p, llm.Request{Messages: x.history, Tools: tools, MaxTokens: 4000})
	if failed != nil {
		return false
	}
	m := llm.Message{Role: llm.RoleAssistant, Content: resp.Text, Echo: resp.Echo}
	if strings.Contains(resp.Text, "think>") {
		s.t.Errorf("%s: reasoning in the answer: %q", s.p.Name(), resp.Text)
	}
	var answers []llm.Message
	for _, c := range resp.ToolCalls {
		x.calls++
		c.ID = fmt.Sprintf("call-%d", x.calls) // the agent's own ID, which no other endpoint may get
		m.ToolCalls = append(m.ToolCalls, c)
		answers = append(answers, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, ToolName: c.Name, Content: "Alpha"})
	}
	x.history = append(append(x.history, m), answers...)
	return true
}

// turns runs the turns done with each provider: parallel calls after reasoning, messages sent while tools run, two
// queued ones, a call without arguments, and a last one without tools.
func (x *dialogue) turns(s endpointCase) bool {
	s.t.Helper()
	if !x.turn(s, "read both") {
		return false
	}
	x.user("and be brief") // sent during the turn
	if !x.ask(s, offered) {
		return false
	}
	x.user("thank you")
	x.user("the open one") // two queued messages
	if !x.ask(s, offered) || !x.ask(s, nil) {
		return false
	}
	return x.turn(s, "well")
}

func (x *dialogue) turn(s endpointCase, text string) bool {
	s.t.Helper()
	x.user(text)
	return x.ask(s, offered)
}

// TestEveryPair: a conversation begun with one provider continues with any other, and back. The short form uses every
// third pair, and each provider with itself.
func TestEveryPair(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	t.Parallel()
	short := os.Getenv("CHATVAULT_STRESS") == ""
	for i, a := range llmtest.Endpoints {
		t.Run(a.Name, func(t *testing.T) {
			for j, b := range llmtest.Endpoints {
				if short && i != j && (i+j)%3 != 0 {
					continue
				}
				x, from, to := newDialogue(), newEndpointCase(t, a.Name, nil), newEndpointCase(t, b.Name, nil)
				if !x.turns(from) || !x.turns(to) || !x.turn(from, "read both") {
					t.Errorf("%s, then %s: %q %q", a.Name, b.Name, from.srv.Violations(), to.srv.Violations())
				}
				for _, r := range append(from.srv.Requests(), to.srv.Requests()...) {
					if !strings.Contains(string(r.Body), "read both") {
						t.Fatalf("a message is lost: %s", r.Body)
					}
				}
				from.srv.Close()
				to.srv.Close()
			}
		})
	}
}

// notRefused lists the dialect fields without which our test servers refuse nothing. They are kept because the
// endpoints document them.
var notRefused = map[string][]string{
	"openai":     {"ToolChoice", "CacheKey"},
	"azure":      {"Request"}, // of unknown models, whose names are the user's choice
	"anthropic":  {"Back"},
	"deepseek":   {"Back"},
	"kimi":       {"Back"},
	"zai":        {"Back"},
	"dashscope":  {"Back"},
	"xai":        {"Back"},
	"openrouter": {"Back", "Cached"}, // caches nothing without marks
	"fireworks":  {"Back"},
	"ollama":     {"Back"},
	"cerebras":   {"Back"},
	"gemini":     {"Back"},
	"mistral":    {"Back"}, // sends nothing either
}

// TestWithoutDialectField: each field of a dialect is needed, as its endpoint refuses requests without it.
func TestWithoutDialectField(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	t.Parallel()
	// TestEveryEffort, TestPictures and TestAnswers cover efforts, documents and forms of answers.
	about := []string{"Name", "Also", "Hosts", "Models", "Effort", "OnlyEfforts", "CanBeOff", "Documents", "AnswerWithTools"}
	for _, e := range llmtest.Endpoints {
		d := reflect.ValueOf(*dialect.For(e.Name, "http://127.0.0.1", e.Model))
		for i := range d.NumField() {
			line := d.Type().Field(i).Name
			if d.Field(i).IsZero() || slices.Contains(about, line) {
				continue
			}
			refused := false
			for _, other := range []string{"deepseek", "openai", "minimax", "unknown"} {
				x, from := newDialogue(), newEndpointCase(t, other, nil)
				to := newEndpointCase(t, e.Name, func(d *dialect.Dialect) { reflect.ValueOf(d).Elem().Field(i).SetZero() })
				if !x.turns(from) {
					t.Fatalf("%s refuses: %q", other, from.srv.Violations())
				}
				refused = refused || !x.turns(to)
			}
			if excused := slices.Contains(notRefused[e.Name], line); refused == excused {
				t.Errorf("%s without its %s: refused is %v", e.Name, line, refused)
			}
		}
	}
}

// TestOtherEndpointsRefuse: an endpoint's own message fields are refused by the others.
func TestOtherEndpointsRefuse(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"unknown", "groq", "cerebras", "mistral", "gemini", "deepseek", "openrouter", "openai"} {
		from, s := newEndpointCase(t, "together", nil), newEndpointCase(t, to, func(d *dialect.Dialect) { d.Back = nil })
		if to == "cerebras" {
			from = newEndpointCase(t, "xai", nil)
		}
		x := newDialogue()
		if !x.turns(from) {
			t.Fatalf("%q", from.srv.Violations())
		}
		for i := range x.history {
			if e := x.history[i].Echo; e != nil {
				e.Endpoint, e.Model = s.p.Target(s.p.dialect.Name).Endpoint, s.p.Model()
			}
		}
		if x.turns(s) {
			t.Errorf("%s accepts messages of other endpoints", to)
		}
	}
}

// TestEveryEffort: each endpoint accepts the effort parameter for its models.
func TestEveryEffort(t *testing.T) {
	t.Parallel()
	for _, e := range llmtest.Endpoints {
		own, _ := models.Efforts(e.Name, "", e.Model)
		efforts := dialect.For(e.Name, "", e.Model).Efforts(own)
		if e.Name == "openai" {
			efforts = []string{"none"} // of gpt-5.6 with tools
		}
		for _, effort := range efforts {
			srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf(e.Name)}, llmtest.Reply("ok"))
			p := newProvider(t, srv, func(o *endpoint.Options) { o.Name, o.Model, o.Effort = e.Name, e.Model, effort })
			if _, failed := collect(t.Context(), t, p, question()); failed != nil {
				t.Errorf("%s %s: %v", e.Name, effort, failed)
			}
		}
	}
}

func pictureNote(t *testing.T, name string, w, h int) llm.Media {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	i, data, err := picture.Prepare(t.Context(), b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return llm.Media{Info: i, Name: name, Data: data}
}

// unmarked returns a request without cache marks, which are not part of the prompt.
func unmarked(body []byte) string {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	text := regexp.MustCompile(`\[\{"type":"text","text":("(?:[^"\\]|\\.)*")`+mark+`\}\]`).ReplaceAllString(string(body), "$1")
	return strings.ReplaceAll(text, mark, "")
}

// TestPictures: each endpoint gets pictures in its own form, including those in tool results, and each request begins
// like the previous one. A model that accepts none has an error, which ours reports.
func TestPictures(t *testing.T) {
	t.Parallel()
	for _, e := range llmtest.Endpoints {
		s := newEndpointCase(t, e.Name, nil)
		x := newDialogue()
		gone := pictureNote(t, "gone.png", 9, 9)
		gone.Data, gone.Why = nil, "it is no longer kept"
		x.history = append(x.history, llm.Message{Role: llm.RoleUser, Content: "read both", Media: []llm.Media{pictureNote(t, "Scans/a b.png", 40, 30), gone}})
		_, failed := collect(t.Context(), t, s.p, llm.Request{Messages: x.history, Tools: offered, MaxTokens: 4000})
		if e.Blind != "" {
			if failed == nil || failed.Reason != llm.ReasonNoSight || !llm.FallsBack(failed) {
				t.Errorf("%s: %v", e.Name, failed)
			}
			continue
		}
		if failed != nil || !x.ask(s, offered) {
			t.Errorf("%s: %v %q", e.Name, failed, s.srv.Violations())
			continue
		}
		x.history[len(x.history)-2].Media = []llm.Media{pictureNote(t, "b.png", 4, 3)}
		x.user("what is on them?")
		ok := x.ask(s, offered) && x.turn(s, "and?")
		requests := s.srv.Requests()
		last := requests[len(requests)-1]
		if got := last.Media(); !ok || !slices.Equal(got, []string{"[image/png 40×30]", "[image/png 4×3]"}) || !strings.Contains(string(last.Body), `it is no longer kept`) {
			t.Errorf("%s: %v, %q", e.Name, got, s.srv.Violations())
		}
		for i, r := range requests[1:] {
			before, _, _ := strings.Cut(unmarked(requests[i].Body), `],"stream"`)
			if !strings.HasPrefix(unmarked(r.Body), before) {
				t.Errorf("%s: request %d does not begin with the previous one:\n%s\n%s", e.Name, i+1, requests[i].Body, r.Body)
			}
		}
		x.history[1].Media = []llm.Media{{Info: picture.Info{Kind: "PDF", Type: picture.PDF}, Name: "a/report.pdf", Data: []byte("%PDF-1.7")}}
		sees, known := s.p.Sees(picture.PDF)
		elsewhere := e.Name == "openai" // this address accepts any endpoint of the protocol
		if ok := x.ask(s, offered); ok != e.Documents || !ok && (sees || !known) || ok && known && !sees && !elsewhere {
			t.Errorf("%s accepts documents: %v; in the dialect: %v, %v", e.Name, ok, sees, known)
		}
	}
}
