package endpoint

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/routine"
)

// LlamaCpp is the name of llama.cpp's preset.
const LlamaCpp = "llama.cpp"

// Facts are what is known of a server and the model that it runs; zero values mean that it is not known.
type Facts struct {
	Server string // its preset
	llm.Size
	Most int // tokens of a call that the model was made for
}

// known are the facts of models, by base URL and model, while the process lives.
var known sync.Map

// owners are what servers list as the owner of their models.
var owners = map[string]string{"llamacpp": LlamaCpp, "organization_owner": "lmstudio", "library": "ollama", "vllm": "vllm"}

// Server returns the preset of a local server, as it says itself or by its configured name; empty if not known.
func (c *Client) Server() string {
	named, _ := FindPreset(c.opts.Name)
	if named.NeedsKey {
		named.Name = ""
	}
	return cmp.Or(c.facts().Server, named.Name)
}

func (c *Client) key() [2]string { return [2]string{c.opts.BaseURL, c.opts.Model} }

// facts returns what is known of the server and its model without asking.
func (c *Client) facts() Facts {
	f, _ := known.Load(c.key())
	facts, _ := f.(Facts)
	return facts
}

// Local reports whether calls cost nothing but time: it is a known kind of local server, on this computer or without
// a key, or any endpoint on this computer without a key. A server is known by what it said to Facts, too.
func (c *Client) Local() bool {
	kind, keyless := c.Server() != "", c.opts.APIKey == ""
	return kind && keyless || here(c.host) && (kind || keyless)
}

// Size returns how large the model is (llm.Sized). Its server is asked once; an answer that does not come at once
// counts from when it comes.
func (c *Client) Size(ctx context.Context) llm.Size {
	if f, asked := known.Load(c.key()); asked {
		return f.(Facts).Size
	}
	f, wait := c.before(), time.Second
	if f.Server != "" {
		wait /= 10
	}
	asked := make(chan Facts, 1)
	routine.Go("size of the model", func() { asked <- c.Facts(context.WithoutCancel(ctx)) })
	select {
	case f = <-asked:
	case <-ctx.Done():
	case <-time.After(wait):
		known.LoadOrStore(c.key(), f)
	}
	return f.Size
}

// before returns what is known of the model, be it from an earlier start or by its name.
func (c *Client) before() Facts {
	f := c.facts()
	if f == (Facts{}) && c.opts.Recall != nil {
		f = c.opts.Recall()
	}
	f.Parameters = cmp.Or(f.Parameters, namedSize(c.opts.Model))
	return f
}

// Facts asks the server for the facts of the model, for a few seconds, unless it is known to be a provider in the
// cloud.
func (c *Client) Facts(ctx context.Context) Facts {
	if p, cloud := AtHost(c.opts.BaseURL); cloud && p.NeedsKey {
		return Facts{}
	}
	const longest = 5 * time.Second
	list, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	models, err := c.listModels(list)
	before := c.before()
	if err != nil {
		return before
	}
	var listed Model
	for _, m := range models {
		if m.ID == c.opts.Model || m.ID == c.opts.Model+":latest" || len(models) == 1 { // llama.cpp answers by any name
			listed = m
		}
	}
	f := c.askServer(ctx, cmp.Or(owners[listed.Owner], c.Server()))
	f.Parameters = cmp.Or(listed.Parameters, f.Parameters, namedSize(c.opts.Model))
	if f.Window = cmp.Or(f.Window, listed.Window); f.Server == before.Server { // some know it only while the model is loaded
		f.Window = cmp.Or(f.Window, before.Window)
	}
	if ctx.Err() == nil {
		c.note(f)
	}
	return f
}

// note keeps what is known of the server and its model.
func (c *Client) note(f Facts) {
	known.Store(c.key(), f)
	if c.opts.Remember != nil {
		c.opts.Remember(f)
	}
}

// Runs returns the most tokens that the server takes for the model, as it said itself; 0 if it did not.
func (c *Client) Runs() int {
	if c.Server() == "" {
		return 0
	}
	return c.facts().Window
}

// sizeInName finds a number of parameters in a model's name: qwen2.5-coder:1.5b, Llama-3.2-3B-Instruct, gemma3-270m.
var sizeInName = lazyregexp.New(`(?i)(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)([bm])(?:$|[^a-z0-9])`)

// namedSize returns the number of parameters that a model's name says; 0 if it says none.
func namedSize(name string) float64 {
	m := sizeInName().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	if strings.EqualFold(m[2], "b") {
		return n * 1e9
	}
	return n * 1e6
}
