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
	"strconv"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/loopback"
)

// failure is what a failed call is taken for.
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

// byStatus is what a status means whose words say no more. The numbers without a name are Groq's and Anthropic's.
var byStatus = map[int]failure{
	0:                                fault, // in the stream: the endpoint had taken the request
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

// Where the status says nothing, or only that the request was bad, more words count.
var (
	vague   = []int{0, http.StatusBadRequest}
	unnamed = []int{0}
)

// byWords are the words in which endpoints say what their status does not, each with the statuses beside which they
// count; nil: beside all but those of the key and of too many requests. The first that fits counts. A text is the
// codes of an error on a line, and its message below.
var byWords = []struct {
	statuses []int
	words    func() *regexp.Regexp
	is       failure
}{
	{append([]int{http.StatusForbidden, http.StatusTooManyRequests}, vague...), lazyregexp.New(`(?i)insufficient[ _]?(quota|credits?|balance|funds)|exceeded your current quota|billing_(not_active|hard_limit)|credit balance|billing hard limit|(requires|out of|no|not enough) (more )?credits?\b|payment required|spend(ing)? limit|quota exceeded|usage limit|check your plan and billing|(n't|not) have any credits|arrearage|in good standing|^.*\b1113\b`), noQuota}, // 1113: Z.ai
	// OpenAI and vLLM, Anthropic, llama.cpp, Ollama, Gemini, Mistral, Groq, LM Studio, xAI, Z.ai.
	{nil, lazyregexp.New(`(?i)context_length_exceeded|exceed_context_size|maximum (context|prompt) length|max(imum)? model length|context (length|window|size|limit)|prompt is too long|(input|prompt|request|conversation|messages?) (is|are) too long|exceeds? the maximum (number of tokens|allowed (input )?length)|exceeds? (the )?available context|too many (input )?tokens|input length and .?max_tokens|reduce (the length|your prompt)|longer than the model|greater than the context|max_model_len|num_ctx|n_ctx|exceeded model token limit|range of input length|tokens_limit_reached|^.*\b(1261|3051)\b`), unable(llm.ReasonContextLength)},
	{vague, lazyregexp.New(`(?i)api[ _-]?key (not valid|is invalid|expired|is missing)|(invalid|incorrect|expired|missing|no) (api|x-api)[ _-]?key|invalid_api_key|API_KEY_INVALID|authentication_error|invalid_authentication|unauthenticated`), failure{kind: llm.KindAuth}},
	// A server that was started without tool calls: llama.cpp, vLLM, SGLang, llama.cpp before 2025.
	{nil, lazyregexp.New(`(?i)requires? --jinja|--enable-auto-tool-choice|--tool-call-parser|unsupported param: .?tools`), unable(llm.ReasonToolsOff)},
	// A model that cannot use tools: Ollama, OpenRouter, OpenAI, Mistral, Gemini, Groq, Fireworks, vLLM, llama.cpp, LiteLLM.
	{nil, lazyregexp.New(`(?i)(\b(not|cannot|no longer)|n['’]t)( currently)? support(s|ed)?( the)?( use of)?( parameters?:? \[?)?[ '"\x60]{0,2}(tools?|functions?)\b|(support|supporting) (for )?(tools?|functions?)([ -](use|call(s|ing)?))? (is|are) not|\bno endpoints found that support tool|\b(tools?|functions?)([ -](use|call(s|ing)?))?['"\x60]?( is| are) (not (enabled|supported|available|allowed|implemented)|unsupported|disabled)`), unable(llm.ReasonNoTools)},
	// What it signed or encrypted of how a model reasoned is refused: Anthropic, OpenAI, Azure, Gemini, gateways to them.
	{nil, lazyregexp.New(`(?i)thought.?signature|signature.{0,12}\bin .?(redacted_)?thinking|thinking\.signature|redacted_thinking|thinking.? blocks.{0,90}(modified|invalid)|invalid_encrypted_content|encrypted[ _]content.{0,300}not be (verified|decrypted|parsed)|of type .reasoning. was provided without|required .reasoning. item|\bitem.{0,12}\brs_\w+.{0,3} not found`), unable(llm.ReasonSealed)},
	// Groq, whose model wrote a tool call that it cannot read.
	{nil, lazyregexp.New(`(?i)tool_use_failed|output_parse_failed|failed to call a function|tool call validation failed`), unable(llm.ReasonBadCall)},
	// What the request says is refused: OpenAI, Azure, OpenRouter, DeepSeek, Moonshot, DashScope, Z.ai.
	{nil, lazyregexp.New(`(?i)content[ _-]?(filter|policy)|content management policy|responsibleaipolicy|moderation|\bflagged\b|safety system|usage polic|content exists risk|considered high risk|data_?inspection|inappropriate content|prohibited[ _]content|不安全或敏感`), unable(llm.ReasonFiltered)},
	// No pictures, or no documents: llama.cpp, OpenRouter, vLLM, Mistral, Ollama, DeepSeek, Groq, OpenAI, xAI, LM Studio, Gemini, LiteLLM.
	{nil, lazyregexp.New(`(?i)support (for )?(image|vision|file|pdf) input|(not|n['’]t|cannot|no longer)( currently)? (support|process|accept|handle|take)s?( the)?( use of)? .?(images?|vision|image_url|multimodal|pdf|files?)\b|\b(images?|vision|image inputs?|image input modality|image_url|pdfs?|file inputs?)\b.?( content)?( types?)? (is|are) (not|only) (supported|available|allowed|enabled|accepted)|not a multi-?modal model|at most 0 image|required for image input|unknown variant .?(image_url|file)\b|content must be a string|not have vision|content type\. image_url|content\.type 参数非法`), unable(llm.ReasonNoSight)},
	// So many pictures and no more: Anthropic, Groq, Mistral, OpenAI, vLLM.
	{nil, lazyregexp.New(`(?i)too many (images?|files?|documents?|pdfs?|media)\b|at most \d+ (images?|videos?|files?)\b|(up to|maximum of|maximum is|limit of) \d+ (images?|files?)\b|(number|count) of (images?|files?) (exceeds?|is over|is above|must)`), tooLarge},
	{append([]int{http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}, vague...), lazyregexp.New(`(?i)model_not_found|model_not_exist|invalid model|not a valid model|unknown model|no such model|\bmodels?\b.{0,120}\b(not found|does not exist|not available|not supported|no longer|deprecated|not exist)|no (endpoints|allowed providers).{0,40}(found|available)|pull(ing)? it first|not_found(_error)?\s+model:|not found the model|deployment.{0,80}does not exist|model_not_available|unable to access model|^.*\b(1211|1500)\b`), unable(llm.ReasonModelNotFound)}, // 1211: Z.ai; 1500: Mistral
	// A model's chat template refuses the form of the messages, and will again.
	{nil, lazyregexp.New(`(?i)jinja exception|raise_exception`), unable(llm.ReasonNone)},
	{unnamed, lazyregexp.New(`(?i)rate_limit|rate limit|too_many_requests|resource_exhausted|throttl`), failure{kind: llm.KindRateLimit}},
	{unnamed, lazyregexp.New(`(?i)overloaded|server_error|internal_error|api_error|unavailable|timeout|timed_out|bad_gateway|upstream|capacity`), fault},
	{unnamed, lazyregexp.New(`(?i)invalid_request|bad_?request|invalid_argument|invalid_prompt|permission|forbidden|content_policy|content_filter|not_found|unsupported`), unable(llm.ReasonNone)},
}

var (
	overWords   = lazyregexp.New(`(?i)overloaded|(at|over|out of|insufficient|exceeded|no) capacity|capacity[ _]exceeded|high demand|too busy|server is busy|\bbusy\b|^.*\b(1305|1312)\b`)
	deniedWords = lazyregexp.New(`(?i)\bkey\b|credential|token|authenti|unregistered caller|log ?in|sign ?in`)
	toolParts   = lazyregexp.New(`(?i)parallel[ _]tool[ _]calls?|tool_choice|strict tools?`) // what is not about tools as such
	retryDelay  = lazyregexp.New(`"retryDelay"\s*:\s*"([0-9.]+s)"`)
)

// errorIn returns the *llm.Error a piece of a successful answer holds, nil where it holds none.
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

// Failed is errorIn for what an answer says is an error, JSON or not.
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

// Classify makes an error of an HTTP answer that is none of success.
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
	if !isJSON && (e.Reason == llm.ReasonNone || e.Reason == llm.ReasonDenied) && foreign(status, header, body) {
		e.Kind, e.Reason, e.Final = notAnAPI.kind, notAnAPI.reason, notAnAPI.final
	}
	if e.Reason == llm.ReasonNotAnAPI && !isJSON && status >= http.StatusBadRequest && status != http.StatusProxyAuthRequired {
		e.Message = notAnAPIMessage(status, header, e.Message)
	}
	e.Message = cmp.Or(e.Message, statusLine(status))
	return e
}

