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
	"strconv"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/loopback"
)

// The words in which endpoints say what their status does not. Of context length: OpenAI and
// vLLM, Anthropic, llama.cpp, Ollama, Gemini, Mistral, Groq, LM Studio, xAI.
var (
	contextWords  = lazyregexp.New(`(?i)context_length_exceeded|exceed_context_size|maximum (context|prompt) length|max(imum)? model length|context (length|window|size|limit)|prompt is too long|(input|prompt|request|conversation|messages?) (is|are) too long|exceeds? the maximum (number of tokens|allowed (input )?length)|exceeds? (the )?available context|too many (input )?tokens|input length and .?max_tokens|reduce (the length|your prompt)|longer than the model|greater than the context|max_model_len|num_ctx|n_ctx|exceeded model token limit|range of input length|tokens_limit_reached`)
	quotaWords    = lazyregexp.New(`(?i)insufficient[ _]?(quota|credits?|balance|funds)|exceeded your current quota|billing_(not_active|hard_limit)|credit balance|billing hard limit|(requires|out of|no|not enough) (more )?credits?\b|payment required|spend(ing)? limit|quota exceeded|usage limit|check your plan and billing|(n't|not) have any credits|arrearage|in good standing`)
	keyWords      = lazyregexp.New(`(?i)api[ _-]?key (not valid|is invalid|expired|is missing)|(invalid|incorrect|expired|missing|no) (api|x-api)[ _-]?key|invalid_api_key|API_KEY_INVALID|authentication_error|invalid_authentication|unauthenticated`)
	modelWords    = lazyregexp.New(`(?i)model_not_found|model_not_exist|invalid model|not a valid model|unknown model|no such model|\bmodels?\b.{0,120}\b(not found|does not exist|not available|not supported|no longer|deprecated|not exist)|no (endpoints|allowed providers).{0,40}(found|available)|pull(ing)? it first|not_found(_error)? model:|not found the model|deployment.{0,80}does not exist|model_not_available|unable to access model`)
	rateWords     = lazyregexp.New(`(?i)rate_limit|rate limit|too_many_requests|resource_exhausted|throttl`)
	faultWords    = lazyregexp.New(`(?i)overloaded|server_error|internal_error|api_error|unavailable|timeout|timed_out|bad_gateway|upstream|capacity`)
	overWords     = lazyregexp.New(`(?i)overloaded|(at|over|out of|insufficient|exceeded|no) capacity|capacity[ _]exceeded|high demand|too busy|server is busy|\bbusy\b`)
	deniedWords   = lazyregexp.New(`(?i)\bkey\b|credential|token|authenti|unregistered caller|log ?in|sign ?in`)
	templateWords = lazyregexp.New(`(?i)jinja exception|raise_exception`) // of a model's chat template
	finalWords    = lazyregexp.New(`(?i)invalid_request|bad_?request|invalid_argument|invalid_prompt|permission|forbidden|content_policy|content_filter|not_found|unsupported`)
	retryDelay    = lazyregexp.New(`"retryDelay"\s*:\s*"([0-9.]+s)"`)
)

// toolsOff are the words of a server that was started without tool calls, toolWords those of a model that cannot
// use tools, and toolParts what is not about tools as such: of Ollama, OpenRouter, OpenAI, Mistral, Gemini, Groq, Fireworks, vLLM, llama.cpp, LiteLLM.
var (
	toolsOff  = lazyregexp.New(`(?i)requires? --jinja|--enable-auto-tool-choice|--tool-call-parser|unsupported param: .?tools`) // of llama.cpp, vLLM, SGLang, llama.cpp before 2025
	toolParts = lazyregexp.New(`(?i)parallel[ _]tool[ _]calls?|tool_choice|strict tools?`)
	toolWords = lazyregexp.New(`(?i)(\b(not|cannot|no longer)|n['’]t)( currently)? support(s|ed)?( the)?( use of)?( parameters?:? \[?)?[ '"\x60]{0,2}(tools?|functions?)\b|(support|supporting) (for )?(tools?|functions?)([ -](use|call(s|ing)?))? (is|are) not|\bno endpoints found that support tool|\b(tools?|functions?)([ -](use|call(s|ing)?))?['"\x60]?( is| are) (not (enabled|supported|available|allowed|implemented)|unsupported|disabled)`)
)

