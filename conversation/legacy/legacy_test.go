package legacy

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/conversation"
)

// both is a data.json with what each version of the plugin wrote, beside its settings.
const both = `{
 "anthropicApiKey": "never looked at", "conversationIdleTimeoutMinutes": 30,
 "conversationData": {"lastMigrated": "2026-02-04T00:00:00.000Z", "conversations": [
  {"id": "conv-1770000000000", "startedAt": "2026-02-04T10:00:00.000Z", "endedAt": "2026-02-04T10:09:00.000Z",
   "title": "Planning the garden", "summary": "Beds were planned.\nSeeds are missing.", "messages": [
    {"id": "m1", "timestamp": "2026-02-04T10:00:01.000Z", "role": "user", "content": "What is in my garden note?"},
    {"id": "m2", "timestamp": "2026-02-04T10:00:05.500Z", "role": "assistant", "content": "Three beds.", "toolsUsed": ["read_file", "search_files"]},
    {"id": "m3", "timestamp": "2026-02-04T10:02:00.000Z", "role": "user", "content": "Add a fourth."},
    {"id": "m4", "timestamp": "2026-02-04T10:02:04.000Z", "role": "assistant", "content": "I am at it.", "toolsUsed": ["edit_file"]},
    {"id": "m5", "timestamp": "2026-02-04T10:02:09.000Z", "role": "assistant", "content": "Done.", "toolsUsed": ["edit_file", "send_message"]}]},
  {"id": "conv-1770003600000", "startedAt": "2026-02-04T11:00:00.000Z", "endedAt": null, "title": null, "summary": null, "messages": [
    {"id": "m6", "timestamp": "2026-02-04T11:00:00.000Z", "role": "user", "content": "Hello?"}]}]},
 "conversationHistory": {"lastSummarized": "2026-01-10T00:00:00.000Z",
  "recentConversations": [
   {"id": "h2", "timestamp": "2026-01-12T09:00:00.000Z", "userMessage": "Second", "assistantResponse": "Two", "toolsUsed": []},
   {"id": "h1", "timestamp": "2026-01-11T09:00:00.000Z", "userMessage": "First", "assistantResponse": "One", "toolsUsed": ["create_note"], "source": "websocket"}],
  "summaries": [
   {"startDate": "2025-12-01T00:00:00.000Z", "endDate": "2025-12-31T00:00:00.000Z", "summary": "Talked about snow.", "conversationCount": 12},
   {"startDate": "2025-11-01T00:00:00.000Z", "endDate": "2025-11-01T00:00:00.000Z", "summary": "Talked about leaves.", "conversationCount": 3}]}}`

// lines is a conversation, briefly.
func lines(c *conversation.Conversation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %q %s-%s", c.ID, c.Title, c.Summary, c.Started.Format("0102T1504"), c.Ended.Format("0102T1504"))
	turns := func(list []conversation.Turn) {
		for _, t := range list {
			fmt.Fprintf(&b, " [%s %s", t.ID, t.Ended.Format("0102T150405"))
			for _, m := range t.Messages {
				fmt.Fprintf(&b, " %s:%s", m.Role, m.Content)
			}
			fmt.Fprintf(&b, " %s]", strings.Join(t.ToolsUsed, ","))
		}
	}
	turns(c.Turns)
	for _, br := range c.Branches() {
		fmt.Fprintf(&b, " %s>", br.Fork)
		turns(br.Turns)
	}
	return b.String()
}

func parse(t testing.TB, data string) ([]*conversation.Conversation, []string) {
	t.Helper()
	convs, warnings, err := Parse([]byte(data))
	if err != nil {
		t.Fatalf("%.80s: %v", data, err)
	}
	return convs, warnings
}

