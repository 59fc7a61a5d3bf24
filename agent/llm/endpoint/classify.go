package endpoint

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/loopback"
)

// failure is the classification of a failed call.
type failure struct {
	kind   llm.Kind
	reason llm.Reason
	final  bool
}

var (
	noQuota    = failure{llm.KindRateLimit, llm.ReasonQuota, true}
	notAnAPI   = failure{llm.KindNetwork, llm.ReasonNotAnAPI, true}
	proxyLogin = failure{llm.KindNetwork, llm.ReasonProxy, true}
	overloaded = failure{llm.KindNetwork, llm.ReasonOverloaded, false}
	fault      = failure{llm.KindNetwork, llm.ReasonServer, false}
	silent     = failure{llm.KindNetwork, llm.ReasonSilent, false}
	tooLarge   = failure{llm.KindInvalidRequest, llm.ReasonTooLarge, false}
)

func unable(reason llm.Reason) failure { return failure{llm.KindInvalidRequest, reason, false} }

// byStatus classifies statuses whose text matches none of byWords. The unnamed numbers are Groq's and Anthropic's.
var byStatus = map[int]failure{
	0:                                fault, // in the stream, after the request was accepted
	http.StatusUnauthorized:          {kind: llm.KindAuth},
	http.StatusPaymentRequired:       noQuota,
	http.StatusForbidden:             {kind: llm.KindAuth},
	http.StatusMethodNotAllowed:      notAnAPI, // what web servers answer to a POST
	http.StatusProxyAuthRequired:     proxyLogin,
	http.StatusRequestTimeout:        silent,
	http.StatusConflict:              fault,
	http.StatusRequestEntityTooLarge: tooLarge,
	http.StatusTooEarly:              fault,
	http.StatusTooManyRequests:       {kind: llm.KindRateLimit},
	498:                              overloaded,
	http.StatusNotImplemented:        notAnAPI,
	http.StatusServiceUnavailable:    overloaded,
	http.StatusGatewayTimeout:        silent,
	529:                              overloaded,
}

// Statuses for which the words count: no status or a bad request, and no status only.
var (
	vague   = []int{0, http.StatusBadRequest}
	unnamed = []int{0}
)