// sightWords are those of a model that takes no pictures, or no documents: of llama.cpp, OpenRouter, vLLM,
// Mistral, Ollama, DeepSeek, Groq, OpenAI, xAI, LM Studio, Gemini, LiteLLM.
var sightWords = lazyregexp.New(`(?i)support (for )?(image|vision|file|pdf) input|(not|n['’]t|cannot|no longer)( currently)? (support|process|accept|handle|take)s?( the)?( use of)? .?(images?|vision|image_url|multimodal|pdf|files?)\b|\b(images?|vision|image inputs?|image input modality|image_url|pdfs?|file inputs?)\b.?( content)?( types?)? (is|are) (not|only) (supported|available|allowed|enabled|accepted)|not a multi-?modal model|at most 0 image|required for image input|unknown variant .?(image_url|file)\b|content must be a string|not have vision|content type\. image_url|content\.type 参数非法`)

// sealedWords are those of an endpoint that refuses what it signed or encrypted of how a model reasoned: of
// Anthropic, OpenAI, Azure, Gemini, and of gateways to them.
var sealedWords = lazyregexp.New(`(?i)thought.?signature|signature.{0,12}\bin .?(redacted_)?thinking|thinking\.signature|redacted_thinking|thinking.? blocks.{0,90}(modified|invalid)|invalid_encrypted_content|encrypted[ _]content.{0,300}not be (verified|decrypted|parsed)|of type .reasoning. was provided without|required .reasoning. item|\bitem.{0,12}\brs_\w+.{0,3} not found`)

// filteredWords are those of an endpoint that refuses what a request says, and badCallWords of one whose model
// wrote a tool call that it cannot read: of OpenAI, Azure, OpenRouter, DeepSeek, Moonshot, DashScope, Z.ai; of Groq.
var (
	filteredWords = lazyregexp.New(`(?i)content[ _-]?(filter|policy)|content management policy|responsibleaipolicy|moderation|\bflagged\b|safety system|usage polic|content exists risk|considered high risk|data_?inspection|inappropriate content|prohibited[ _]content|不安全或敏感`)
	badCallWords  = lazyregexp.New(`(?i)tool_use_failed|output_parse_failed|failed to call a function|tool call validation failed`)
)

// manyWords are those of an endpoint that takes so many pictures in a request and no more: of Anthropic, Groq,
// Mistral, OpenAI, vLLM.
var manyWords = lazyregexp.New(`(?i)too many (images?|files?|documents?|pdfs?|media)\b|at most \d+ (images?|videos?|files?)\b|(up to|maximum of|maximum is|limit of) \d+ (images?|files?)\b|(number|count) of (images?|files?) (exceeds?|is over|is above|must)`)

// codeReasons are the codes of single endpoints whose words do not tell, or not in English: of Z.ai's
// and Mistral's numbers.
var codeReasons = map[string]llm.Reason{
	"1113": llm.ReasonQuota, "1211": llm.ReasonModelNotFound, "1261": llm.ReasonContextLength,
	"1305": llm.ReasonOverloaded, "1312": llm.ReasonOverloaded,
	"1500": llm.ReasonModelNotFound, "3051": llm.ReasonContextLength,
}

// codeReason is what the codes of a report say.
func codeReason(r report) llm.Reason {
	for code := range strings.FieldsSeq(r.code) {
		if reason, ok := codeReasons[code]; ok {
			return reason
		}
	}
	return llm.ReasonNone
}

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
		e.Kind, e.Reason, e.Final = llm.KindNetwork, llm.ReasonNotAnAPI, true
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

// byWords sets kind and reason where the words of the report say more than the status; false: they do not.
func byWords(e *llm.Error, r report, words string, code llm.Reason) bool {
	status := e.Status
	// Where the status says nothing, or only that the request was bad, the words do.
	vague := status == 0 || status == http.StatusBadRequest
	// Gemini words a rate limit as a quota, and says when it is over.
	quota := (code == llm.ReasonQuota || quotaWords().MatchString(words)) && e.RetryAfter == 0
	noKey, tooMany := status == http.StatusUnauthorized, status == http.StatusTooManyRequests
	switch {
	case status == http.StatusPaymentRequired,
		quota && (vague || status == http.StatusForbidden || tooMany):
		e.Kind, e.Reason, e.Final = llm.KindRateLimit, llm.ReasonQuota, true
	case !tooMany && !noKey && (code == llm.ReasonContextLength || contextWords().MatchString(words)):
		e.Kind, e.Reason = llm.KindInvalidRequest, llm.ReasonContextLength
		if r.window != "" && !strings.Contains(e.Message, r.window) {
			e.Message += " (n_ctx " + r.window + ")"
		}
	case vague && keyWords().MatchString(words):
		e.Kind = llm.KindAuth
	case !tooMany && !noKey && unable(words) != llm.ReasonNone:
		e.Kind, e.Reason = llm.KindInvalidRequest, unable(words)
	case (vague || status == http.StatusNotFound || status == http.StatusUnprocessableEntity || status == http.StatusForbidden) &&
		(code == llm.ReasonModelNotFound || modelWords().MatchString(words)):
		e.Kind, e.Reason = llm.KindInvalidRequest, llm.ReasonModelNotFound
	default:
		return false
	}
	return true
}

