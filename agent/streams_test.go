package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/llmtest"
)

// outcome is what a turn makes of a row of the corpus. Rows that are not named are answered "hi"
// by one request. Where the corpus and the product's contract differ, this says what the contract says:
// the text of a failed attempt is withdrawn, an empty answer gets one nudge.
type outcome struct {
	attempts int      // requests of the first model call; 0 means one
	answer   string   // of a turn that finished
	code     llm.Kind // of a turn that failed
	shows    string   // part of what the user is told then
	notice   string   // part of what the user is told besides
	tools    bool     // the response calls tools: a second model call answers "done"
	runs     []string // calls that ran, in order: tool and path
	refused  int      // calls that were answered with an error instead
	told     string   // part of what the model is told of them
}

func cutOff(shows string) outcome {
	return outcome{attempts: 4, code: llm.KindNetwork, shows: shows}
}

func final(code llm.Kind, shows string) outcome {
	return outcome{attempts: 1, code: code, shows: shows}
}

func ran(runs ...string) outcome { return outcome{tools: true, runs: runs} }

func refused(told string) outcome { return outcome{tools: true, refused: 1, told: told} }

var outcomes = map[string]outcome{
	"eof-no-finish":                      cutOff("cut off"),
	"eof-mid-tool-args":                  cutOff("cut off"),
	"rst-mid":                            cutOff("cut"),
	"rst-before-headers":                 cutOff("cut"),
	"done-only":                          cutOff("cut off"),
	"finish-stop-empty":                  {attempts: 2, notice: "returned nothing"},
	"html-200":                           final(llm.KindNetwork, "text/html"),
	"gzip-truncated":                     cutOff("cut off"),
	"err-first-key":                      cutOff("boom"),
	"err-after-event-line":               cutOff("boom"),
	"err-openrouter-shape":               cutOff("Provider disconnected"),
	"err-spaced-json":                    cutOff("boom"),
	"err-string":                         cutOff("boom"),
	"err-plain-200-no-newline":           cutOff("boom"),
	"err-then-open":                      cutOff("boom"),
	"err-two-json-glued":                 cutOff("boom"),
	"bad-json-one-chunk":                 cutOff("not JSON"),
	"line-400MB":                         final(llm.KindInvalidRequest, "4 MiB"),
	"finish-length-text":                 {answer: "hi", notice: "token limit"},
	"tool-no-index-two":                  ran("read_note a.md", "read_note b.md"),
	"tool-index-always-0":                ran("read_note a.md", "read_note b.md"),
	"tool-summary-duplicate":             ran("read_note notes/a.md"),
	"tool-name-split":                    ran("read_note a.md"),
	"tool-empty-id":                      ran("read_note a.md"),
	"tool-args-object":                   ran("read_note a.md"),
	"tool-index-string":                  ran("read_note a.md"),
	"tool-args-empty":                    ran("list_notes "),
	"tool-finish-stop":                   ran("read_note notes/a.md"),
	"tool-args-double-object":            refused("not a valid JSON object"),
	"tool-args-dup-keys":                 refused("path"),
	"tool-args-wrong-types":              refused("path"),
	"tool-args-deep":                     refused("not a valid JSON object"),
	"tool-name-control-chars":            refused("no tool"),
	"tool-length-cut":                    refused("token limit"),
	"tool-length-reported-as-tool_calls": refused("not a valid JSON object"),
	"tool-parallel-32":                   {tools: true, runs: slices.Repeat([]string{"write_note a.md"}, 16), refused: 16, told: "at most 16"},
	"tool-text-form":                     {answer: `<tool_call>{"name":"delete_note"}</tool_call>`},
	// Ten repeats may be meant; TestDoomText goes on for longer.
	"doom-text":                 {answer: strings.Repeat(strings.Repeat("I will look into the note now. ", 7)[:200], 10)},
	"http-429":                  {attempts: 4, code: llm.KindRateLimit, shows: "e429"},
	"http-502":                  cutOff("e502"),
	"http-503":                  cutOff("e503"),
	"http-529":                  cutOff("e529"),
	"http-408":                  cutOff("e408"),
	"http-429-retry-after-3600": final(llm.KindRateLimit, "60 minutes"),
	"http-429-quota":            final(llm.KindRateLimit, "no credit"),
	// One short message: nothing older can be left out, so that another try would be the same.
	// TestContextRows has a history.
	"http-400-context":           final(llm.KindInvalidRequest, "nothing older"),
	"http-400-context-text-only": final(llm.KindInvalidRequest, "nothing older"),
	"http-402":                   final(llm.KindRateLimit, "Next: add credit"),
	"http-403":                   final(llm.KindAuth, "Next: set the key"),
	"http-404":                   final(llm.KindInvalidRequest, "Next:"),
	"http-413":                   final(llm.KindInvalidRequest, "Next:"),
	"http-401-array":             final(llm.KindAuth, "bad"),
	"http-302-other-host":        final(llm.KindNetwork, "127.0.0.1:1"),
	"silent-forever":             cutOff("no answer within"),
	"idle-mid-stream":            cutOff("nothing came for"),
}

