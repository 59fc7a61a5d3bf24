package written

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// form is a way of writing a call. match matches its start; read returns the calls and their length in bytes, given
// the submatches.
type form struct {
	match func() *regexp.Regexp
	read  func(s string, m []string) (calls []rawCall, n int, ok bool)
}

// forms are the known ways of writing a call, each matched at the start of the rest of an answer.
var forms = []form{
	// {"name": "NAME", "arguments": {…}} and lists of it; {{…}} by models that copied a template
	{lazyregexp.New(`^\{+|^\[\s*\{`), readJSON},
	// <function=NAME>{…}</function>, and with <parameter=path>…</parameter> (Qwen3-Coder)
	{lazyregexp.New(`(?s)^<function=([\w.-]+)>(.*?)</function>`), readBody},
	// <invoke name="NAME"><parameter name="path">…</parameter></invoke>
	{lazyregexp.New(`(?s)^<(?:antml:)?invoke name="([^"]+)">(.*?)</(?:antml:)?invoke>`), readBody},
	// function<｜tool▁sep｜>NAME ```json {…} ``` (DeepSeek)
	{lazyregexp.New("^(?:function)?<｜tool▁sep｜>([\\w.-]+)\\s*(?:```json)?\\s*"), readNamed},
	// functions.NAME({…}), functions.NAME:0 … {…} (Kimi), NAME[ARGS]{…} (Mistral), NAME {…}
	{lazyregexp.New(`^(?:functions\.|tools?\.)?([A-Za-z_][\w-]*)(?::\d+)?\s*(?:<\|tool_call_argument_begin\|>|\[ARGS\]|<｜tool▁sep｜>)?\s*\(?\s*(?:\{)`), readNamed},
	// <|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|> (gpt-oss)
	{lazyregexp.New(`^(?:<\|start\|>assistant)?\s*(?:<\|channel\|>commentary)?\s*to=(?:functions\.)?([A-Za-z_][\w-]*)\s*(?:<\|channel\|>commentary)?\s*(?:<\|constrain\|>)?(?:json)?\s*<\|message\|>\s*\{`), readNamed},
}

// decorations match marks around calls that have no meaning of their own.
var decorations = lazyregexp.New("^(?:\\s+|[,;\\])}]|\\[(?:\\s*\\{)?$|```[\\w-]*|</?(?:tool_calls?|tools|function_calls?|antml:function_calls)>|<\\|(?:python_tag|tool_call\\w*|tool_calls_section_\\w+|im_end|call|end|return)\\|>|" +
	"\\[/?TOOL_CALLS?\\]|<｜tool▁calls?▁(?:begin|end)｜>|<\\|?/?tool_calls?\\|?>)+")

// decoration returns how many bytes of decoration s begins with.
func decoration(s string) int { return len(decorations().FindString(s)) }

// opener is where an answer may turn into calls: at the beginning of a line, or anywhere for what no prose has.
var opener = lazyregexp.New("(?m)^[ \\t]*(?:\\{+\\s*\"|\\[\\s*\\{+\\s*\"|```(?:json|xml|tool_code|tool_call|\\w*)[ \\t]*\\n\\s*(?:[\\[{<]|functions\\.)|functions\\.\\w+|<function[ =]|to=functions\\.|<tools>|<(?:antml:)?(?:invoke|function_calls)\\b)|" +
	"<tool_calls?>|<\\|(?:start|channel|end)\\|>|\\[TOOL_CALLS\\]|<\\|python_tag\\|>|<\\|tool_call|<｜tool▁call")

// opening returns where the first call may begin; -1: nowhere.
func opening(s string) int {
	if m := opener().FindStringIndex(s); m != nil {
		return m[0]
	}
	return -1
}

// next reads the calls that s begins with.
func next(s string) (calls []rawCall, n int, ok bool) {
	for _, f := range forms {
		if m := f.match().FindStringSubmatch(s); m != nil {
			if calls, n, ok := f.read(s, m); ok {
				return calls, n, true
			}
		}
	}
	return nil, 0, false
}