// foreign says that an error, whose body is no JSON, is not of a model endpoint: a page for a
// browser, or a path that is not there. It is neither where an endpoint answers so itself, or
// a gateway in front of it: errors of the key, of too many or too long requests, and all that
// passes when the same is asked again.
func foreign(status int, header http.Header, body []byte) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusConflict, http.StatusRequestEntityTooLarge,
		http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	case http.StatusNotFound:
		return true
	}
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError && isHTML(header, body)
}

func isHTML(header http.Header, body []byte) bool {
	kind := contentType(header)
	return kind == "text/html" || kind == "application/xhtml+xml" || kind == "" && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

func contentType(header http.Header) string {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return kind
}

func statusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
}

// notAnAPIMessage says what the address answered, with the words of its page.
func notAnAPIMessage(status int, header http.Header, words string) string {
	text := statusLine(status) + " with " + cmp.Or(contentType(header), "no content type") + ": no model answers at this address"
	if words == "" {
		return text
	}
	return text + " (" + words + ")"
}

// classify decides by status, 0 where there is none, and by the words of the report.
func classify(status int, r report, body []byte) *llm.Error {
	e := &llm.Error{Status: status, Message: r.message}
	if m := retryDelay().FindSubmatch(body); m != nil {
		e.RetryAfter, _ = time.ParseDuration(string(m[1])) // 0 if it is none
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

// failureOf is what an error is taken for, by its status, its words, and the time after which it passes.
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
		if w.is == noQuota && passes > 0 { // Gemini words a rate limit as a quota, and says when it is over
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
	return notAnAPI // a redirect that leads nowhere
}

// retryAfter reads Retry-After, in seconds or as an HTTP date, and OpenAI's retry-after-ms.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return bounded(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return bounded(s)
	}
	if t, err := http.ParseTime(v); err == nil {
		return bounded(t.Sub(now).Seconds())
	}
	return 0
}