// waits are the bounds of the provider, for the rows that wait; the others wait for nothing.
func waits(id string) (scale float64, firstByte, idle time.Duration) {
	switch id {
	case "slow-first-byte-90s":
		return 0.01, 1200 * time.Millisecond, 600 * time.Millisecond
	case "silent-forever":
		return 1, 400 * time.Millisecond, 10 * time.Second
	case "idle-mid-stream":
		return 1, 10 * time.Second, 60 * time.Millisecond
	}
	return 1, 20 * time.Second, 20 * time.Second
}

// chunkings are how a fault's bytes arrive: one of the ways in turn, as providers try each of them with each
// fault; all of them with CHATVAULT_STRESS=1.
func chunkings(i int) []llmtest.Chunking {
	if os.Getenv("CHATVAULT_STRESS") != "" {
		return llmtest.Chunkings
	}
	i %= len(llmtest.Chunkings)
	return llmtest.Chunkings[i : i+1]
}

// TestStreams sends every row of the corpus through the whole loop: an HTTP server that
// misbehaves, provider, agent, real tools, processor, disk.
func TestStreams(t *testing.T) {
	faults, err := llmtest.Faults()
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := []string{ // rows that are not about the answer to one call: network_test.go
		"doom-cycle-ABAB", "dns-timeout", "tls-handshake-eof", "http-to-https-port", "proxy-407", "offline-then-back",
	}
	seen := map[string]bool{}
	for i, f := range faults {
		seen[f.ID] = true
		for _, c := range chunkings(i) {
			scale, firstByte, idle := waits(f.ID)
			step, ok := f.Step(c, scale)
			if !ok {
				if !slices.Contains(elsewhere, f.ID) {
					t.Errorf("%s is tried nowhere", f.ID)
				}
				continue
			}
			t.Run(f.ID+"/"+string(c), func(t *testing.T) {
				t.Parallel()
				want, named := outcomes[f.ID]
				if !named {
					want = outcome{answer: "hi"}
				}
				want.attempts = max(1, want.attempts)
				step.Times = want.attempts
				steps := []llmtest.Step{step}
				if want.tools {
					want.answer = "done"
					steps = append(steps, llmtest.Reply("done"))
				}
				steps = append(steps, llmtest.Reply("Still here.", llmtest.Expect(`user contains "And now?"`)))
				srv := llmtest.New(t, steps...)
				dir := t.TempDir()
				if err := newVault(dir); err != nil {
					t.Fatal(err)
				}
				ch, err := open(dir, model(srv.URL(), firstByte, idle))
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := ch.close(); err != nil {
						t.Error(err)
					}
					if where := ch.leaks(); where != nil {
						t.Errorf("a key is in %v", where)
					}
				}()
				begun := time.Now()
				last, err := ch.turn("Read the notes.")
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begun); took > 10*time.Second || f.ID == "err-then-open" && took > 2*time.Second {
					t.Errorf("the turn took %v", took)
				}
				checkOutcome(t, ch, f, want, last)
				if n, all := len(srv.AllRequests()), len(steps)-2+want.attempts; n != all {
					t.Errorf("%d requests, want %d", n, all)
				}
				next, err := ch.turn("And now?")
				if err != nil {
					t.Fatal(err)
				}
				if e, ok := next.(event.TurnFinished); !ok || e.Response != "Still here." {
					t.Errorf("the next turn: %+v", next)
				}
				if n, all := len(srv.AllRequests()), len(steps)-1+want.attempts; n != all {
					t.Errorf("%d requests after the next turn, want %d", n, all)
				}
			})
		}
	}
	for id := range outcomes {
		if !seen[id] {
			t.Errorf("the corpus has no row %s", id)
		}
	}
}

