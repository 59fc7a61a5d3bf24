package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// Endpoint is a provider as a Server plays it: what it refuses beside the Strict rules and with which
// words, and how it speaks.
type Endpoint struct {
	Name  string // as it is configured
	Model string // one of its models
	Owner string // of its models, as it lists them; empty: "llmtest"

	Status int                         // of a refusal
	Error  func(message string) string // its body

	Except []string // names of Strict rules that it does not have, as it demands the contrary
	Rules  []Rule   // of its own
	Fields []string // of a request, that it knows beside the common ones
	// WithCalls and WithCall are fields that it wants with messages that call tools, and with calls, also
	// where they are others'.
	WithCalls, WithCall map[string]any

	// Reasoning is the field that reasoning comes in: "reasoning_content", "reasoning",
	// "reasoning_details"; "content": between <think> and </think>; empty: it does not come.
	Reasoning string
	// Blind is what it says of a picture where its model sees none; Documents, that it takes files.
	Blind     string
	Documents bool
	Cached    bool // texts may be marked as the end of what is cached
	Keeps     bool // what came is not wanted back, and is refused
	// Sealed is what it says of reasoning that it can no longer read; empty: it seals none.
	Sealed string
	// ThoughtsBack says that thoughts in the content are wanted back there; NotBoth, that reasoning is not
	// where there is text.
	ThoughtsBack, NotBoth bool

	IDs       func(name string, nth int) string // of calls; nil: call_1, call_2 …
	Signs     func(nth int) map[string]any      // comes with the first call of a response; nil: nothing
	Whole     bool                              // calls come in one piece
	NoIndex   bool                              // and have no index
	Stops     bool                              // the finish reason is "stop", calls or not
	UsageLast bool                              // the usage comes with the finish reason
	Azure     bool                              // the first chunk has no choice
	Comments  bool                              // comments come between
}

// jsonError returns the body of an error; form has %s for the message, as a JSON text.
func jsonError(form string) func(message string) string {
	return func(message string) string { return fmt.Sprintf(form, document(message)) }
}

// The shapes of errors.
var (
	openaiError    = jsonError(`{"error":{"message":%s,"type":"invalid_request_error","param":null,"code":null}}`)
	googleError    = jsonError(`[{"error":{"code":400,"message":%s,"status":"INVALID_ARGUMENT"}}]`)
	mistralError   = jsonError(`{"object":"error","message":%s,"type":"invalid_request_message_order","param":null,"code":"3230"}`)
	anthropicError = jsonError(`{"type":"error","error":{"type":"invalid_request_error","message":%s}}`)
	zaiError       = jsonError(`{"error":{"code":"1214","message":%s}}`)
	cerebrasError  = jsonError(`{"message":%s,"type":"invalid_request_error","param":"messages","code":"wrong_api_format"}`)
	xaiError       = jsonError(`{"code":"Client specified an invalid argument","error":%s}`)
	upstreamError  = jsonError(`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":%s,"provider_name":"Upstream"}}}`)
	textError      = jsonError(`{"error":%s}`)
	messageError   = jsonError(`{"error":{"message":%s}}`)
	vllmError      = jsonError(`{"object":"error","message":%s,"type":"BadRequestError","param":null,"code":400}`)
)

func openrouterError(message string) string { return upstreamError(messageError(message)) }

func llamaError(message string) string {
	return jsonError(`{"error":{"code":500,"message":%s,"type":"server_error"}}`)("Jinja Exception: " + message)
}

func fireworksError(message string) string {
	return jsonError(`{"error":{"object":"error","type":"invalid_request_error","message":%s}}`)("Extra inputs are not permitted: " + message)
}

const skipSignature = "skip_thought_signature_validator"

var oldTokens = Rule{"max_tokens", "crush's and pi's providers; Mistral: extra_forbidden", noField("Extra inputs are not permitted, field: %s", "max_completion_tokens")}

