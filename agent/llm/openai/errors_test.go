package openai

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// providerErrors are error responses of providers, from their documentation or users' reports, with the reason of
// each.
var providerErrors = []struct {
	provider string
	status   int
	body     string
	kind     llm.Kind
	reason   llm.Reason
}{
	// Invalid keys.
	{"openai", 401, `{"error":{"message":"Incorrect API key provided: sk-xx. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, llm.KindAuth, ""},
	{"anthropic", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, llm.KindAuth, ""},
	{"gemini", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, llm.KindAuth, ""},
	{"gemini", 403, `[{"error":{"code":403,"message":"Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.","status":"PERMISSION_DENIED"}}]`, llm.KindAuth, ""},
	{"mistral", 401, `{"detail":"Unauthorized"}`, llm.KindAuth, ""},
	{"xai", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai."}`, llm.KindAuth, ""},
	{"openrouter", 401, `{"error":{"message":"No auth credentials found","code":401}}`, llm.KindAuth, ""},
	{"cerebras", 401, `{"message":"Wrong API Key","type":"invalid_request_error","param":"api_key","code":"wrong_api_key"}`, llm.KindAuth, ""},
	{"deepseek", 401, `{"error":{"message":"Authentication Fails, Your api key: ****abcd is invalid","type":"authentication_error","param":null,"code":"invalid_request_error"}}`, llm.KindAuth, ""},
	// Valid keys without permission.
	{"openai", 403, `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}`, llm.KindAuth, llm.ReasonDenied},
	{"anthropic", 403, `{"type":"error","error":{"type":"forbidden","message":"Request not allowed"}}`, llm.KindAuth, llm.ReasonDenied},
	{"openrouter", 403, `{"error":{"message":"google/gemini requires moderation. Your input was flagged","code":403,"metadata":{"reasons":["violence"]}}}`, llm.KindInvalidRequest, llm.ReasonFiltered},
	// Unknown models.
	{"openai", 404, `{"error":{"message":"The model 'gpt-99' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"openai", 403, `{"error":{"message":"Project 'p' does not have access to model 'gpt-5'","type":"invalid_request_error","code":"model_not_found"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"anthropic", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"gemini", 404, `[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1main, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.","status":"NOT_FOUND"}}]`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"mistral", 400, `{"object":"error","message":"Invalid model: mistral-99","type":"invalid_model","param":null,"code":"1500"}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"deepseek", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"kimi", 404, `{"error":{"message":"Not found the model kimi-99 or Permission denied","type":"resource_not_found_error"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"zai", 400, `{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"groq", 404, `{"error":{"message":"The model 'x' does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"cerebras", 404, `{"message":"Model x does not exist or you do not have access to it.","type":"not_found_error","param":"model","code":"model_not_found"}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"xai", 404, `{"code":"Some requested entity was not found","error":"The model grok-99 does not exist or your team does not have access to it."}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"openrouter", 400, `{"error":{"message":"foo/bar is not a valid model ID","code":400},"user_id":"u"}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"openrouter", 404, `{"error":{"message":"No endpoints found for foo/bar.","code":404}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"together", 404, `{"error":{"message":"Unable to access model x. Please visit https://api.together.ai/models to view the list of supported models.","type":"invalid_request_error","param":null,"code":"model_not_available"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"fireworks", 404, `{"error":{"object":"error","type":"invalid_request_error","code":"NOT_FOUND","message":"Model not found, inaccessible, and/or not deployed"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"huggingface", 400, `{"error":{"message":"The requested model 'x' is not supported by any provider you have enabled.","type":"invalid_request_error","param":"model","code":"model_not_supported"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"ollama", 404, `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	{"vllm", 404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, llm.KindInvalidRequest, llm.ReasonModelNotFound},
	// Credit and quotas.
	{"openai", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"deepseek", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"kimi", 429, `{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"zai", 429, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"openrouter", 402, `{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"xai", 403, `{"code":"The caller does not have permission to execute the specified operation","error":"Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai."}`, llm.KindRateLimit, llm.ReasonQuota},
	{"xai", 429, `{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}`, llm.KindRateLimit, llm.ReasonQuota},
	{"dashscope", 400, `{"error":{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing.","type":"Arrearage"}}`, llm.KindRateLimit, llm.ReasonQuota},
	{"huggingface", 402, `{"error":"You have exceeded your monthly included credits for Inference Providers."}`, llm.KindRateLimit, llm.ReasonQuota},
	// Rate limits.
	{"openai", 429, `{"error":{"message":"Rate limit reached for gpt-5 in organization org on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, llm.KindRateLimit, ""},
	{"anthropic", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}`, llm.KindRateLimit, ""},
	{"mistral", 429, `{"message":"Requests rate limit exceeded"}`, llm.KindRateLimit, ""},
	{"groq", 429, `{"error":{"message":"Rate limit reached for model x on tokens per minute (TPM): Limit 6000. Please try again in 1.2s.","type":"tokens","code":"rate_limit_exceeded"}}`, llm.KindRateLimit, ""},
	// Overload.
	{"openai", 503, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error"}}`, llm.KindNetwork, llm.ReasonOverloaded},
	{"anthropic", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindNetwork, llm.ReasonOverloaded},
	{"gemini", 503, `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`, llm.KindNetwork, llm.ReasonOverloaded},
	{"kimi", 429, `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`, llm.KindRateLimit, llm.ReasonOverloaded},
	{"zai", 429, `{"error":{"code":"1305","message":"当前API请求过多，请稍后重试。"}}`, llm.KindRateLimit, llm.ReasonOverloaded},
	{"groq", 498, `{"error":{"message":"Flex tier capacity exceeded, please try again later","type":"capacity_exceeded"}}`, llm.KindNetwork, llm.ReasonOverloaded},
	{"mistral", 429, `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}`, llm.KindRateLimit, llm.ReasonOverloaded},
	// Server errors.
	{"openai", 500, `{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`, llm.KindNetwork, llm.ReasonServer},
	{"anthropic", 500, `{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`, llm.KindNetwork, llm.ReasonServer},
	{"gemini", 500, `[{"error":{"code":500,"message":"An internal error has occurred. Please retry.","status":"INTERNAL"}}]`, llm.KindNetwork, llm.ReasonServer},
	{"openrouter", 502, `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"upstream failed","provider_name":"X"}}}`, llm.KindNetwork, llm.ReasonServer},
	{"llama.cpp", 500, `{"error":{"code":500,"message":"Compute error.","type":"server_error"}}`, llm.KindNetwork, llm.ReasonServer},
	{"llama.cpp", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llm.KindNetwork, llm.ReasonOverloaded},
	// Context too long.
	{"openai", 400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"kimi", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"zai", 400, `{"error":{"code":"1261","message":"Prompt 超长"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"dashscope", 400, `{"error":{"code":"invalid_parameter_error","param":null,"message":"Range of input length should be [1, 98304]","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"groq", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"xai", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"together", 422, `{"error":{"message":"Input validation error: inputs tokens + max_new_tokens must be <= 8193. The input is longer than the model's context length","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"lmstudio", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	{"github", 413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, llm.KindInvalidRequest, llm.ReasonContextLength},
	// No tool support.
	{"ollama", 400, `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"openrouter", 404, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing","code":404}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"openai", 400, `{"error":{"message":"tools is not supported in this model. For a list of supported models, refer to https://platform.openai.com/docs/guides/function-calling#models-supporting-function-calling.","type":"invalid_request_error","param":null,"code":null}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"openai", 400, `{"error":{"message":"Unsupported parameter: 'tools' is not supported with this model.","type":"invalid_request_error","param":"tools","code":"unsupported_parameter"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"mistral", 400, `{"object":"error","message":"Function calling is not enabled for this model","type":"invalid_request_error","param":null,"code":null}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"gemini", 400, `[{"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}]`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"groq", 400, "{\"error\":{\"message\":\"`tool calling` is not supported with this model\",\"type\":\"invalid_request_error\"}}", llm.KindInvalidRequest, llm.ReasonNoTools},
	{"deepseek", 400, `{"error":{"message":"deepseek-reasoner does not support Function Calling","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"fireworks", 400, `{"error":{"object":"error","type":"invalid_request_error","message":"Function calling is not supported for this model"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"together", 400, `{"error":{"message":"x does not support tool use","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"vllm", 400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`, llm.KindInvalidRequest, llm.ReasonToolsOff},
	{"llama.cpp", 500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, llm.KindInvalidRequest, llm.ReasonToolsOff},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"tool_choice param requires --jinja flag","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonToolsOff},
	{"llama.cpp", 500, `{"error":{"code":500,"message":"Unsupported param: tools","type":"server_error"}}`, llm.KindInvalidRequest, llm.ReasonToolsOff},
	{"litellm", 400, `{"error":{"message":"litellm.UnsupportedParamsError: ollama does not support parameters: ['tools'], for model=x.","type":"None","param":null,"code":"400"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	{"litellm", 400, `{"error":{"message":"litellm.BadRequestError: BedrockException - {\"message\":\"This model doesn't support tool use.\"}","type":null,"param":null,"code":"400"}}`, llm.KindInvalidRequest, llm.ReasonNoTools},
	// No picture support; for other endpoints see llmtest.
	{"openrouter", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"mistral", 400, `{"object":"error","message":"Image input is not enabled for this model","type":"invalid_request_invalid_args","param":null,"code":null}`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"openai", 400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type","code":null}}`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"openai", 400, `{"error":{"message":"This model does not support file content types.","type":"invalid_request_error","param":"messages","code":"invalid_value"}}`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"vllm", 400, `{"object":"error","message":"At most 0 image(s) may be provided in one prompt.","type":"BadRequestError","param":null,"code":400}`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"vllm", 400, `{"object":"error","message":"At most 4 image(s) may be provided in one prompt.","type":"BadRequestError","param":null,"code":400}`, llm.KindInvalidRequest, llm.ReasonTooLarge},
	{"groq", 400, `{"error":{"message":"Too many images provided. This model supports up to 5 images","type":"invalid_request_error"}}`, llm.KindInvalidRequest, llm.ReasonTooLarge},
	{"gemini", 400, `[{"error":{"code":400,"message":"Image input modality is not enabled for models/gemma-3-1b-it","status":"INVALID_ARGUMENT"}}]`, llm.KindInvalidRequest, llm.ReasonNoSight},
	{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes"}}`, llm.KindInvalidRequest, ""},
	// Invalid requests whose message mentions tools or models.
	{"openai", 400, `{"error":{"message":"Invalid schema for function 'get_active_note': In context=(), object schema missing properties.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`, llm.KindInvalidRequest, ""},
	{"openai", 400, `{"error":{"message":"Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`, llm.KindInvalidRequest, ""},
	{"openai", 400, `{"error":{"message":"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.","type":"invalid_request_error","param":"parallel_tool_calls","code":"unsupported_parameter"}}`, llm.KindInvalidRequest, ""},
	{"openai", 400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, llm.KindInvalidRequest, ""},
	{"openai", 400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, llm.KindInvalidRequest, ""},
	{"anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools: Tool names must be unique."}}`, llm.KindInvalidRequest, ""},
	{"gemini", 400, `[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","status":"INVALID_ARGUMENT"}}]`, llm.KindInvalidRequest, ""},
	{"mistral", 422, `{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted","input":false}]}`, llm.KindInvalidRequest, ""},
	{"mistral", 400, `{"object":"error","message":"Not the same number of function calls and responses","type":"invalid_request_message_order","param":null,"code":"3230"}`, llm.KindInvalidRequest, ""},
	{"zai", 400, `{"error":{"code":"1214","message":"messages 参数非法。请检查文档。"}}`, llm.KindInvalidRequest, ""},
	{"groq", 400, `{"error":{"message":"property 'reasoning_content' is unsupported","type":"invalid_request_error"}}`, llm.KindInvalidRequest, ""},
	{"groq", 400, `{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"x"}}`, llm.KindInvalidRequest, llm.ReasonBadCall},
	{"vllm", 400, `{"object":"error","message":"System message must be at the beginning.","type":"BadRequestError","param":null,"code":400}`, llm.KindInvalidRequest, ""},
}

// TestProviderErrors: each provider's error gets the right reason, in a real call.
func TestProviderErrors(t *testing.T) {
	t.Parallel()
	for i, c := range providerErrors {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		p, err := New(endpoint.Options{Name: c.provider, BaseURL: srv.URL, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		_, e := collect(t.Context(), t, p, question())
		if e == nil || e.Kind != c.kind || e.Reason != c.reason || e.Status != c.status {
			t.Errorf("row %d, %s, HTTP %d %.90s: %+v", i, c.provider, c.status, c.body, e)
		} else if text := llm.UserText(e); strings.Contains(text, "internet") {
			t.Errorf("row %d, %s: %q", i, c.provider, text)
		}
		srv.Close()
	}
}

// TestInvalidRequestByEndpoint: a request with an invalid form is reported as such with the endpoint's message,
// whatever its format.
func TestInvalidRequestByEndpoint(t *testing.T) {
	t.Parallel()
	const words = "messages[3]: no such role"
	for _, played := range llmtest.Endpoints {
		e := endpoint.Classify(played.Status, nil, []byte(played.Error(words)), time.Now())
		if text := llm.UserText(e); e.Retryable() || !strings.HasPrefix(text, "The provider refused the request.\n") || !strings.Contains(text, words) {
			t.Errorf("%s: %q (%+v)", played.Name, text, e)
		}
	}
}

// TestKeyInTruncatedMessage: a key at the place where an endpoint's message is truncated is removed entirely.
func TestKeyInTruncatedMessage(t *testing.T) {
	for before := 470; before < 505; before++ {
		srv := llmtest.New(t, llmtest.Fail(400, strings.Repeat("x", before)+" "+testKey+" is bad"))
		_, e := collect(t.Context(), t, newProvider(t, srv), question())
		if e == nil || strings.Contains(e.Message, testKey[:8]) {
			t.Errorf("after %d: %v", before, e)
		}
	}
}