// unable is what an endpoint or its model cannot take of the request, going by the words; ReasonNone: they say nothing of that.
func unable(words string) llm.Reason {
	switch {
	case toolsOff().MatchString(words):
		return llm.ReasonToolsOff
	case toolWords().MatchString(toolParts().ReplaceAllString(words, "")):
		return llm.ReasonNoTools
	case sealedWords().MatchString(words):
		return llm.ReasonSealed
	case badCallWords().MatchString(words):
		return llm.ReasonBadCall
	case filteredWords().MatchString(words):
		return llm.ReasonFiltered
	case sightWords().MatchString(words):
		return llm.ReasonNoSight
	case manyWords().MatchString(words):
		return llm.ReasonTooLarge
	}
	return llm.ReasonNone
}

// classify decides by status, 0 where there is none, and by the words of the report.
func classify(status int, r report, body []byte) *llm.Error {
	e := &llm.Error{Status: status, Message: r.message}
	if m := retryDelay().FindSubmatch(body); m != nil {
		if d, err := time.ParseDuration(string(m[1])); err == nil {
			e.RetryAfter = d
		}
	}
	words, code := r.code+" "+r.message, codeReason(r)
	switch {
	case byWords(e, r, words, code):
	case status >= http.StatusInternalServerError && templateWords().MatchString(words):
		e.Kind = llm.KindInvalidRequest // it refuses the form of the messages, and will again
	case status == 0:
		e.Kind = kindOf(words)
		if e.Kind == llm.KindNetwork {
			e.Reason = llm.ReasonServer
		}
	default:
		byStatus(e)
	}
	switch {
	case e.Kind == llm.KindAuth && status == http.StatusForbidden && !deniedWords().MatchString(words):
		e.Reason = llm.ReasonDenied
	case (e.Reason == llm.ReasonServer || e.Kind == llm.KindRateLimit && e.Reason == llm.ReasonNone) &&
		(code == llm.ReasonOverloaded || overWords().MatchString(words)):
		e.Reason = llm.ReasonOverloaded
	}
	return e
}

// kindOf is the kind of an error in the stream that has no status. One of no known words is
// the network's: the endpoint had taken the request.
func kindOf(words string) llm.Kind {
	switch {
	case rateWords().MatchString(words):
		return llm.KindRateLimit
	case finalWords().MatchString(words) && !faultWords().MatchString(words):
		return llm.KindInvalidRequest
	}
	return llm.KindNetwork
}

// byStatus sets kind and reason by the HTTP status alone.
func byStatus(e *llm.Error) {
	switch status := e.Status; status {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Kind = llm.KindAuth
	case http.StatusTooManyRequests:
		e.Kind = llm.KindRateLimit
	case http.StatusProxyAuthRequired:
		e.Kind, e.Reason, e.Final = llm.KindNetwork, llm.ReasonProxy, true
		e.Message = "the proxy requires a login (HTTP 407); set it in HTTPS_PROXY"
	case http.StatusMethodNotAllowed, http.StatusNotImplemented: // what web servers answer to a POST
		e.Kind, e.Reason, e.Final = llm.KindNetwork, llm.ReasonNotAnAPI, true
	case http.StatusRequestEntityTooLarge:
		e.Kind, e.Reason = llm.KindInvalidRequest, llm.ReasonTooLarge
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		e.Kind, e.Reason = llm.KindNetwork, llm.ReasonSilent
	case http.StatusServiceUnavailable, 498, 529: // Groq's, Anthropic's
		e.Kind, e.Reason = llm.KindNetwork, llm.ReasonOverloaded
	case http.StatusConflict, http.StatusTooEarly:
		e.Kind, e.Reason = llm.KindNetwork, llm.ReasonServer
	default:
		switch {
		case status >= http.StatusInternalServerError:
			e.Kind, e.Reason = llm.KindNetwork, llm.ReasonServer
		case status >= http.StatusBadRequest:
			e.Kind = llm.KindInvalidRequest
		default: // a redirect that leads nowhere
			e.Kind, e.Reason, e.Final = llm.KindNetwork, llm.ReasonNotAnAPI, true
		}
	}
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

// notAnAPI is an answer of something that is no model endpoint.
func notAnAPI(status int, message string) *llm.Error {
	return &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonNotAnAPI, Status: status, Final: true, Message: message}
}