func TestBothFormats(t *testing.T) {
	convs, warnings := parse(t, both)
	want := []string{
		`20260204-100000-6fa0033c "Planning the garden" "Beds were planned.\nSeeds are missing." 0204T1000-0204T1009` +
			` [m1 0204T100005 user:What is in my garden note? assistant:Three beds. read_file,search_files]` +
			` [m3 0204T100209 user:Add a fourth. assistant:I am at it. assistant:Done. edit_file,send_message]`,
		`20260204-110000-89b446a0 "" "" 0204T1100-0204T1100 [m6 0204T110000 user:Hello? ]`,
		`20251101-000000-b3154901 "Migrated conversation history" "(2025-11-01) Talked about leaves.\n\n(2025-12-01 to 2025-12-31) Talked about snow." 1101T0000-0112T0900` +
			` [h1 0111T090000 user:First assistant:One create_note] [h2 0112T090000 user:Second assistant:Two ]`,
	}
	if len(convs) != len(want) || len(warnings) > 0 {
		t.Fatalf("%d conversations, warned %q", len(convs), warnings)
	}
	for i := range want {
		if got := lines(convs[i]); got != want[i] {
			t.Errorf("%d:\n%s, want\n%s", i, got, want[i])
		}
	}
	if again, _ := parse(t, both); !slices.EqualFunc(convs, again, func(a, b *conversation.Conversation) bool { return lines(a) == lines(b) }) {
		t.Error("another time it is another thing")
	}
	for _, alone := range []string{`{"conversations":[{"messages":[{"role":"user","content":"x"}]}]}`, `{"recentConversations":[{"userMessage":"x"}]}`, "\xef\xbb\xbf" + both} {
		if convs, warnings := parse(t, alone); len(convs) == 0 || len(warnings) > 0 {
			t.Errorf("%.60s: %v, %q", alone, convs, warnings)
		}
	}
}

// TestImported: what was parsed is stored and read back the same, once.
func TestImported(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	convs, _ := parse(t, branched)
	more, _ := parse(t, both)
	convs = append(convs, more...)
	m := conversation.NewManager(root, conversation.Options{Warn: func(s string) { t.Error(s) }})
	if added, skipped, err := m.Import(convs); added != 4 || skipped != 0 || err != nil {
		t.Fatal(added, skipped, err)
	}
	m = conversation.NewManager(root, conversation.Options{Warn: func(s string) { t.Error(s) }})
	for _, want := range convs {
		if got, err := m.Get(want.ID); err != nil || lines(got) != lines(want) {
			t.Errorf("%v\n%s, want\n%s", err, lines(got), lines(want))
		}
	}
	again, _ := parse(t, both)
	if added, skipped, err := m.Import(again); added != 0 || skipped != 3 || err != nil {
		t.Error(added, skipped, err)
	}
	if c, err := m.Active(); c != nil || err != nil {
		t.Errorf("active: %v, %v", c, err)
	}
}

const branched = `{"conversationData":{"conversations":[{"id":"b","startedAt":"2026-02-04T10:00:00Z","messages":[
	{"id":"1","timestamp":"2026-02-04T10:00:00Z","role":"user","content":"one"},{"id":"2","timestamp":"2026-02-04T10:01:00Z","role":"assistant","content":"eins"},
	{"id":"5","timestamp":"2026-02-04T10:09:00Z","role":"user","content":"two, edited"},{"id":"6","timestamp":"2026-02-04T10:10:00Z","role":"assistant","content":"zwei"}],
	"branches":[{"messages":[{"id":"3","timestamp":"2026-02-04T10:02:00Z","role":"user","content":"two"},{"id":"4","timestamp":"2026-02-04T10:03:00Z","role":"assistant","content":"deux"}]},
		{"messages":[{"id":"0","role":"user","content":"zero"}]}, {"messages":[]}, 7, null]}]}}`

func TestBranches(t *testing.T) {
	convs, warnings := parse(t, branched)
	want := `20260204-100000-6f05a386 "" "" 0204T1000-0204T1010 [1 0204T100100 user:one assistant:eins ] [5 0204T101000 user:two, edited assistant:zwei ]` +
		` 1> [3 0204T100300 user:two assistant:deux ] > [0 0204T100000 user:zero ]`
	if len(convs) != 1 || len(warnings) > 0 || lines(convs[0]) != want {
		t.Errorf("%q\n%s, want\n%s", warnings, lines(convs[0]), want)
	}
}

