package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// Fields with reasoning, and the field of Gemini's signatures.
const (
	reasoningContent = "reasoning_content"
	reasoning        = "reasoning"
	reasoningDetails = "reasoning_details"
	extraContent     = "extra_content"
)

const maxCompletionTokens = "max_completion_tokens"

// nothing is an empty list: no field goes back, or no effort is accepted.
var nothing = []string{}

// every matches all models.
var every = []string{""}

// emptyReasoning marks calls without reasoning.
var emptyReasoning = fields{reasoningContent: `""`}

// Dialects are the known endpoints; the first match counts. Some have no differences, but their name or host must not
// match another dialect.
//
// Sources: the providers' documentation and reports on them, as of November 2026.
var Dialects = []Dialect{
	{
		Name: "openai", Hosts: []string{"api.openai.com"},
		Models:     []string{"gpt-3", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4"},
		MaxTokens:  maxCompletionTokens, // models that reason refuse max_tokens
		ToolChoice: true, CacheKey: "prompt_cache_key", Documents: true, AnswerWithTools: true,
		Request: []addition{
			// These need "none" with tools; others refuse the field with tools.
			{models: []string{"gpt-5.6", "gpt-6"}, tools: true, fields: fields{"reasoning_effort": `"none"`}},
		},
	},
	{
		Name: "azure", Hosts: []string{"openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"},
		MaxTokens: maxCompletionTokens, AnswerWithTools: true,
		Request: []addition{
			{models: []string{"gpt-5.6", "gpt-6"}, tools: true, fields: fields{"reasoning_effort": `"none"`}},
		},
	},
	{
		Name: "anthropic", OnlyEfforts: nothing, Hosts: []string{"api.anthropic.com"}, Models: []string{"claude-"},
		Back: nothing, // it neither returns nor accepts reasoning
	},
	{
		Name: "gemini", CanBeOff: true, Also: []string{"google"}, Hosts: []string{"generativelanguage.googleapis.com"}, Models: []string{"gemini-"},
		Back: []string{extraContent},
		// Gemini 3 refuses a call without a signature; this value skips the check.
		WithCall: fields{extraContent: `{"google":{"thought_signature":"skip_thought_signature_validator"}}`},
	},
	{
		Name: "mistral", OnlyEfforts: nothing, Hosts: []string{"api.mistral.ai"},
		Models: []string{"mistral", "ministral", "mixtral", "magistral", "codestral", "devstral", "pixtral", "open-mistral", "open-mixtral"},
		Back:   nothing, // extra_forbidden
	},
	{
		Name: "deepseek", CanBeOff: true, Effort: effort{off: fields{"thinking": `{"type":"disabled"}`}, on: fields{"thinking": `{"type":"enabled"}`, "reasoning_effort": theEffort}}, Hosts: []string{"api.deepseek.com"}, Models: []string{"deepseek-chat", "deepseek-reasoner", "deepseek-flash", "deepseek-v3", "deepseek-v4"},
		Back: []string{reasoningContent}, WithCalls: emptyReasoning,
	},
	{
		Name: "kimi", OnlyEfforts: switched, Effort: effort{off: fields{"thinking": `{"type":"disabled"}`}, on: fields{"thinking": `{"type":"enabled"}`}}, Also: []string{"moonshot", "moonshotai"}, Hosts: []string{"api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"}, Models: []string{"kimi-", "moonshot-"},
		Back: []string{reasoningContent}, WithCalls: emptyReasoning,
		ID: "functions.%s:%d",
	},
	{
		Name: "zai", OnlyEfforts: switched, Effort: effort{off: fields{"thinking": `{"type":"disabled"}`}, on: fields{"thinking": `{"type":"enabled","clear_thinking":false}`}}, Also: []string{"z.ai", "zhipu", "zhipuai", "bigmodel", "glm"}, Hosts: []string{"api.z.ai", "open.bigmodel.cn"},
		Back: []string{reasoningContent}, NoToolChoice: true,
		Request: []addition{
			{models: every, tools: true, fields: fields{"tool_stream": "true"}}, // else arguments come late and whole
			{models: []string{"glm-4.5", "glm-4.6", "glm-4.7", "glm-5"}, fields: fields{"thinking": `{"type":"enabled","clear_thinking":false}`}},
		},
	},
	{Name: "glm hosted", Models: []string{"glm-"}},
	{Name: "minimax", OnlyEfforts: nothing, Hosts: []string{"api.minimax.io", "api.minimaxi.com", "api.minimax.chat"}, Models: []string{"minimax-"}, ThoughtsInContent: true},
	{
		Name: "dashscope", OnlyEfforts: switched, Effort: effort{off: fields{"enable_thinking": "false"}, on: fields{"enable_thinking": "true"}}, Also: []string{"qwen", "alibaba"}, Hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"},
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
		Back: []string{reasoningContent}, AnswerWithTools: true,
	},
	{
		Name: "openrouter", Cached: "anthropic/claude-", Documents: true, CanBeOff: true, Effort: effort{on: fields{"reasoning": `{"effort":` + theEffort + `}`}}, Hosts: []string{"openrouter.ai"},
		Back: []string{reasoning, reasoningDetails},
	},
	{Name: "vercel", CanBeOff: true, Effort: effort{on: fields{"reasoning": `{"effort":` + theEffort + `}`}}, Also: []string{"ai-gateway"}, Hosts: []string{"ai-gateway.vercel.sh"}},
	{Name: "together", OnlyEfforts: switched, Effort: effort{off: fields{"reasoning": `{"enabled":false}`}, on: fields{"reasoning": `{"enabled":true}`}}, Also: []string{"togetherai"}, Hosts: []string{"api.together.xyz", "api.together.ai"}},
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

// Unknown is the dialect of an unknown endpoint: the normal form; all echoed fields go back.
var Unknown = Dialect{}

// off is the effort without reasoning.
const off = "none"

// effort holds the fields for a reasoning effort, and for none if they differ; theEffort stands for the effort.
type effort struct{ on, off fields }

const theEffort = `"EFFORT"`

// switched are the efforts of models that can only switch reasoning on or off.
var switched = []string{off, "high"}

// effort returns the fields for a reasoning effort.
func (d *Dialect) effort(level string) fields {
	set := d.Effort.on
	switch {
	case level == "":
		return nil
	case level == off && d.Effort.off != nil:
		set = d.Effort.off
	case set == nil:
		set = fields{"reasoning_effort": theEffort}
	}
	quoted, _ := json.Marshal(level) // of a string: cannot fail
	out := fields{}
	for name, value := range set {
		out[name] = strings.Replace(value, theEffort, string(quoted), 1)
	}
	return out
}

// Efforts returns the efforts that a model accepts over this dialect; own are the model's, nil if unknown.
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
