package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
)

// The names under which endpoints send how a model reasoned, and the place of what Gemini wants back.
const (
	reasoningContent = "reasoning_content"
	reasoning        = "reasoning"
	reasoningDetails = "reasoning_details"
	extraContent     = "extra_content"
)

const maxCompletionTokens = "max_completion_tokens"

// nothing goes back, or can be told.
var nothing = []string{}

// every model.
var every = []string{""}

// emptyReasoning is what says of calls that nothing is known of how they were thought of.
var emptyReasoning = fields{reasoningContent: `""`}

// Dialects are what is known of endpoints that differ from the normal form, or whose names, hosts or
// models tell that nothing has to be known. An unknown one is taken to be Unknown. Where two would fit,
// the first does.
//
// Sources: the providers' own documents and what is reported of them, as of November 2026.
var Dialects = []Dialect{
	{
		Name: "openai", Hosts: []string{"api.openai.com"},
		Models:     []string{"gpt-3", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4"},
		MaxTokens:  maxCompletionTokens, // models that reason refuse max_tokens
		ToolChoice: true, CacheKey: "prompt_cache_key", Documents: true,
		Request: []addition{
			// With tools these want to be told not to reason; others refuse to be told with tools.
			{models: []string{"gpt-5.6", "gpt-6"}, tools: true, fields: fields{"reasoning_effort": `"none"`}},
		},
	},
	{
		Name: "azure", Hosts: []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"},
		MaxTokens: maxCompletionTokens,
		Request: []addition{
			{models: []string{"gpt-5.6", "gpt-6"}, tools: true, fields: fields{"reasoning_effort": `"none"`}},
		},
	},
	{
		Name: "anthropic", OnlyEfforts: nothing, Hosts: []string{"api.anthropic.com"}, Models: []string{"claude-"},
		Back: nothing, // it does not return what was thought, and takes none
	},
	{
		Name: "gemini", CanBeOff: true, Also: []string{"google"}, Hosts: []string{"generativelanguage.googleapis.com"}, Models: []string{"gemini-"},
		Back: []string{extraContent},
		// Gemini 3 refuses a call without its signature, but for those that say that they have none.
		WithCall: fields{extraContent: `{"google":{"thought_signature":"skip_thought_signature_validator"}}`},
	},
	{
		Name: "mistral", OnlyEfforts: nothing, Hosts: []string{"api.mistral.ai"},
		Models: []string{"mistral", "ministral", "mixtral", "magistral", "codestral", "devstral", "pixtral", "open-mistral", "open-mixtral"},
		Back:   nothing, // extra_forbidden
	},
	{
		Name: "deepseek", CanBeOff: true, Effort: byBoth("thinking", `{"type":"disabled"}`, `{"type":"enabled"}`), Hosts: []string{"api.deepseek.com"}, Models: []string{"deepseek-chat", "deepseek-reasoner", "deepseek-flash", "deepseek-v3", "deepseek-v4"},
		Back: []string{reasoningContent}, WithCalls: emptyReasoning,
	},
	{
		Name: "kimi", OnlyEfforts: switched, Effort: bySwitch("thinking", `{"type":"disabled"}`, `{"type":"enabled"}`), Also: []string{"moonshot", "moonshotai"}, Hosts: []string{"api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"}, Models: []string{"kimi-", "moonshot-"},
		Back: []string{reasoningContent}, WithCalls: emptyReasoning,
		ID: func(name string, nth int) string { return fmt.Sprintf("functions.%s:%d", name, nth) },
	},
	{
		Name: "zai", OnlyEfforts: switched, Effort: bySwitch("thinking", `{"type":"disabled"}`, `{"type":"enabled","clear_thinking":false}`), Also: []string{"z.ai", "zhipu", "zhipuai", "bigmodel", "glm"}, Hosts: []string{"api.z.ai", "open.bigmodel.cn"},
		Back: []string{reasoningContent}, NoToolChoice: true,
		Request: []addition{
			{models: every, tools: true, fields: fields{"tool_stream": "true"}}, // else arguments come late and whole
			{models: []string{"glm-4.5", "glm-4.6", "glm-4.7", "glm-5"}, fields: fields{"thinking": `{"type":"enabled","clear_thinking":false}`}},
		},
	},
	{Name: "glm hosted", Models: []string{"glm-"}},
	{
		Name: "minimax", OnlyEfforts: nothing, Hosts: []string{"api.minimax.io", "api.minimaxi.com", "api.minimax.chat"}, Models: []string{"minimax-"},
		ThoughtsInContent: true,
	},
	{
		Name: "dashscope", OnlyEfforts: switched, Effort: bySwitch("enable_thinking", "false", "true"), Also: []string{"qwen", "alibaba"}, Hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"},
		Back: []string{reasoningContent},
	},
	{
		Name: "groq", Hosts: []string{"api.groq.com"},
		Back: nothing, // "property … is unsupported"
	},
	{
		Name: "cerebras", Hosts: []string{"api.cerebras.ai"},
		Back: []string{reasoning}, // refuses reasoning_content
	},
	{
		Name: "xai", Also: []string{"x.ai", "grok"}, Hosts: []string{"api.x.ai"}, Models: []string{"grok-"},
		Back: []string{reasoningContent},
	},
	{
		Name: "openrouter", Cached: "anthropic/claude-", Documents: true, CanBeOff: true, Effort: byReasoning, Hosts: []string{"openrouter.ai"},
		Back: []string{reasoning, reasoningDetails},
	},
	{Name: "vercel", CanBeOff: true, Effort: byReasoning, Also: []string{"ai-gateway"}, Hosts: []string{"ai-gateway.vercel.sh"}},
	{Name: "together", OnlyEfforts: switched, Effort: bySwitch("reasoning", `{"enabled":false}`, `{"enabled":true}`), Also: []string{"togetherai"}, Hosts: []string{"api.together.xyz", "api.together.ai"}},
	{Name: "fireworks", Also: []string{"fireworks-ai"}, Hosts: []string{"api.fireworks.ai"}, Back: []string{reasoningContent}},
	{Name: "github", Also: []string{"github-models"}, Hosts: []string{"models.github.ai", "models.inference.ai.azure.com"}},
	{Name: "huggingface", Also: []string{"hf"}, Hosts: []string{"router.huggingface.co"}},
	{Name: "ollama", OnlyEfforts: []string{off, "low", "medium", "high"}, Hosts: []string{"ollama.com"}, Back: []string{reasoning}},
	{Name: "lmstudio", Also: []string{"lm-studio", "lm studio"}},
	{
		Name: "llama.cpp", Also: []string{"llamacpp", "llama-cpp", "llama-server"},
		NotBothThoughtsAndText: true, // gpt-oss's template raises an error
	},
	{Name: "vllm"},
	{Name: "litellm"},
}

// Unknown is the dialect of an endpoint that is not known: the normal form, and back goes what came.
var Unknown = Dialect{}

// off is the effort of a model that is not to reason.
const off = "none"

// quoted is a word as JSON.
func quoted(word string) string {
	b, _ := json.Marshal(word) // of a string: cannot fail
	return string(b)
}

// byReasoning is what routers are told.
func byReasoning(effort string) fields {
	return fields{"reasoning": `{"effort":` + quoted(effort) + `}`}
}

// switched are the efforts of models that reason or do not.
var switched = []string{off, "high"}

// bySwitch tells a model with these values whether to reason.
func bySwitch(name, no, yes string) func(string) fields {
	return func(effort string) fields {
		if effort == off {
			return fields{name: no}
		}
		return fields{name: yes}
	}
}

// byBoth tells whether to reason, and how much.
func byBoth(name, no, yes string) func(string) fields {
	return func(effort string) fields {
		out := bySwitch(name, no, yes)(effort)
		if effort != off {
			out["reasoning_effort"] = quoted(effort)
		}
		return out
	}
}

// effort are the fields that say how much a model is to reason.
func (d *Dialect) effort(level string) fields {
	switch {
	case level == "":
		return nil
	case d.Effort != nil:
		return d.Effort(level)
	}
	return fields{"reasoning_effort": quoted(level)}
}

// Efforts are those of a model's own that can be told over this dialect; own are nil where they are not known.
func (d *Dialect) Efforts(own []string) []string {
	known := own
	if known == nil {
		known = []string{off, "minimal", "low", "medium", "high", "xhigh", "max"}
	}
	if d.OnlyEfforts != nil {
		return slices.Clone(d.OnlyEfforts)
	}
	if d.CanBeOff && !slices.Contains(known, off) {
		known = append([]string{off}, known...)
	}
	return known
}