// TestLenient: of a conversation everything is kept that can be.
func TestLenient(t *testing.T) {
	for _, c := range []struct{ conv, want, warned string }{
		{`{"messages":[{"role":"user","content":"hi"}]}`, `19700101-000000-eb7540d4 "" "" 0101T0000-0101T0000 [19700101-000000-eb7540d4-190877be 0101T000000 user:hi ]`, ""},
		{
			`{"id":7,"startedAt":1770199200000,"endedAt":true,"title":{"x":1},"summary":["s"],"messages":[{"id":1,"role":"USER","content":"hi","timestamp":"nonsense","toolsUsed":"x"},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image"},"b",7],"toolsUsed":["t",null,{},2,"t"]}]}`,
			`20260204-100000-3d5f0fd8 "" "" 0204T1000-0204T1000 [1 0204T100000 user:hi assistant:a` + "\n\nb\n\n7" + ` t,2]`, "",
		},
		{
			`{"id":"x","startedAt":"2026-02-04T10:00:00Z","messages":[{"role":"assistant","content":"welcome","timestamp":"2026-02-04T09:00:00+01:00"},{"role":"user","content":"hi","timestamp":"2026-02-04T08:30:00"}]}`,
			`20260204-080000-553f121d "" "" 0204T0800-0204T0830 [20260204-080000-553f121d-b30af236 0204T080000 assistant:welcome ] [20260204-080000-553f121d-6c23b7a2 0204T083000 user:hi ]`, "",
		},
		{
			`{"id":"x","messages":[{"role":"system","content":"s"},{"role":"user","content":" "},null,3,{"content":"nobody"},{"role":"user","content":"hi"}]}`,
			`hi ]`, "conversation 1 (x): 5 messages without text or role were left out",
		},
		{`{"id":"x","messages":[]}`, "", "conversation 1 (x) was skipped: it has no messages"},
		{`{"id":"` + strings.Repeat("y", 100) + `"}`, "", "conversation 1 (" + strings.Repeat("y", 39) + "…) was skipped"},
		{`null`, "", "conversation 1 was skipped: it is not an object"},
		{`"text"`, "", "conversation 1 was skipped: it is not an object"},
		{
			`{"id":"x","startedAt":"2026-02-04T10:00:00Z","endedAt":"2020-01-01T00:00:00Z","messages":[{"id":"a","role":"user","content":"hi"},{"id":"a","role":"user","content":"again"}]}`,
			`user:again ]`, "",
		},
	} {
		convs, warnings := parse(t, `{"conversationData":{"conversations":[`+c.conv+`]}}`)
		got := ""
		for _, conv := range convs {
			got += lines(conv)
		}
		if !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%.100s\n%s, want\n%s", c.conv, got, c.want)
		}
		if w := strings.Join(warnings, "\n"); !strings.HasPrefix(w, c.warned) || (c.warned == "") != (w == "") {
			t.Errorf("%.100s: warned %q, want %q", c.conv, w, c.warned)
		}
	}
	twice := `{"id":"x","messages":[{"role":"user","content":"hi"}]}`
	if convs, warnings := parse(t, `{"conversationData":{"conversations":[`+twice+`,`+twice+`]}}`); len(convs) != 1 || len(warnings) != 1 || !strings.Contains(warnings[0], "twice") {
		t.Errorf("%v, %q", convs, warnings)
	}
	if _, warnings := parse(t, `{"conversationData":{"conversations":[`+strings.Repeat(`7,`, 500)+`7]}}`); len(warnings) != maxWarnings+1 || warnings[maxWarnings] != "and 401 more like these" {
		t.Errorf("%d warnings", len(warnings))
	}
}

func TestLenientHistory(t *testing.T) {
	for _, c := range []struct{ history, want, warned string }{
		{
			`{"recentConversations":[{"userMessage":"only asked"},{"assistantResponse":"only said"},{"userMessage":" "},null,7],"summaries":null}`,
			`user:only asked assistant:only said ]`, "recent conversation 3 was skipped: it is empty",
		},
		{
			`{"recentConversations":"none","summaries":["just text",{"summary":"S","endDate":"2025-02-01"},{"summary":""},{"summary":"late","periodStart":"2025-03-01T00:00:00Z"}]}`,
			`"Migrated conversation history" "just text\n\n(until 2025-02-01) S\n\n(from 2025-03-01) late" 0301T0000-0301T0000`, "summary 3 was skipped",
		},
		{`{"recentConversations":[],"summaries":[]}`, "", "the older history was skipped: it is empty"},
		{`{"recentConversations":7}`, "", `"conversationHistory" has neither`},
		{`"text"`, "", `"conversationHistory" has neither`},
	} {
		convs, warnings := parse(t, `{"conversationHistory":`+c.history+`}`)
		got := ""
		for _, conv := range convs {
			got += lines(conv)
		}
		if !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%.100s\n%s, want\n%s", c.history, got, c.want)
		}
		if w := strings.Join(warnings, "\n"); !strings.HasPrefix(w, c.warned) {
			t.Errorf("%.100s: warned %q, want %q", c.history, w, c.warned)
		}
	}
	convs, _ := parse(t, `{"conversationHistory":{"recentConversations":[{"timestamp":"2026-01-01T00:00:00Z","userMessage":"a"}]}}`)
	grown, _ := parse(t, `{"conversationHistory":{"recentConversations":[{"timestamp":"2026-01-01T00:00:00Z","userMessage":"a"},{"timestamp":"2026-01-02T00:00:00Z","userMessage":"b"}]}}`)
	if convs[0].ID != grown[0].ID {
		t.Error("a history that grew is another conversation")
	}
}

