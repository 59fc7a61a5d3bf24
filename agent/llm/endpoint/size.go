package endpoint

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
)

// LlamaCpp is the name of llama.cpp's preset.
const LlamaCpp = "llama.cpp"

// Facts are the known facts of a server and its model; zero values mean unknown.
type Facts struct {
	Server string // name of its preset
	llm.Size
}

// known holds the facts of models in this process, by base URL and model.
var known sync.Map

// owners maps the listed owner of a model to the server's preset.
var owners = map[string]string{"llamacpp": LlamaCpp, "organization_owner": "lmstudio", "library": "ollama", "vllm": "vllm"}

// Server returns the preset of a local server, as reported or by its configured name, or "".
func (c *Client) Server() string {
	named, _ := FindPreset(c.opts.Name)
	if named.NeedsKey {
		named.Name = ""
	}
	return cmp.Or(c.facts().Server, named.Name)
}

func (c *Client) key() [2]string { return [2]string{c.opts.BaseURL, c.opts.Model} }

// facts returns the known facts without asking.
func (c *Client) facts() Facts {
	f, _ := known.Load(c.key())
	facts, _ := f.(Facts)
	return facts
}

// Local reports whether calls are free: a known kind of local server, on this computer or without a key, or any
// endpoint on this computer without a key.
func (c *Client) Local() bool {
	kind, keyless := c.Server() != "", c.opts.APIKey == ""
	return kind && keyless || isLocal(c.host) && (kind || keyless)
}

// Size returns the size of the model (llm.Sized). The server is asked once, for at most a second.
func (c *Client) Size(ctx context.Context) llm.Size {
	if f, asked := known.Load(c.key()); asked {
		return f.(Facts).Size
	}
	bounded, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	f := c.Facts(bounded)
	if ctx.Err() == nil {
		known.LoadOrStore(c.key(), f)
	}
	return f.Size
}

// Facts asks the server for the facts of the model, for a few seconds, unless it is a known cloud provider.
func (c *Client) Facts(ctx context.Context) Facts {
	if p, cloud := AtHost(c.opts.BaseURL); cloud && p.NeedsKey {
		return Facts{}
	}
	const longest = 5 * time.Second
	list, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	models, err := c.listModels(list)
	if err != nil {
		return Facts{Size: llm.Size{Parameters: namedSize(c.opts.Model)}}
	}
	var listed Model
	for _, m := range models {
		if m.ID == c.opts.Model || m.ID == c.opts.Model+":latest" || len(models) == 1 { // llama.cpp answers by any name
			listed = m
		}
	}
	f := c.askServer(ctx, cmp.Or(owners[listed.Owner], c.Server()))
	f.Parameters = cmp.Or(listed.Parameters, f.Parameters, namedSize(c.opts.Model))
	f.Window = cmp.Or(f.Window, listed.Window)
	if ctx.Err() == nil {
		known.Store(c.key(), f)
	}
	return f
}

// Runs returns the reported window of the model on its server in tokens, or 0.
func (c *Client) Runs() int { return c.facts().Window }

// sizeInName matches a number of parameters in a model's name: qwen2.5-coder:1.5b, Llama-3.2-3B-Instruct, gemma3-270m.
var sizeInName = lazyregexp.New(`(?i)(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)([bm])(?:$|[^a-z0-9])`)

// namedSize returns the number of parameters in a model's name, or 0.
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