func readJSON(s string, _ []string) (calls []rawCall, n int, ok bool) {
	for strings.HasPrefix(s[n:], "{{") {
		n++
	}
	value, used, ok := jsonValue(s[n:])
	if !ok {
		return nil, 0, false
	}
	calls, ok = callsIn(value)
	return calls, n + used, ok
}

// jsonValue returns the JSON value that s begins with, and its length. A value that only lacks its closing
// brackets at the end of s is closed.
func jsonValue(s string) (json.RawMessage, int, bool) {
	d := json.NewDecoder(strings.NewReader(s))
	var v json.RawMessage
	if d.Decode(&v) == nil {
		return v, int(d.InputOffset()), true
	}
	body, _, _ := strings.Cut(s, "```")
	body = strings.TrimSpace(body)
	if !strings.HasSuffix(body, "}") && !strings.HasSuffix(body, "]") { // it was cut off within
		return nil, 0, false
	}
	if json.Unmarshal([]byte(body+missing(body)), &v) != nil {
		return nil, 0, false
	}
	return v, strings.Index(s, body) + len(body), true
}

// missing returns the brackets that close s; "" if it ends within a string.
func missing(s string) string {
	var open []byte
	in := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case in && c == '\\':
			i++
		case c == '"':
			in = !in
		case in:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if in {
		return ""
	}
	slices.Reverse(open)
	return string(open)
}

// callsIn reads a call, a list of calls, or an object that holds such a list.
func callsIn(value json.RawMessage) ([]rawCall, bool) {
	if value = bytes.TrimSpace(value); len(value) > 0 && value[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) == 0 {
			return nil, false
		}
		var all []rawCall
		for _, v := range list {
			calls, ok := callsIn(v)
			if !ok {
				return nil, false
			}
			all = append(all, calls...)
		}
		return all, true
	}
	var o map[string]json.RawMessage
	if json.Unmarshal(value, &o) != nil {
		return nil, false
	}
	if list, ok := o["tool_calls"]; ok {
		return callsIn(list)
	}
	for _, key := range nameKeys {
		var name string
		switch v := o[key]; {
		case v == nil:
		case json.Unmarshal(v, &name) == nil && name != "":
			return []rawCall{{strings.TrimPrefix(name, "functions."), firstOf(o, argumentKeys)}}, true
		default: // {"type": "function", "function": {"name": …, "arguments": …}}
			return callsIn(v)
		}
	}
	return nil, false
}

// The names under which models write a call's name and its arguments.
var (
	nameKeys     = []string{"name", "function", "tool", "tool_name", "function_name", "action"}
	argumentKeys = []string{"arguments", "parameters", "args", "input", "params", "action_input"}
)

func firstOf(o map[string]json.RawMessage, keys []string) json.RawMessage {
	for _, k := range keys {
		if v, ok := o[k]; ok {
			return v
		}
	}
	return nil
}

// parameter is an argument in XML.
var parameter = lazyregexp.New(`(?s)<(?:antml:)?parameter(?:=([\w.-]+)| name="([^"]+)")[^>]*>(.*?)</(?:antml:)?parameter>`)

// readBody reads a call whose arguments are elements, or JSON.
func readBody(_ string, m []string) ([]rawCall, int, bool) {
	args := map[string]string{}
	for _, p := range parameter().FindAllStringSubmatch(m[2], -1) {
		args[p[1]+p[2]] = strings.TrimSuffix(strings.TrimPrefix(p[3], "\n"), "\n")
	}
	raw := json.RawMessage(strings.TrimSpace(m[2]))
	if len(args) > 0 {
		raw, _ = json.Marshal(args) // of texts: cannot fail
	}
	return []rawCall{{m[1], raw}}, len(m[0]), true
}

// readNamed reads a call whose name precedes an object.
func readNamed(s string, m []string) ([]rawCall, int, bool) {
	at := len(m[0])
	if strings.HasSuffix(m[0], "{") {
		at--
	}
	value, n, ok := jsonValue(s[at:])
	if !ok {
		return nil, 0, false
	}
	return []rawCall{{m[1], value}}, at + n, true
}