// TestMigratedThere: the plugin made a conversation of its older history itself.
func TestMigratedThere(t *testing.T) {
	migrated := strings.Replace(both, `"title": null`, `"title": "Migrated conversation history"`, 1)
	convs, warnings := parse(t, migrated)
	if len(convs) != 2 || len(warnings) != 1 || !strings.Contains(warnings[0], "older history") {
		t.Errorf("%d conversations, %q", len(convs), warnings)
	}
}

func TestNoSuchFile(t *testing.T) {
	for data, want := range map[string]string{
		"":                            "empty",
		" \n":                         "empty",
		"{\n\"a\": 1,\n}":             "line 3",
		`[]`:                          "JSON object",
		`7`:                           "JSON object",
		`null`:                        "no conversations",
		`{}`:                          "no conversations",
		`{"conversationData":null}`:   "no conversations",
		`{"conversations":{}}`:        "no conversations",
		strings.Repeat("[", 100_000):  "not valid JSON",
		`{"a":"` + "\xff" + `"}`:      "no conversations",
		"PK\x03\x04":                  "not valid JSON",
		`{"conversationHistory":null`: "not valid JSON",
	} {
		convs, _, err := Parse([]byte(data))
		if err == nil || !strings.Contains(err.Error(), want) || len(convs) > 0 {
			t.Errorf("%.40q: %v, want %q", data, err, want)
		}
	}
	if _, _, err := Parse(make([]byte, MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "256 MB") {
		t.Errorf("too long: %v", err)
	}
	if convs, warnings := parse(t, `{"conversationData":{"conversations":7}}`); len(convs) != 0 || len(warnings) != 1 {
		t.Errorf("%v, %q", convs, warnings)
	}
}

func TestTimes(t *testing.T) {
	for in, want := range map[string]string{
		"2026-02-04T10:00:00.123Z": "2026-02-04T10:00:00.123Z", "2026-02-04T12:00:00+02:00": "2026-02-04T10:00:00Z", "2026-02-04": "2026-02-04T00:00:00Z",
		"2026-02-04 10:00:00": "2026-02-04T10:00:00Z", " 1770199200000 ": "2026-02-04T10:00:00Z", "1770199200": "2026-02-04T10:00:00Z", "1.7701992e12": "2026-02-04T10:00:00Z",
		"": "", "soon": "", "NaN": "", "1e300": "", "-1e300": "", "Inf": "", "0001-01-01T00:00:00Z": "", "9999-12-31T23:59:59-12:00": "", "-5": "", "8.64e15": "", "true": "",
	} {
		got := ""
		if v := parseTime(in); !v.IsZero() {
			got = v.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzParse: whatever a file holds, nothing panics, and what comes of it can be imported.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{both, branched, `{"conversations":[{"id":null,"messages":[{"role":"user","content":["a"],"timestamp":-1}]}]}`, `{"recentConversations":[{}],"summaries":[1,{"summary":{}}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		convs, warnings, err := Parse(data)
		if err != nil {
			if len(convs) > 0 || strings.TrimSpace(err.Error()) == "" {
				t.Fatal(convs, err)
			}
			return
		}
		if again, _, err := Parse(data); err != nil || !reflect.DeepEqual(convs, again) {
			t.Fatalf("another time it is another thing: %v", err)
		}
		ids := map[string]bool{}
		turns := map[string]bool{}
		for _, c := range convs {
			if ids[c.ID] || c.Ended.IsZero() || c.Started.IsZero() || c.Ended.Before(c.Started) || len(c.Turns) == 0 && len(c.Branches()) == 0 && c.Summary == "" {
				t.Fatalf("%+v", c)
			}
			ids[c.ID] = true
			all := slices.Clone(c.Turns)
			for _, x := range all {
				if turns[x.ID] || x.ID == "" || len(x.Messages) == 0 || x.Ended.Before(x.Started) {
					t.Fatalf("%+v", x)
				}
				turns[x.ID] = true
			}
			if _, err := json.Marshal(c); err != nil {
				t.Fatal(err)
			}
		}
		if len(warnings) > maxWarnings+1 {
			t.Fatalf("%d warnings", len(warnings))
		}
	})
}