func checkOutcome(t *testing.T, c *chain, f llmtest.Fault, want outcome, last event.Event) {
	t.Helper()
	if f.Retry && f.ID != "finish-stop-empty" != (want.attempts == 4) {
		t.Errorf("%d attempts are expected of a row with retry %v", want.attempts, f.Retry)
	}
	pending, err := c.inbox()
	if err != nil {
		t.Fatal(err)
	}
	turns, err := c.record()
	if err != nil || len(turns) != 1 {
		t.Fatalf("recorded %+v, %v", turns, err)
	}
	turn := turns[0]
	switch e := last.(type) {
	case event.TurnFinished:
		reason := event.StopCompleted
		switch {
		case want.answer == "":
			reason = event.StopNoProgress
		case f.ID == "finish-length-text":
			reason = event.StopLength
		}
		if want.code != "" || !e.Success || e.Response != want.answer || e.StopReason != reason {
			t.Errorf("finished with %.100q, %s; want %.100q, code %q", e.Response, e.StopReason, want.answer, want.code)
		}
		if len(pending) != 0 || turn.Failed {
			t.Errorf("inbox %v, recorded as failed: %v", pending, turn.Failed)
		}
	case event.TurnFailed:
		if want.code == "" || e.Code != want.code || !strings.Contains(e.Text, want.shows) {
			t.Errorf("failed with %q: %s; want %q: %s", e.Code, e.Text, want.code, want.shows)
		}
		if _, kept := pending[e.TurnID]; !kept || len(pending) != 1 || !turn.Failed {
			t.Errorf("inbox %v, recorded as failed: %v", pending, turn.Failed)
		}
	default:
		t.Errorf("the turn ended with %+v", last)
	}
	checkShown(t, c.events, f, want)
	checkRecorded(t, turn, want)
	for name, text := range notes {
		if f.ID == "tool-parallel-32" && name == "a.md" {
			text = "15" // the last of the sixteen that run
		}
		if data, err := os.ReadFile(filepath.Join(c.dir, name)); err != nil || string(data) != text {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
}

// checkShown follows the events as a screen does: what a Retry voids is gone.
func checkShown(t *testing.T, events []event.Event, f llmtest.Fault, want outcome) {
	t.Helper()
	text, mark, done, reasoning, notices := "", 0, "", "", ""
	retries, open := 0, map[string]bool{}
	for _, e := range events {
		switch e := e.(type) {
		case event.StateChanged:
			if e.State == event.StateThinking {
				mark = len(text)
			}
		case event.TextDelta:
			text += e.Text
		case event.TextDone:
			done += e.Text
		case event.ReasoningDelta:
			reasoning += e.Text
		case event.Notice:
			notices += e.Text + "\n"
		case event.Retry:
			text = text[:mark]
			if e.Attempt != retries+2 || retries >= len(delays) || e.Delay != delays[retries] || e.Code != want.code {
				t.Errorf("retry %d: %+v", retries, e)
			}
			retries++
		case event.ToolStarted:
			if open[e.ID] {
				t.Errorf("call %s starts twice", e.ID)
			}
			open[e.ID] = true
		case event.ToolFinished:
			if !open[e.ID] {
				t.Errorf("call %s ends without a beginning", e.ID)
			}
			delete(open, e.ID)
		}
	}
	if retry := want.code != ""; retry && retries != want.attempts-1 || !retry && retries != 0 {
		t.Errorf("%d retries", retries)
	}
	if len(open) > 0 {
		t.Errorf("calls %v do not end", open)
	}
	switch {
	case want.code == "" && (text != want.answer || done != want.answer):
		t.Errorf("shown %.100q, done %.100q; want %.100q", text, done, want.answer)
	case want.code != "" && (done != "" || strings.Count(text, "hi") > 1 && f.ID != "gzip-truncated"):
		t.Errorf("a failed call leaves %q, done %q", text, done)
	}
	if f.ID == "reasoning-content" != (reasoning == "think") {
		t.Errorf("reasoning %q", reasoning)
	}
	if !strings.Contains(notices, want.notice) || want.notice == "" && notices != "" {
		t.Errorf("notices %q, want %q", notices, want.notice)
	}
}

// checkRecorded looks for the runs, in call order, and for what no record may hold.
func checkRecorded(t *testing.T, turn conversation.Turn, want outcome) {
	t.Helper()
	targets := map[string]string{}
	var runs []string
	errors := 0
	answer := ""
	for _, m := range turn.Messages {
		switch m.Role {
		case conversation.RoleAssistant:
			if m.Content == "" && len(m.ToolCalls) == 0 {
				t.Error("an empty assistant message is recorded")
			}
			answer += m.Content
			for _, c := range m.ToolCalls {
				if c.ID == "" {
					t.Errorf("a call without id: %+v", c)
				}
				var args struct{ Path string }
				_ = json.Unmarshal([]byte(c.Arguments), &args) // what is no path has none
				targets[c.ID] = args.Path
			}
		case conversation.RoleTool:
			if !m.IsError {
				runs = append(runs, fmt.Sprintf("%s %s", m.ToolName, targets[m.ToolCallID]))
				continue
			}
			errors++
			if want.refused > 0 && !strings.Contains(m.Content, want.told) {
				t.Errorf("the model is told %q, want %q in it", m.Content, want.told)
			}
		}
	}
	if answer != want.answer {
		t.Errorf("recorded answer %.100q, want %.100q", answer, want.answer)
	}
	if !slices.Equal(runs, want.runs) || errors != want.refused {
		t.Errorf("runs %v and %d errors; want %v and %d", runs, errors, want.runs, want.refused)
	}
}

// TestContextRows are the rows of a history that is too long, where something older can be left
// out: earlier turns become a summary, and the call is made again, once and shorter. Results of
// tools go first, without a summary.
func TestContextRows(t *testing.T) {
	faults, err := llmtest.Faults()
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&page, "line %d of many\n", i)
	}
	for i, f := range faults {
		if f.ID != "http-400-context" && f.ID != "http-400-context-text-only" {
			continue
		}
		for _, c := range chunkings(i) {
			step, _ := f.Step(c, 1)
			for _, large := range []string{"answer", "result"} {
				t.Run(f.ID+"/"+string(c)+"/"+large, func(t *testing.T) {
					t.Parallel()
					first := []llmtest.Step{llmtest.Reply("It says: " + page.String())}
					summary := []llmtest.Step{llmtest.Reply("The note has many lines.", llmtest.Expect("no tools"), llmtest.Expect(`user contains "line 7 of many"`))}
					again := llmtest.Expect(`any message contains "The note has many lines."`)
					if large == "result" {
						first = []llmtest.Step{llmtest.ToolCall("read_file", map[string]any{"path": "long.md"}), llmtest.Reply("Read.")}
						summary, again = nil, llmtest.Expect(`any message contains "call read_file again"`)
					}
					steps := slices.Concat(first, []llmtest.Step{step}, summary, []llmtest.Step{llmtest.Reply("Here.", again), llmtest.Reply("Still here.")})
					srv := llmtest.New(t, steps...)
					ch := start(t, srv.URL())
					if err := os.WriteFile(filepath.Join(ch.dir, "long.md"), []byte(page.String()), 0o644); err != nil {
						t.Fatal(err)
					}
					for _, text := range []string{"Read the note.", "What was in it?", "And now?"} {
						last, err := ch.turn(text)
						if e, ok := last.(event.TurnFinished); err != nil || !ok || e.StopReason != event.StopCompleted {
							t.Fatalf("%s: %+v, %v", text, last, err)
						}
					}
					requests := srv.Requests()
					if len(requests) != len(steps) || srv.Unserved() > 0 {
						t.Fatalf("%d requests, want %d", len(requests), len(steps))
					}
					refused := requests[len(first)]
					if sent := requests[len(requests)-2]; len(sent.Body) >= len(refused.Body) {
						t.Errorf("the second request has %d bytes, the refused one %d", len(sent.Body), len(refused.Body))
					}
					if n := len(of[event.Compacted](ch.events)); n != len(summary) {
						t.Errorf("%d summaries are told of", n)
					}
				})
			}
		}
	}
}

