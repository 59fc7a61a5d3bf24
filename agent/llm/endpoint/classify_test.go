package endpoint

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/agent/llm"
)

func TestClassifyHTTP(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status  int
		header  string // NAME: VALUE
		body    string
		kind    llm.Kind
		reason  llm.Reason
		retry   bool
		after   time.Duration
		message string // a part of it
	}{
		// Errors for a history longer than the model's window.
		"OpenAI context":    {400, "", `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "128000"},
		"Anthropic context": {400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "210000"},
		"llama.cpp context": {400, "", `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"exceed_context_size_error","n_ctx":4096}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "(n_ctx 4096)"},
		"OpenAI input":      {400, "", `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. Please reduce the length of the messages."}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "272000"},
		"xAI context":       {400, "", `{"code":"invalid-argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "131072"},
		"llama.cpp 500":     {500, "", `{"error":{"code":500,"message":"context size exceeded","type":"server_error"}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, ""},
		"vLLM context":      {400, "", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","code":400}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "4096"},
		"Ollama context":    {400, "", `{"error":"input length exceeds maximum context length"}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, ""},
		"Gemini context":    {400, "", `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "1048576"},
		"Mistral context":   {400, "", `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","code":"3051"}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, "40000"},
		"Groq context":      {400, "", `{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, ""},
		"413 context":       {413, "", `{"error":{"message":"prompt is too long"}}`, llm.KindInvalidRequest, llm.ReasonContextLength, false, 0, ""},
		"413":               {413, "", `nginx`, llm.KindInvalidRequest, llm.ReasonTooLarge, false, 0, "nginx"},

		"401":        {401, "", `{"error":{"message":"Incorrect API key provided"}}`, llm.KindAuth, llm.ReasonNone, false, 0, "Incorrect"},
		"401 empty":  {401, "", ``, llm.KindAuth, llm.ReasonNone, false, 0, "HTTP 401 Unauthorized"},
		"Gemini key": {400, "", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.KindAuth, llm.ReasonNone, false, 0, "not valid"},
		"403":        {403, "", `{"error":{"message":"Country not supported"}}`, llm.KindAuth, llm.ReasonDenied, false, 0, "Country"},

		"OpenAI quota":     {429, "", `{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, llm.KindRateLimit, llm.ReasonQuota, false, 0, "quota"},
		"Gemini rate":      {429, "", `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"RetryInfo","retryDelay":"37s"}]}}]`, llm.KindRateLimit, llm.ReasonNone, true, 37 * time.Second, "quota"},
		"Anthropic credit": {400, "", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, llm.KindRateLimit, llm.ReasonQuota, false, 0, "credit"},
		"DeepSeek balance": {402, "", `{"error":{"message":"Insufficient Balance"}}`, llm.KindRateLimit, llm.ReasonQuota, false, 0, "Balance"},
		"429":              {429, "", `{"error":"slow down"}`, llm.KindRateLimit, llm.ReasonNone, true, 0, "slow down"},
		"429 seconds":      {429, "Retry-After: 7", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 7 * time.Second, "HTTP 429"},
		"429 fraction":     {429, "Retry-After: 0.5", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 500 * time.Millisecond, ""},
		"429 milliseconds": {429, "Retry-After-Ms: 1500", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 1500 * time.Millisecond, ""},
		"429 date":         {429, "Retry-After: Sat, 21 Nov 2026 12:00:20 GMT", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 20 * time.Second, ""},
		"429 date gone":    {429, "Retry-After: Sat, 21 Nov 2026 11:00:20 GMT", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 0, ""},
		"429 an hour":      {429, "Retry-After: 3600", `{}`, llm.KindRateLimit, llm.ReasonNone, false, time.Hour, ""},
		"429 nonsense":     {429, "Retry-After: NaN", `{}`, llm.KindRateLimit, llm.ReasonNone, true, 0, ""},
		"503 seconds":      {503, "Retry-After: 2", `{}`, llm.KindNetwork, llm.ReasonOverloaded, true, 2 * time.Second, "HTTP 503"},

		"Ollama model":        {404, "", `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound, false, 0, "llama9"},
		"OpenAI model":        {404, "", `{"error":{"message":"The model gpt-99 does not exist or you do not have access to it.","code":"model_not_found"}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound, false, 0, "gpt-99"},
		"OpenRouter model":    {400, "", `{"error":{"message":"foo/bar is not a valid model ID","code":400}}`, llm.KindInvalidRequest, llm.ReasonModelNotFound, false, 0, "foo/bar"},
		"404 page":            {404, "Content-Type: text/html; charset=utf-8", `<html><title>Nothing here</title></html>`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "HTTP 404 Not Found with text/html: no model answers at this address (Nothing here)"},
		"404 of a router":     {404, "Content-Type: text/plain", `404 page not found`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "with text/plain"},
		"404 JSON":            {404, "Content-Type: application/json", `{"detail":"Not Found"}`, llm.KindInvalidRequest, llm.ReasonNone, false, 0, "Not Found"},
		"400 page":            {400, "Content-Type: text/html", `<title>Plain HTTP to an HTTPS port</title>`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "HTTP 400 Bad Request with text/html"},
		"400 text":            {400, "Content-Type: text/plain", `Failed to read the body`, llm.KindInvalidRequest, llm.ReasonNone, false, 0, "Failed to read"},
		"401 page":            {401, "Content-Type: text/html", `<title>Log in</title>`, llm.KindAuth, llm.ReasonNone, false, 0, "Log in"},
		"403 page":            {403, "Content-Type: text/html", `<title>Just a moment</title>`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "(Just a moment)"},
		"403 page, unnamed":   {403, "", `<html>no`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "with no content type"},
		"413 page":            {413, "Content-Type: text/html", `<title>413</title>`, llm.KindInvalidRequest, llm.ReasonTooLarge, false, 0, "413"},
		"429 page":            {429, "Content-Type: text/html", `<title>Slow</title>`, llm.KindRateLimit, llm.ReasonNone, true, 0, "Slow"},
		"500 page":            {500, "Content-Type: text/html", `<title>Oops</title>`, llm.KindNetwork, llm.ReasonServer, true, 0, "Oops"},
		"501 page":            {501, "Content-Type: text/html;charset=utf-8", `<!DOCTYPE HTML><title>Error response</title>`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "HTTP 501 Not Implemented with text/html: no model answers at this address (Error response)"},
		"501 JSON":            {501, "Content-Type: application/json", `{"error":"no chat here"}`, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "no chat here"},
		"502 page":            {502, "Content-Type: text/html", `<title>502 Bad Gateway</title>`, llm.KindNetwork, llm.ReasonServer, true, 0, "502 Bad Gateway"},
		"503 page":            {503, "Content-Type: text/html", `<title>Back soon</title>`, llm.KindNetwork, llm.ReasonOverloaded, true, 0, "Back soon"},
		"504 page":            {504, "Content-Type: text/html", `<title>Late</title>`, llm.KindNetwork, llm.ReasonSilent, true, 0, "Late"},
		"405":                 {405, "", ``, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "HTTP 405"},
		"407":                 {407, "", `<html>proxy</html>`, llm.KindNetwork, llm.ReasonProxy, false, 0, "proxy"},
		"304":                 {304, "", ``, llm.KindNetwork, llm.ReasonNotAnAPI, false, 0, "304"},
		"422":                 {422, "", `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, llm.KindInvalidRequest, llm.ReasonNone, false, 0, "field required"},
		"409":                 {409, "", `{}`, llm.KindNetwork, llm.ReasonServer, true, 0, ""},
		"425":                 {425, "", `{}`, llm.KindNetwork, llm.ReasonServer, true, 0, ""},
		"500":                 {500, "", `{"error":{"message":["one","two"]}}`, llm.KindNetwork, llm.ReasonServer, true, 0, "one"},
		"529":                 {529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindNetwork, llm.ReasonOverloaded, true, 0, "Overloaded"},
		"OpenRouter upstream": {502, "", `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":"{\"error\":{\"message\":\"deep reason\"}}","provider_name":"X"}}}`, llm.KindNetwork, llm.ReasonServer, true, 0, "Provider returned error: deep reason"},
	} {
		h := http.Header{}
		if n, v, ok := strings.Cut(c.header, ": "); ok {
			h.Set(n, v)
		}
		e := Classify(c.status, h, []byte(c.body), now)
		if e.Kind != c.kind || e.Reason != c.reason || e.Retryable() != c.retry || e.RetryAfter != c.after || !strings.Contains(e.Message, c.message) || e.Status != c.status {
			t.Errorf("%s: kind %q, reason %q, retry %v after %v, status %d, %q", name, e.Kind, e.Reason, e.Retryable(), e.RetryAfter, e.Status, e.Message)
		}
	}
}

func TestClassifyInStream(t *testing.T) {
	for in, want := range map[string]struct {
		kind   llm.Kind
		reason llm.Reason
		retry  bool
	}{
		`{"error":{"message":"m"}}`:                                                    {llm.KindNetwork, llm.ReasonServer, true},
		`{"error":{"message":"m","code":429}}`:                                         {llm.KindRateLimit, "", true},
		`{"error":{"message":"m","code":"503"}}`:                                       {llm.KindNetwork, llm.ReasonOverloaded, true},
		`{"error":{"message":"Overloaded","type":"overloaded_error"}}`:                 {llm.KindNetwork, llm.ReasonOverloaded, true},
		`{"error":{"message":"m","type":"rate_limit_exceeded"}}`:                       {llm.KindRateLimit, "", true},
		`{"error":{"message":"request timeout","type":"timeout"}}`:                     {llm.KindNetwork, llm.ReasonServer, true},
		`{"error":{"message":"m","code":401}}`:                                         {llm.KindAuth, "", false},
		`{"error":{"message":"m","code":"insufficient_quota"}}`:                        {llm.KindRateLimit, llm.ReasonQuota, false},
		`{"error":{"message":"m","type":"invalid_request_error"}}`:                     {llm.KindInvalidRequest, "", false},
		`{"error":{"message":"m","code":"context_length_exceeded"}}`:                   {llm.KindInvalidRequest, llm.ReasonContextLength, false},
		`{"error":{"message":"blocked","code":"content_filter"}}`:                      {llm.KindInvalidRequest, llm.ReasonFiltered, false},
		`{"type":"error","error":{"type":"authentication_error","message":"bad key"}}`: {llm.KindAuth, "", false},
	} {
		e := llm.AsError(errorIn([]byte(in)))
		if e == nil || e.Kind != want.kind || e.Reason != want.reason || e.Retryable() != want.retry {
			t.Errorf("%s: %+v", in, e)
		}
	}
	for _, in := range []string{`{"choices":[]}`, `{"error":null}`, `{"error":"","choices":[]}`, `{"error":{},"choices":[]}`, `{"choices":[{"delta":{"content":"\"error\""}}],"message":"x"}`, `text`, `{`, `[]`, ``} {
		if err := errorIn([]byte(in)); err != nil {
			t.Errorf("%s is reported as an error: %v", in, err)
		}
	}
}

func TestClassifyNetwork(t *testing.T) {
	wrap := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://host/v1/chat/completions", Err: err}
	}
	for name, c := range map[string]struct {
		err     error
		reason  llm.Reason
		retry   bool
		message string
	}{
		"certificate": {wrap(x509.UnknownAuthorityError{}), llm.ReasonCertificate, false, "certificate of host"},
		"hostname":    {wrap(fmt.Errorf("tls: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "host"})), llm.ReasonCertificate, false, "host"},
		"scheme":      {wrap(http.ErrSchemeMismatch), llm.ReasonCertificate, false, "does not speak TLS"},
		"no proxy":    {wrap(&net.OpError{Op: "proxyconnect", Net: "tcp", Err: &net.DNSError{Name: "proxy.invalid", Err: "no such host"}}), llm.ReasonProxy, true, "the proxy cannot be reached: lookup proxy.invalid"},
		"proxy":       {wrap(errors.New("Proxy Authentication Required")), llm.ReasonProxy, false, "407"},
		"dns":         {wrap(&net.OpError{Op: "dial", Err: &net.DNSError{Name: "host", Err: "no such host"}}), "", true, "host could not be resolved"},
		"refused":     {wrap(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), llm.ReasonUnreachable, true, "nothing answers at host"},
		"reset":       {wrap(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), llm.ReasonBroken, true, "cut the connection"},
		"other":       {wrap(errors.New("net/http: TLS handshake timeout")), "", true, "TLS handshake timeout"},
	} {
		e := classifyNetwork(c.err, "host")
		if e.Kind != llm.KindNetwork || e.Reason != c.reason || e.Retryable() != c.retry || !strings.Contains(e.Message, c.message) || strings.Contains(e.Message, "Post") {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestClassifyWords covers reported messages of errors that the status does not distinguish.
func TestClassifyWords(t *testing.T) {
	for message, want := range map[string]llm.Reason{
		// anthropics/anthropic-sdk-python#1598, openai/codex#8145, Wei-Shaw/sub2api#3138,
		// openai/openai-agents-python#2063
		"messages.27.content.0: Invalid `signature` in `thinking` block":                                                      llm.ReasonSealed,
		"messages.3.content.13: Invalid signature in thinking block":                                                          llm.ReasonSealed,
		"messages.1.content.0: Invalid `data` in `redacted_thinking` block":                                                   llm.ReasonSealed,
		"messages.1.content.0.thinking.signature: Field required":                                                             llm.ReasonSealed,
		"`thinking` blocks in the latest assistant message cannot be modified.":                                               llm.ReasonSealed,
		"The encrypted content gAAA...DQ== could not be verified.":                                                            llm.ReasonSealed,
		"The encrypted content for item rs_0f26 could not be verified.":                                                       llm.ReasonSealed,
		"The encrypted content ab could not be verified. Reason: Encrypted content could not be decrypted or parsed.":         llm.ReasonSealed,
		"Item 'rs_682f' of type 'reasoning' was provided without its required following item.":                                llm.ReasonSealed,
		"Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.":                     llm.ReasonSealed,
		"Item with id 'rs_682f' not found. Items are not persisted when `store` is set to false.":                             llm.ReasonSealed,
		"Unable to submit request because Thought signature is not valid.. Learn more: https://cloud.google.com/vertex-ai/ge": llm.ReasonSealed,
		"Corrupted thought signature.":                                                                     llm.ReasonSealed,
		"Invalid thought signature.":                                                                       llm.ReasonSealed,
		"Function call is missing a thought_signature in functionCall parts.":                              llm.ReasonSealed,
		"Failed to call a function. Please adjust your prompt.":                                            llm.ReasonBadCall,
		"tool call validation failed: attempted to call tool 'x' which was not in request.tools":           llm.ReasonBadCall,
		"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.": llm.ReasonFiltered,
		"Invalid prompt: your prompt was flagged as potentially violating our usage policy.":               llm.ReasonFiltered,
		"Content Exists Risk": llm.ReasonFiltered,
		"The request was rejected because it was considered high risk":                              llm.ReasonFiltered,
		"The reasoning_content in the thinking mode must be passed back to the API.":                "",
		"Unsupported parameter: 'reasoning_effort'":                                                 "",
		"Encrypted content is not supported with this model.":                                       "",
		"thinking is enabled but reasoning_content is missing in assistant tool call message":       "",
		"max_tokens must be greater than thinking.budget_tokens":                                    "",
		"Request contains an invalid signature in header X-Signature":                               "",
		"Invalid value: 'input_thinking'. Supported values are: 'input_text' and 'reasoning' items": "",
	} {
		body, err := json.Marshal(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*llm.Error{Classify(http.StatusBadRequest, nil, body, time.Now()), llm.AsError(errorIn(body))} {
			if e.Kind != llm.KindInvalidRequest || e.Reason != want || e.Retryable() {
				t.Errorf("%s (HTTP %d): %q %q", message, e.Status, e.Kind, e.Reason)
			}
		}
	}
}