var newTokens = Rule{"max_completion_tokens", "openai-openapi: max_tokens is refused by o-series models", func(c *ModelCall) string {
	if _, has := c.Body["max_tokens"]; has && regexp.MustCompile(`^(o[134]|gpt-[56])`).MatchString(c.model()) {
		return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	}
	return ""
}}

// plainModel are those of OpenAI's that do not reason.
var plainModel = regexp.MustCompile(`^(gpt-[34]|chatgpt-)`)

var effort = Rule{"reasoning_effort", "BerriAI/litellm#34569; gpt-5.6 and 6 with tools want none, 5.4 and 5.5 no effort with tools", func(c *ModelCall) string {
	wants := regexp.MustCompile(`^gpt-(5\.6|6)`).MatchString(c.model()) && len(c.tools()) > 0
	switch v, has := c.Body["reasoning_effort"]; {
	case wants && v != "none":
		return "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead."
	case regexp.MustCompile(`^gpt-5\.[45]`).MatchString(c.model()) && has && len(c.tools()) > 0:
		return "Unsupported parameter: 'reasoning_effort'"
	case has && plainModel.MatchString(c.model()):
		return "Unrecognized request argument supplied: reasoning_effort"
	case has:
		return badEffort(c.model(), str(v))
	}
	return ""
}}

// wantsReasoning refuses calls without a field of reasoning, whoever made them.
func wantsReasoning(says, source string) Rule {
	return Rule{"reasoning with calls", source, each(func(_ *ModelCall, _ int, m map[string]any) string {
		if _, has := m["reasoning_content"].(string); len(toolCalls(m)) > 0 && !has {
			return says
		}
		return ""
	})}
}

func noReasoning(says, source string, names ...string) Rule {
	return Rule{"no reasoning", source, noMessageField(says, names...)}
}