// TestDoomCall is a call whose arguments have no end: the stream is cut at their bound, nothing
// runs, and the next turn is as any other.
func TestDoomCall(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	line := func(delta string) string {
		return `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,` + delta + "}]}}]}\n\n"
	}
	f := llmtest.Fault{Status: 200, Headers: map[string]string{"Content-Type": "text/event-stream"}, Wire: []llmtest.WireStep{
		{Write: line(`"id":"a","function":{"name":"write_note","arguments":"{\"path\":\"a.md\",\"content\":\""}`)},
		{Write: line(fmt.Sprintf(`"function":{"arguments":%q}`, strings.Repeat("word ", 1000))), Repeat: 100_000},
	}}
	step, ok := f.Step(llmtest.Chunkings[0], 1)
	if !ok {
		t.Fatal("no step")
	}
	srv := llmtest.New(t, step, llmtest.Reply("Fine."))
	ch := start(t, srv.URL())
	last, err := ch.turn("Fill a note.")
	if e, ok := last.(event.TurnFailed); err != nil || !ok || !strings.Contains(e.Text, "larger than 2 MiB") {
		t.Errorf("%+v, %v", last, err)
	}
	if !srv.AwaitGone(0, patience) {
		t.Error("the stream was not cut")
	}
	if started := of[event.ToolStarted](ch.events); len(started) > 0 {
		t.Errorf("%+v", started)
	}
	if next, err := ch.turn("And now?"); err != nil || !finished(next, "Fine.") {
		t.Errorf("the next turn: %+v, %v", next, err)
	}
}

