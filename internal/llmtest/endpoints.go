package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// Endpoint is a provider that a Server imitates over chat completions: the requests that it refuses, its error
// messages and the format of its answers.
type Endpoint struct {
	Name  string // provider name in the configuration
	Model string // one of its models
	Owner string // owned_by in the list of models; empty means "llmtest"

	Status int                         // HTTP status of a refusal
	Error  func(message string) string // returns the body of a refusal

	Except []string // names of the Strict rules that it contradicts
	Rules  []Rule   // rules in addition to the Strict ones
	Fields []string // request fields that it accepts in addition to the common ones
	// WithCalls and WithCall are the fields that it expects on assistant messages with tool calls and on the
	// calls, even if another provider made those calls.
	WithCalls, WithCall map[string]any

	// Reasoning is the response field for reasoning: "reasoning_content", "reasoning", "reasoning_details", or
	// "content", where it is enclosed in <think> and </think>. Empty means that reasoning is not sent.
	Reasoning string
	// Blind is the error message for images and files. Empty means that the model accepts images.
	Blind     string
	Documents bool // whether file parts are accepted
	Cached    bool // whether text parts may have cache_control
	Keeps     bool // whether reasoning must not be sent back
	// Sealed is the error message for reasoning that it can no longer verify. Empty means that it does not sign
	// reasoning.
	Sealed string
	// ThoughtsBack requires reasoning in the content to be sent back there. NotBoth forbids reasoning in
	// messages with text and tool calls.
	ThoughtsBack, NotBoth bool

	IDs       func(name string, nth int) string // returns the id of the nth call; nil means call_1, call_2 …
	Signs     func(nth int) map[string]any      // returns extra fields for the first call of a response; nil means none
	Whole     bool                              // each call is sent in one chunk
	NoIndex   bool                              // calls have no index
	Stops     bool                              // the finish reason is "stop" even after calls
	UsageLast bool                              // the usage is in the chunk with the finish reason
	Azure     bool                              // the first chunk has no choices
	Comments  bool                              // an SSE comment precedes each chunk
}

// jsonError returns a function that formats an error body. form contains %s for the message as a JSON string.
func jsonError(form string) func(message string) string {
	return func(message string) string { return fmt.Sprintf(form, document(message)) }
}

// Error bodies by provider.
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

var noMaxCompletionTokens = Rule{"max_tokens", "crush's and pi's providers; Mistral: extra_forbidden", noField("Extra inputs are not permitted, field: %s", "max_completion_tokens")}

var noMaxTokens = Rule{"max_completion_tokens", "openai-openapi: max_tokens is refused by o-series models", func(c *ModelCall) string {
	if _, has := c.Body["max_tokens"]; has && regexp.MustCompile(`^(o[134]|gpt-[56])`).MatchString(c.model()) {
		return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
	}
	return ""
}}

// nonReasoningModel matches OpenAI's models without reasoning.
var nonReasoningModel = regexp.MustCompile(`^(gpt-[34]|chatgpt-)`)

var effort = Rule{"reasoning_effort", "BerriAI/litellm#34569; gpt-5.6 and 6 with tools want none, 5.4 and 5.5 no effort with tools", func(c *ModelCall) string {
	wants := regexp.MustCompile(`^gpt-(5\.6|6)`).MatchString(c.model()) && len(c.tools()) > 0
	switch v, has := c.Body["reasoning_effort"]; {
	case wants && v != "none":
		return "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead."
	case regexp.MustCompile(`^gpt-5\.[45]`).MatchString(c.model()) && has && len(c.tools()) > 0:
		return "Unsupported parameter: 'reasoning_effort'"
	case has && nonReasoningModel.MatchString(c.model()):
		return "Unrecognized request argument supplied: reasoning_effort"
	case has:
		return checkEffort(c.model(), str(v))
	}
	return ""
}}

// requireReasoning returns a rule that refuses messages with tool calls but without reasoning_content, even if another
// provider made the calls.
func requireReasoning(message, source string) Rule {
	return Rule{"reasoning with calls", source, each(func(_ *ModelCall, _ int, m map[string]any) string {
		if _, has := m["reasoning_content"].(string); len(toolCalls(m)) > 0 && !has {
			return message
		}
		return ""
	})}
}

// refuseReasoning returns a rule that refuses the named message fields. message contains %s for the name.
func refuseReasoning(message, source string, names ...string) Rule {
	return Rule{"no reasoning", source, noMessageField(message, names...)}
}