// byWords classifies errors by their text, with the statuses for which it counts; nil means all but 401 and 429. The
// first match counts. The text is the error codes on one line and the message below.
var byWords = []struct {
	statuses []int
	words    func() *regexp.Regexp
	is       failure
}{
	{append([]int{http.StatusForbidden, http.StatusTooManyRequests}, vague...), lazyregexp.New(`(?i)insufficient[ _]?(quota|credits?|balance|funds)|exceeded your current quota|billing_(not_active|hard_limit)|credit balance|billing hard limit|(requires|out of|no|not enough) (more )?credits?\b|payment required|spend(ing)? limit|quota exceeded|usage limit|check your plan and billing|(n't|not) have any credits|arrearage|in good standing|^.*\b1113\b`), noQuota}, // 1113: Z.ai
	// The form of the answer is refused: OpenAI, Anthropic, DeepSeek, Groq, Ollama, llama.cpp.
	{nil, lazyregexp.New(`(?i)response[_ ]?(format|mime)|json_schema|output_config\.format|text\.format|structured outputs?|failed to (parse|compile) (grammar|schema)|json_validate_failed`), unable(llm.ReasonNone)},
	// OpenAI and vLLM, Anthropic, llama.cpp, Ollama, Gemini, Mistral, Groq, LM Studio, xAI, Z.ai.
	{nil, lazyregexp.New(`(?i)context_length_exceeded|exceed_context_size|maximum (context|prompt) length|max(imum)? model length|context (length|window|size|limit)|prompt is too long|(input|prompt|request|conversation|messages?) (is|are) too long|exceeds? the maximum (number of tokens|allowed (input )?length)|exceeds? (the )?available context|too many (input )?tokens|input length and .?max_tokens|reduce (the length|your prompt)|longer than the model|greater than the context|max_model_len|num_ctx|n_ctx|exceeded model token limit|range of input length|tokens_limit_reached|^.*\b(1261|3051)\b`), unable(llm.ReasonContextLength)},
	{vague, lazyregexp.New(`(?i)api[ _-]?key (not valid|is invalid|expired|is missing)|(invalid|incorrect|expired|missing|no) (api|x-api)[ _-]?key|invalid_api_key|API_KEY_INVALID|authentication_error|invalid_authentication|unauthenticated`), failure{kind: llm.KindAuth}},
	// The server was started without tool calls: llama.cpp, vLLM, SGLang, llama.cpp before 2025.
	{nil, lazyregexp.New(`(?i)requires? --jinja|--enable-auto-tool-choice|--tool-call-parser|unsupported param: .?tools`), unable(llm.ReasonToolsOff)},
	// The model cannot use tools: Ollama, OpenRouter, OpenAI, Mistral, Gemini, Groq, Fireworks, vLLM, llama.cpp,
	// LiteLLM.
	{nil, lazyregexp.New(`(?i)(\b(not|cannot|no longer)|n['’]t)( currently)? support(s|ed)?( the)?( use of)?( parameters?:? \[?)?[ '"\x60]{0,2}(tools?|functions?)\b|(support|supporting) (for )?(tools?|functions?)([ -](use|call(s|ing)?))? (is|are) not|\bno endpoints found that support tool|\b(tools?|functions?)([ -](use|call(s|ing)?))?['"\x60]?( is| are) (not (enabled|supported|available|allowed|implemented)|unsupported|disabled)`), unable(llm.ReasonNoTools)},
	// Signed or encrypted reasoning is refused: Anthropic, OpenAI, Azure, Gemini, gateways to them.
	{nil, lazyregexp.New(`(?i)thought.?signature|signature.{0,12}\bin .?(redacted_)?thinking|thinking\.signature|redacted_thinking|thinking.? blocks.{0,90}(modified|invalid)|invalid_encrypted_content|encrypted[ _]content.{0,300}not be (verified|decrypted|parsed)|of type .reasoning. was provided without|required .reasoning. item|\bitem.{0,12}\brs_\w+.{0,3} not found`), unable(llm.ReasonSealed)},
	// Groq cannot parse a tool call of its model.
	{nil, lazyregexp.New(`(?i)tool_use_failed|output_parse_failed|failed to call a function|tool call validation failed`), unable(llm.ReasonBadCall)},
	// The content of the request is refused: OpenAI, Azure, OpenRouter, DeepSeek, Moonshot, DashScope, Z.ai.
	{nil, lazyregexp.New(`(?i)content[ _-]?(filter|policy)|content management policy|responsibleaipolicy|moderation|\bflagged\b|safety system|usage polic|content exists risk|considered high risk|data_?inspection|inappropriate content|prohibited[ _]content|不安全或敏感`), unable(llm.ReasonFiltered)},
	// Pictures or documents are refused: llama.cpp, OpenRouter, vLLM, Mistral, Ollama, DeepSeek, Groq, OpenAI, xAI, LM
	// Studio, Gemini, LiteLLM.
	{nil, lazyregexp.New(`(?i)support (for )?(image|vision|file|pdf) input|(not|n['’]t|cannot|no longer)( currently)? (support|process|accept|handle|take)s?( the)?( use of)? .?(images?|vision|image_url|multimodal|pdf|files?)\b|\b(images?|vision|image inputs?|image input modality|image_url|pdfs?|file inputs?)\b.?( content)?( types?)? (is|are) (not|only) (supported|available|allowed|enabled|accepted)|not a multi-?modal model|at most 0 image|required for image input|unknown variant .?(image_url|file)\b|content must be a string|not have vision|content type\. image_url|content\.type 参数非法`), unable(llm.ReasonNoSight)},
	// Too many pictures: Anthropic, Groq, Mistral, OpenAI, vLLM.
	{nil, lazyregexp.New(`(?i)too many (images?|files?|documents?|pdfs?|media)\b|at most \d+ (images?|videos?|files?)\b|(up to|maximum of|maximum is|limit of) \d+ (images?|files?)\b|(number|count) of (images?|files?) (exceeds?|is over|is above|must)`), tooLarge},
	{append([]int{http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}, vague...), lazyregexp.New(`(?i)model_not_found|model_not_exist|invalid model|not a valid model|unknown model|no such model|\bmodels?\b.{0,120}\b(not found|does not exist|not available|not supported|no longer|deprecated|not exist)|no (endpoints|allowed providers).{0,40}(found|available)|pull(ing)? it first|not_found(_error)?\s+model:|not found the model|deployment.{0,80}does not exist|model_not_available|unable to access model|^.*\b(1211|1500)\b`), unable(llm.ReasonModelNotFound)}, // 1211: Z.ai; 1500: Mistral
	// The chat template rejects the messages; a retry would not help.
	{nil, lazyregexp.New(`(?i)jinja exception|raise_exception`), unable(llm.ReasonNone)},
	{unnamed, lazyregexp.New(`(?i)rate_limit|rate limit|too_many_requests|resource_exhausted|throttl`), failure{kind: llm.KindRateLimit}},
	{unnamed, lazyregexp.New(`(?i)overloaded|server_error|internal_error|api_error|unavailable|timeout|timed_out|bad_gateway|upstream|capacity`), fault},
	{unnamed, lazyregexp.New(`(?i)invalid_request|bad_?request|invalid_argument|invalid_prompt|permission|forbidden|content_policy|content_filter|not_found|unsupported`), unable(llm.ReasonNone)},
}