// Endpoints are the providers whose rules are known. The first is any other one.
var Endpoints = []Endpoint{
	{
		Name: "unknown", Model: "test-model", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		Fields: []string{"reasoning_effort"}, Rules: []Rule{newTokens, effort},
	},
	{
		Name: "openai", Documents: true, Model: "gpt-5.6", Status: http.StatusBadRequest, Error: openaiError,
		Fields: []string{"reasoning_effort", "prompt_cache_key"}, Rules: []Rule{newTokens, effort},
	},
	{
		Name: "azure", Model: "gpt-5-mini", Status: http.StatusBadRequest, Error: openaiError, Azure: true,
		Fields: []string{"reasoning_effort"}, Rules: []Rule{newTokens, effort},
	},
	{
		Name: "anthropic", Model: "claude-sonnet-4-5", Status: http.StatusBadRequest, Error: anthropicError,
		IDs: func(_ string, n int) string { return fmt.Sprintf("toolu_01AbCdEfGhIjKlMnOpQr%04d", n) },
	},
	{
		Name: "gemini", Fields: []string{"reasoning_effort"}, Model: "gemini-3-pro-preview", Status: http.StatusBadRequest, Error: googleError,
		Whole: true, NoIndex: true, Stops: true, IDs: func(_ string, n int) string { return fmt.Sprintf("function-call-%d", n) },
		Signs: func(n int) map[string]any {
			return map[string]any{"extra_content": map[string]any{"google": map[string]any{"thought_signature": fmt.Sprintf("c2lnbmF0dXJlIG9m%d+/=", n)}}}
		},
		WithCall: map[string]any{"extra_content": map[string]any{"google": map[string]any{"thought_signature": skipSignature}}},
		Sealed:   "Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/gemini",
		Rules: []Rule{
			{"signature", "ai.google.dev/gemini-api/docs/thought-signatures: 400 without that of a step's first call", each(func(_ *ModelCall, _ int, m map[string]any) string {
				calls := toolCalls(m)
				if len(calls) > 0 && str(object(object(calls[0]["extra_content"])["google"])["thought_signature"]) == "" {
					return "Function call is missing a thought_signature in functionCall parts."
				}
				return ""
			})},
		},
	},
	{
		Name: "mistral", Model: "mistral-large-latest", Status: http.StatusUnprocessableEntity, Error: mistralError, Reasoning: "", Keeps: true,
		IDs: func(_ string, n int) string { return fmt.Sprintf("aB3dE%04d", n) },
		Rules: []Rule{
			oldTokens,
			{"nine letters", "nearai/ironclaw#1241", eachCall(func(_ *ModelCall, call map[string]any) string {
				if !nine.MatchString(str(call["id"])) {
					return fmt.Sprintf("Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", str(call["id"]))
				}
				return ""
			})},
			noReasoning("Extra inputs are not permitted: %s", "charmbracelet/crush#1590: 422 extra_forbidden", "reasoning_content", "reasoning", "reasoning_details"),
		},
	},
	{
		Name: "deepseek", Blind: "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 5", Fields: []string{"reasoning_effort", "thinking"}, Model: "deepseek-chat", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		WithCalls: map[string]any{"reasoning_content": ""},
		Rules: []Rule{oldTokens, wantsReasoning(
			"The reasoning_content in the thinking mode must be passed back to the API.", "api-docs.deepseek.com/guides/thinking_mode; deepseek-ai/deepseek-harness#1850")},
	},
	{
		Name: "kimi", Fields: []string{"thinking"}, Model: "kimi-k2.5", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		IDs:       func(name string, n int) string { return fmt.Sprintf("functions.%s:%d", name, 100+n) }, // not those of others' calls
		WithCalls: map[string]any{"reasoning_content": ""},
		Rules: []Rule{
			oldTokens, wantsReasoning(
				"thinking is enabled but reasoning_content is missing in assistant tool call message", "continuedev/continue#11600"),
			{"form of ids", "moonshotai: the format functions.NAME:INDEX is what the model was trained on", eachCall(func(_ *ModelCall, call map[string]any) string {
				if !regexp.MustCompile(`^functions\.[A-Za-z_][A-Za-z0-9_-]*:\d+$`).MatchString(str(call["id"])) {
					return "tool call id " + str(call["id"]) + " is not of the form functions.NAME:INDEX"
				}
				return ""
			})},
		},
		Except: []string{"ids"},
	},
	{
		Name: "zai", Blind: "messages.content.type 参数非法，取值范围 ['text']", Model: "glm-4.7", Status: http.StatusBadRequest, Error: zaiError, Reasoning: "reasoning_content", UsageLast: true,
		Fields: []string{"thinking", "tool_stream"},
		Rules: []Rule{
			oldTokens,
			{"no tool_choice", "open.bigmodel.cn: 1210, only auto", noField("Invalid API parameter: %s", "tool_choice")},
			{"thinking stays", "docs.z.ai/guides/capabilities/thinking-mode: clear_thinking false, tool_stream true", func(c *ModelCall) string {
				if th := object(c.Body["thinking"]); th["type"] != "disabled" && th["clear_thinking"] != false || len(c.tools()) > 0 && c.Body["tool_stream"] != true {
					return "thinking is cleared between turns"
				}
				return ""
			}},
		},
	},
	{
		Name: "minimax", Blind: "this model does not support image input (2013)", Model: "MiniMax-M2", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "content",
		ThoughtsBack: true,
	},
	{Name: "dashscope", Blind: "The provided messages do not support image_url content", Fields: []string{"enable_thinking"}, Model: "qwen3-max", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content"},
	{
		Name: "groq", Blind: "messages[1].content must be a string", Fields: []string{"reasoning_effort"}, Model: "openai/gpt-oss-120b", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning", Keeps: true, Whole: true,
		Rules: []Rule{noReasoning("property '%s' is unsupported", "karthink/gptel#774; janhq/jan#8136", "reasoning_content", "reasoning", "name")},
	},
	{
		Name: "cerebras", Blind: "Content type 'image_url' is not supported by this model", Fields: []string{"reasoning_effort"}, Model: "gpt-oss-120b", Status: http.StatusBadRequest, Error: cerebrasError, Reasoning: "reasoning",
		Rules: []Rule{noReasoning("%s: property is not allowed", "proxysoul/Empryo#209; vercel/ai#15042", "reasoning_content")},
	},
	{Name: "xai", Fields: []string{"reasoning_effort"}, Model: "grok-4-fast", Status: http.StatusBadRequest, Error: xaiError, Reasoning: "reasoning_content", Whole: true},
	{
		Name: "openrouter", Documents: true, Cached: true, Fields: []string{"reasoning"}, Model: "anthropic/claude-sonnet-4.5", Status: http.StatusBadRequest, Error: openrouterError, Reasoning: "reasoning_details", Comments: true,
		Sealed: signatureWords,
		IDs:    func(name string, n int) string { return fmt.Sprintf("tool_%s_Xy%d", name, n) },
	},
	{Name: "vercel", Fields: []string{"reasoning"}, Model: "anthropic/claude-sonnet-4", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_details"},
	{Name: "together", Blind: "This model does not support images", Fields: []string{"reasoning"}, Model: "moonshotai/Kimi-K2-Thinking", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning", Rules: []Rule{oldTokens}},
	{Name: "fireworks", Blind: "This model does not support image inputs", Fields: []string{"reasoning_effort"}, Model: "accounts/fireworks/models/glm-4p6", Status: http.StatusBadRequest, Error: fireworksError, Reasoning: "reasoning_content"},
	{Name: "huggingface", Blind: "messages[1].content must be a string", Fields: []string{"reasoning_effort"}, Model: "moonshotai/Kimi-K2-Instruct-0905:groq", Status: http.StatusBadRequest, Error: openaiError, IDs: func(name string, n int) string { return fmt.Sprintf("functions.%s:%d", name, n-1) }},
	{
		Name: "ollama", Blind: "this model is missing data required for image input", Fields: []string{"reasoning_effort"}, Model: "qwen3:8b", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning", Whole: true,
		Rules: []Rule{oldTokens},
	},
	{Name: "lmstudio", Blind: "Model does not support images. Please use a model that does.", Fields: []string{"reasoning_effort"}, Model: "qwen3-8b", Status: http.StatusBadRequest, Error: textError, Reasoning: "content"},
	{
		Name: "llama.cpp", Blind: "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj", Fields: []string{"reasoning_effort", "return_progress"}, Model: "gpt-oss-20b", Owner: "llamacpp", Status: http.StatusInternalServerError, Error: llamaError, Reasoning: "reasoning_content", NotBoth: true,
		Rules: []Rule{
			{"not both", "ggml-org/llama.cpp#15780: gpt-oss's template", each(func(_ *ModelCall, _ int, m map[string]any) string {
				if len(toolCalls(m)) > 0 && str(m["content"]) != "" && str(m["reasoning_content"]) != "" {
					return "Cannot pass both content and thinking in an assistant message with tool calls!"
				}
				return ""
			})},
		},
	},
	{Name: "vllm", Blind: "Qwen/Qwen3-32B is not a multimodal model", Fields: []string{"reasoning_effort"}, Model: "Qwen/Qwen3-32B", Status: http.StatusBadRequest, Error: vllmError, Reasoning: "reasoning"},
	{Name: "litellm", Fields: []string{"reasoning_effort"}, Model: "gpt-4o", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content"},
}

// EndpointOf finds one by its name; nil where there is none.
func EndpointOf(name string) *Endpoint {
	i := slices.IndexFunc(Endpoints, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &Endpoints[i]
}

// All are the rules it has.
func (e *Endpoint) All() []Rule {
	var all []Rule
	for _, r := range Strict {
		if !slices.Contains(e.Except, r.Name) {
			all = append(all, r)
		}
	}
	return append(all, e.Rules...)
}

// Refuses says what of a request the endpoint refuses: the names of the rules and its words.
func (e *Endpoint) Refuses(body []byte) []string { return e.refuses(body, nil) }

func (e *Endpoint) refuses(body []byte, sent *memory) []string {
	return check(body, e, sent, e.All())
}