// Endpoints lists the known providers. The first stands for all others.
var Endpoints = []Endpoint{
	{
		Name: "unknown", Model: "test-model", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		Fields: []string{"reasoning_effort"}, Rules: []Rule{noMaxTokens, effort},
	},
	{
		Name: "openai", Documents: true, Model: "gpt-5.6", Status: http.StatusBadRequest, Error: openaiError,
		Fields: []string{"reasoning_effort", "prompt_cache_key"}, Rules: []Rule{noMaxTokens, effort, strictAnswers},
	},
	{
		Name: "azure", Model: "gpt-5-mini", Status: http.StatusBadRequest, Error: openaiError, Azure: true,
		Fields: []string{"reasoning_effort"}, Rules: []Rule{noMaxTokens, effort, strictAnswers},
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
			noMaxCompletionTokens,
			{"nine letters", "nearai/ironclaw#1241", eachCall(func(_ *ModelCall, call map[string]any) string {
				if !nineAlphanumeric.MatchString(str(call["id"])) {
					return fmt.Sprintf("Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", str(call["id"]))
				}
				return ""
			})},
			refuseReasoning("Extra inputs are not permitted: %s", "charmbracelet/crush#1590: 422 extra_forbidden", "reasoning_content", "reasoning", "reasoning_details"),
		},
	},
	{
		Name: "deepseek", Blind: "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 5", Fields: []string{"reasoning_effort", "thinking"}, Model: "deepseek-chat", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		WithCalls: map[string]any{"reasoning_content": ""},
		Rules: []Rule{noMaxCompletionTokens, requireReasoning(
			"The reasoning_content in the thinking mode must be passed back to the API.", "api-docs.deepseek.com/guides/thinking_mode; deepseek-ai/deepseek-harness#1850")},
	},
	{
		Name: "kimi", Fields: []string{"thinking"}, Model: "kimi-k2.5", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_content",
		IDs:       func(name string, n int) string { return fmt.Sprintf("functions.%s:%d", name, 100+n) }, // 100: differs from the ids of calls made elsewhere
		WithCalls: map[string]any{"reasoning_content": ""},
		Rules: []Rule{
			noMaxCompletionTokens, requireReasoning(
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
			noMaxCompletionTokens,
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
		Rules: []Rule{refuseReasoning("property '%s' is unsupported", "karthink/gptel#774; janhq/jan#8136", "reasoning_content", "reasoning", "name")},
	},
	{
		Name: "cerebras", Blind: "Content type 'image_url' is not supported by this model", Fields: []string{"reasoning_effort"}, Model: "gpt-oss-120b", Status: http.StatusBadRequest, Error: cerebrasError, Reasoning: "reasoning",
		Rules: []Rule{refuseReasoning("%s: property is not allowed", "proxysoul/Empryo#209; vercel/ai#15042", "reasoning_content")},
	},
	{Name: "xai", Fields: []string{"reasoning_effort"}, Model: "grok-4-fast", Status: http.StatusBadRequest, Error: xaiError, Reasoning: "reasoning_content", Whole: true},
	{
		Name: "openrouter", Documents: true, Cached: true, Fields: []string{"reasoning"}, Model: "anthropic/claude-sonnet-4.5", Status: http.StatusBadRequest, Error: openrouterError, Reasoning: "reasoning_details", Comments: true,
		Sealed: signatureError,
		IDs:    func(name string, n int) string { return fmt.Sprintf("tool_%s_Xy%d", name, n) },
	},
	{Name: "vercel", Fields: []string{"reasoning"}, Model: "anthropic/claude-sonnet-4", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning_details"},
	{Name: "together", Blind: "This model does not support images", Fields: []string{"reasoning"}, Model: "moonshotai/Kimi-K2-Thinking", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning", Rules: []Rule{noMaxCompletionTokens}},
	{Name: "fireworks", Blind: "This model does not support image inputs", Fields: []string{"reasoning_effort"}, Model: "accounts/fireworks/models/glm-4p6", Status: http.StatusBadRequest, Error: fireworksError, Reasoning: "reasoning_content"},
	{Name: "huggingface", Blind: "messages[1].content must be a string", Fields: []string{"reasoning_effort"}, Model: "moonshotai/Kimi-K2-Instruct-0905:groq", Status: http.StatusBadRequest, Error: openaiError, IDs: func(name string, n int) string { return fmt.Sprintf("functions.%s:%d", name, n-1) }},
	{
		Name: "ollama", Blind: "this model is missing data required for image input", Fields: []string{"reasoning_effort"}, Model: "qwen3:8b", Status: http.StatusBadRequest, Error: openaiError, Reasoning: "reasoning", Whole: true,
		Rules: []Rule{noMaxCompletionTokens},
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

// EndpointOf returns the endpoint with a name, or nil if there is none.
func EndpointOf(name string) *Endpoint {
	i := slices.IndexFunc(Endpoints, func(e Endpoint) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &Endpoints[i]
}

// All returns the rules that the endpoint enforces: the Strict ones without Except, then its own.
func (e *Endpoint) All() []Rule {
	var all []Rule
	for _, r := range Strict {
		if !slices.Contains(e.Except, r.Name) {
			all = append(all, r)
		}
	}
	return append(all, e.Rules...)
}

// Refuses returns "NAME: message" for each rule that the body of a request breaks.
func (e *Endpoint) Refuses(body []byte) []string { return e.refuses(body, nil) }

func (e *Endpoint) refuses(body []byte, sent *memory) []string {
	return check(body, e, sent, e.All())
}