// bounded turns seconds into a duration between 0 and a month.
func bounded(s float64) time.Duration {
	const month = 30 * 24 * 3600
	if !(s > 0) { // also NaN
		return 0
	}
	return time.Duration(min(s, month) * float64(time.Second))
}

// classifyNetwork makes an error of a connection that failed.
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
	case dial != nil && dial.Op == "proxyconnect": // it may come back: tried again
		e.Reason, e.Message = llm.ReasonProxy, "the proxy cannot be reached: "+Tidy(dial.Err.Error())
	case dns != nil:
		e.Message = fmt.Sprintf("the name %s could not be resolved", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED): // somebody said so: the network is there
		e.Reason = llm.ReasonUnreachable
		e.Message = fmt.Sprintf("nothing answers at %s (connection refused)", host)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		e.Reason = llm.ReasonBroken
		e.Message = fmt.Sprintf("%s cut the connection", host)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Reason = llm.ReasonBroken
		e.Message = fmt.Sprintf("%s closed the connection before its answer was complete", host)
	case here(host):
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

// here says whether a host, with a port or without, is this computer: then no network is to blame.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return loopback.Host(strings.Trim(host, "[]"))
}

// strange is the failure of an answer of something that is no model endpoint.
func strange(status int, message string) *llm.Error {
	return &llm.Error{Kind: notAnAPI.kind, Reason: notAnAPI.reason, Final: notAnAPI.final, Status: status, Message: message}
}