var (
	overWords   = lazyregexp.New(`(?i)overloaded|(at|over|out of|insufficient|exceeded|no) capacity|capacity[ _]exceeded|high demand|too busy|server is busy|\bbusy\b|^.*\b(1305|1312)\b`)
	deniedWords = lazyregexp.New(`(?i)\bkey\b|credential|token|authenti|unregistered caller|log ?in|sign ?in`)
	toolParts   = lazyregexp.New(`(?i)parallel[ _]tool[ _]calls?|tool_choice|strict tools?`) // not about tools in general
	retryDelay  = lazyregexp.New(`"retryDelay"\s*:\s*"([0-9.]+s)"`)
)

// errorIn returns the *llm.Error in a piece of a successful answer, or nil.
func errorIn(b []byte) error {
	v, ok := errorValue(b)
	if !ok {
		return nil
	}
	r := reportIn(v)
	e := classify(r.status, r, b)
	e.Err = errors.New("in the stream: " + string(b[:min(len(b), maxReport)]))
	return e
}

// Failed is errorIn for a piece that is marked as an error, JSON or not.
func Failed(b []byte) error {
	if err := errorIn(b); err != nil {
		return err
	}
	r := report{message: string(b)}
	if v, ok := decode(b); ok {
		r = reportIn(v)
	}
	return classify(r.status, r, b)
}

// Classify returns the error for an unsuccessful HTTP response.
func Classify(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	r := report{message: snippet(body)}
	v, isJSON := decode(body)
	if isJSON {
		r = reportIn(v)
	}
	e := classify(status, r, body)
	e.Status = status
	e.Err = fmt.Errorf("HTTP %d: %s", status, body[:min(len(body), maxReport)])
	e.RetryAfter = cmp.Or(e.RetryAfter, retryAfter(header, now))
	e.Message = cmp.Or(e.Message, statusLine(status))
	if isJSON {
		return e
	}
	// A page for a browser or a missing path, not a refusal of an endpoint or its gateway.
	kind := contentType(header)
	page := kind == "text/html" || kind == "application/xhtml+xml" || kind == "" && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	if plain := e.Kind == llm.KindInvalidRequest && e.Reason == llm.ReasonNone || e.Reason == llm.ReasonDenied; plain && (page || status == http.StatusNotFound) {
		e.Kind, e.Reason, e.Final = notAnAPI.kind, notAnAPI.reason, notAnAPI.final
	}
	if e.Reason == llm.ReasonNotAnAPI && status >= http.StatusBadRequest {
		e.Message = fmt.Sprintf("%s with %s: no model answers at this address", statusLine(status), cmp.Or(kind, "no content type"))
		if r.message != "" {
			e.Message += " (" + r.message + ")"
		}
	}
	return e
}

func contentType(header http.Header) string {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind
}

func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
}

// classify returns the error for a status, or 0, and a report.
func classify(status int, r report, body []byte) *llm.Error {
	e := &llm.Error{Status: status, Message: r.message}
	if m := retryDelay().FindSubmatch(body); m != nil {
		e.RetryAfter, _ = time.ParseDuration(string(m[1])) // 0 if invalid
	}
	words := r.code + "\n" + r.message
	f := failureOf(status, words, e.RetryAfter)
	switch {
	case f.kind == llm.KindAuth && status == http.StatusForbidden && !deniedWords().MatchString(words):
		f.reason = llm.ReasonDenied
	case (f == fault || f == failure{kind: llm.KindRateLimit}) && overWords().MatchString(words):
		f.reason = llm.ReasonOverloaded
	case f == proxyLogin:
		e.Message = "the proxy requires a login (HTTP 407); set it in HTTPS_PROXY"
	case f.reason == llm.ReasonContextLength && r.window != "" && !strings.Contains(e.Message, r.window):
		e.Message += " (n_ctx " + r.window + ")"
	}
	e.Kind, e.Reason, e.Final = f.kind, f.reason, f.final
	return e
}

