package legacy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// object is a JSON object whose values are read when their type is known. A nil one is empty.
type object map[string]json.RawMessage

func isNull(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null"))
}

func asObject(raw json.RawMessage) (object, bool) {
	var o object
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

func (o object) object(key string) object {
	v, _ := asObject(o[key])
	return v
}

func (o object) array(key string) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if isNull(o[key]) || json.Unmarshal(o[key], &list) != nil {
		return nil, false
	}
	return list, true
}

// text is the value of the first of the keys that has one: a string, or a number or truth value
// as it is written; empty for none and for anything else.
func (o object) text(keys ...string) string {
	for _, key := range keys {
		if s := scalar(o[key]); s != "" {
			return s
		}
	}
	return ""
}

func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || isNull(raw) {
		return ""
	}
	return string(raw)
}

// content is what a message says: a string, or the texts of a list of parts.
func (o object) content(key string) string {
	list, ok := o.array(key)
	if !ok {
		return o.text(key)
	}
	var texts []string
	for _, raw := range list {
		s := scalar(raw)
		if part, ok := asObject(raw); ok {
			s = part.text("text", "content")
		}
		if s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n\n")
}

// names is a list of names; what is none in it is left out.
func (o object) names(key string) []string {
	list, _ := o.array(key)
	var out []string
	for _, raw := range list {
		if s := scalar(raw); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// when is the time of the first of the keys that has one; the zero time for none.
func (o object) when(keys ...string) time.Time {
	for _, key := range keys {
		if t := parseTime(scalar(o[key])); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// parseTime reads a time as JavaScript writes them: ISO 8601, or milliseconds since 1970. What
// is out of the years that JSON can hold is none.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return sane(t.UTC())
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 8.64e15 { // the bounds of a JavaScript date
		return time.Time{}
	}
	if math.Abs(n) < 1e11 { // seconds: as milliseconds it would be before March 1973
		n *= 1000
	}
	return sane(time.UnixMilli(int64(n)).UTC())
}

func sane(t time.Time) time.Time {
	if y := t.Year(); y < 1970 || y > 9999 {
		return time.Time{}
	}
	return t
}