// TestDoomText is the row doom-text without an end: the stream is cut after at most twelve
// repeats of the block, and one of them is kept; so it is with reasoning.
func TestDoomText(t *testing.T) {
	block := strings.Repeat("I will look into the note now. ", 7)[:200]
	for _, field := range []string{"content", "reasoning_content"} {
		for _, c := range llmtest.Chunkings {
			t.Run(field+"/"+string(c), func(t *testing.T) {
				t.Parallel()
				line := fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{%q:%q}}]}\n\n", field, block)
				f := llmtest.Fault{Status: 200, Headers: map[string]string{"Content-Type": "text/event-stream"}, Wire: []llmtest.WireStep{{Write: line, Repeat: 100_000}}}
				step, ok := f.Step(c, 1)
				if !ok {
					t.Fatal("no step")
				}
				srv := llmtest.New(t, step, llmtest.Reply("Fine."))
				ch := start(t, srv.URL())
				last, err := ch.turn("Read the notes.")
				if err != nil {
					t.Fatal(err)
				}
				if !srv.AwaitGone(0, patience) {
					t.Error("the stream was not cut")
				}
				want, reason := block, event.StopLoop
				if field == "reasoning_content" { // an empty response: it is asked once more
					want, reason = "Fine.", event.StopCompleted
				}
				if e, ok := last.(event.TurnFinished); !ok || e.Response != want || e.StopReason != reason {
					t.Errorf("%+v", last)
				}
				shown := ""
				for _, e := range ch.events {
					switch e := e.(type) {
					case event.TextDelta:
						shown += e.Text
					case event.ReasoningDelta:
						shown += e.Text
					}
				}
				if n := strings.Count(shown, block); n < 1 || n > 14 {
					t.Errorf("%d repeats are shown", n)
				}
				if notices := of[event.Notice](ch.events); len(notices) != 1 || !strings.Contains(notices[0].Text, "kept repeating itself") {
					t.Errorf("%+v", notices)
				}
				turns, err := ch.record()
				if err != nil || len(turns) != 1 || turns[0].Messages[len(turns[0].Messages)-1].Content != want {
					t.Errorf("recorded %+v, %v", turns, err)
				}
				if field == "reasoning_content" {
					return
				}
				if next, err := ch.turn("And now?"); err != nil || !finished(next, "Fine.") {
					t.Errorf("the next turn: %+v, %v", next, err)
				}
			})
		}
	}
}