// failureOf classifies an error by its status, its text, and the time after which it passes.
func failureOf(status int, words string, passes time.Duration) failure {
	if status == http.StatusPaymentRequired {
		return noQuota
	}
	words = toolParts().ReplaceAllString(words, "")
	for _, w := range byWords {
		counts := slices.Contains(w.statuses, status)
		if w.statuses == nil {
			counts = status != http.StatusUnauthorized && status != http.StatusTooManyRequests
		}
		if w.is == noQuota && passes > 0 { // Gemini calls a rate limit a quota, but sends a retry delay
			counts = false
		}
		if counts && w.words().MatchString(words) {
			return w.is
		}
	}
	if f, ok := byStatus[status]; ok {
		return f
	}
	switch {
	case status >= http.StatusInternalServerError:
		return fault
	case status >= http.StatusBadRequest:
		return unable(llm.ReasonNone)
	}
	return notAnAPI // a redirect without a target
}

// retryAfter parses Retry-After, in seconds or as an HTTP date, and OpenAI's retry-after-ms.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	ms, _ := time.ParseDuration(h.Get("Retry-After-Ms") + "ms") // 0 if invalid or too long
	s, _ := time.ParseDuration(v + "s")
	if t, err := http.ParseTime(v); err == nil {
		s = t.Sub(now)
	}
	return max(cmp.Or(ms, s), 0)
}

// classifyNetwork returns the error for a failed connection.
func classifyNetwork(err error, host string) *llm.Error {
	e, reason := &llm.Error{Kind: llm.KindNetwork, Err: err}, err
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		reason = wrapped.Err // without the method and the whole URL
	}
	dial, _ := errors.AsType[*net.OpError](err)
	dns, _ := errors.AsType[*net.DNSError](err)
	switch {
	case is[*tls.CertificateVerificationError](err), is[x509.UnknownAuthorityError](err), is[x509.HostnameError](err), is[x509.CertificateInvalidError](err):
		e.Reason, e.Final, e.Message = llm.ReasonCertificate, true, fmt.Sprintf("the certificate of %s cannot be trusted: %v", host, reason)
	case errors.Is(err, http.ErrSchemeMismatch), is[tls.RecordHeaderError](err):
		e.Reason, e.Final, e.Message = llm.ReasonCertificate, true, fmt.Sprintf("%s does not speak TLS: the address may need http:// or another port", host)
	case strings.Contains(reason.Error(), "Proxy Authentication Required"):
		e.Reason, e.Final, e.Message = llm.ReasonProxy, true, "the proxy requires a login (HTTP 407); set it in HTTPS_PROXY"
	case dial != nil && dial.Op == "proxyconnect": // temporary
		e.Reason, e.Message = llm.ReasonProxy, "the proxy cannot be reached: "+Tidy(dial.Err.Error())
	case dns != nil:
		e.Message = fmt.Sprintf("the name %s could not be resolved", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED): // the network works
		e.Reason, e.Message = llm.ReasonUnreachable, fmt.Sprintf("nothing answers at %s (connection refused)", host)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Reason, e.Message = llm.ReasonBroken, fmt.Sprintf("%s cut the connection before its answer was complete", host)
	case isLocal(host):
		e.Reason, e.Message = llm.ReasonUnreachable, Tidy(reason.Error())
	default:
		e.Message = Tidy(reason.Error())
	}
	return e
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isLocal reports whether a host, with or without a port, is this computer.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return loopback.Host(strings.Trim(host, "[]"))
}

// notEndpoint returns the error for an answer that is not from a model endpoint.
func notEndpoint(status int, message string) *llm.Error {
	return &llm.Error{Kind: notAnAPI.kind, Reason: notAnAPI.reason, Final: notAnAPI.final, Status: status, Message: message}
}
