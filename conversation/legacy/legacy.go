// Package legacy reads the conversations of the Obsidian plugin that came before: its data.json,
// in both formats that it had. The newer one holds conversations ("conversationData"); the older
// one single requests with their answers and summaries of still older ones
// ("conversationHistory" with "recentConversations" and "summaries"), which become one
// conversation.
//
// It promises never to fail on a part: what is missing, null or of another type than it should
// be is left out or made up for, and what cannot be kept at all is told with why. The same file
// gives the same conversations, with the same ids, each time.
package legacy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/conversation"
)

// MaxBytes is how long a file may be that Parse reads.
const MaxBytes = 256 << 20

// Parse reads a data.json. The conversations have all ended. The warnings say, one each, what
// was left out and why. It is an error if data is no such file at all.
func Parse(data []byte) (convs []*conversation.Conversation, warnings []string, err error) {
	if len(data) > MaxBytes {
		return nil, nil, fmt.Errorf("the file is %d MB long; at most %d MB can be imported", len(data)>>20, MaxBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	var top object
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, nil, notThatFile(data, err)
	}
	r := reader{ids: map[string]bool{}, messages: map[string]bool{}}
	newer, older := r.find(top)
	if !newer && !older {
		return nil, nil, errors.New(`the file has no conversations: it has neither "conversationData" nor "conversationHistory" (expected: the plugin's data.json, in .obsidian/plugins)`)
	}
	if n := len(r.warnings) - maxWarnings; n > 0 {
		r.warnings = append(r.warnings[:maxWarnings], fmt.Sprintf("and %d more like these", n))
	}
	return r.convs, r.warnings, nil
}

const maxWarnings = 100

// notThatFile says what is wrong with a file that is no JSON object.
func notThatFile(data []byte, err error) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("the file is empty")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte{'\n'})
		return fmt.Errorf("the file is not valid JSON: line %d: %w", line, err)
	}
	return errors.New("the file is not the plugin's data.json, which is a JSON object")
}

// reader gathers conversations.
type reader struct {
	convs    []*conversation.Conversation
	warnings []string
	ids      map[string]bool // of conversations
	messages map[string]bool // of turns: an id is used once, in all of them
}

func (r *reader) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// find reads what the file holds of each format: below the plugin's keys, or the object itself
// where only that part of the file was kept.
func (r *reader) find(top object) (newer, older bool) {
	if list, ok := top.object("conversationData").array("conversations"); ok {
		newer = true
		r.conversations(list)
	} else if list, ok := top.array("conversations"); ok {
		newer = true
		r.conversations(list)
	} else if raw, ok := top["conversationData"]; ok && !isNull(raw) {
		newer = true
		r.warn(`"conversationData" has no list of conversations, so it was skipped`)
	}
	if history := top.object("conversationHistory"); history.isHistory() {
		older = true
		if slices.ContainsFunc(r.convs, func(c *conversation.Conversation) bool { return c.Title == migratedTitle }) {
			r.warn("the older history was skipped: the plugin had already converted it to a conversation")
		} else {
			r.history(history)
		}
	} else if top.isHistory() {
		older = true
		r.history(top)
	} else if raw, ok := top["conversationHistory"]; ok && !isNull(raw) {
		older = true
		r.warn(`"conversationHistory" has neither recent conversations nor summaries, so it was skipped`)
	}
	return newer, older
}

func (o object) isHistory() bool {
	_, recent := o.array("recentConversations")
	_, summaries := o.array("summaries")
	return recent || summaries
}

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
