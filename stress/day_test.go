//go:build linux

package stress

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/internal/ptytest"
)

// TestADay is 24 hours compressed: 10,000 turns (60 in the short form) in one chat, with tool
// calls, new conversations and resizes, through the real binary. Memory grows by at most 1 MB per
// 1,000 turns, and the number of open files does not grow.
func TestADay(t *testing.T) {
	t.Parallel()
	turns := rounds(60, 10_000)
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { forgetful(w, r, &calls) }))
	defer srv.Close()
	h := newHome(t, scratch(t), binary(t), nil, linked())
	h.env = []string{"OPENAI_BASE_URL=" + srv.URL + "/v1", "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
	x := ptytest.Start(t, ptytest.Options{Path: h.bin, Args: []string{"--vault", h.vault}, Dir: h.dir, Env: h.environment(), Width: 100, Height: 30})
	x.WaitFor("Ask about your notes", patience)

	var samples []sample
	began := time.Now()
	warm := turns / 10
	for n := 1; n <= turns; n++ {
		if n%25 == 0 {
			x.WaitIdle(150*time.Millisecond, patience) // it is for between turns
			x.Send("/new\r")
			x.WaitFor("New conversation", patience)
		}
		if n%10 == 0 {
			x.Resize(60+n%70, 20+n%17)
		}
		x.Send(fmt.Sprintf("question %d\r", n))
		x.WaitFor(fmt.Sprintf("to question %d.", n), patience)
		if n >= warm && n%max(turns/40, 1) == 0 {
			samples = append(samples, sample{n, resident(t, x.PID()), descriptors(t, x.PID())})
		}
	}
	first, last := samples[0], samples[len(samples)-1]
	perThousand := slope(samples) * 1000
	t.Logf("%d turns in %v, %d model calls: memory %.1f MB after %d turns, %.1f MB after %d, %+.2f MB per 1,000 turns; %d open files, then %d",
		turns, time.Since(began).Round(time.Second), calls.Load(), mb(first.bytes), first.turn, mb(last.bytes), last.turn, mb(int64(perThousand)), first.files, last.files)
	if long() && mb(int64(perThousand)) > 1 {
		t.Errorf("memory grows by %.2f MB per 1,000 turns: %v", mb(int64(perThousand)), samples)
	}
	if mb(last.bytes) > 300 {
		t.Errorf("it takes %.0f MB", mb(last.bytes))
	}
	if last.files > first.files+2 { // a connection to the endpoint may be open or not
		t.Errorf("%d files are open, it were %d", last.files, first.files)
	}
	x.WaitIdle(150*time.Millisecond, patience)
	x.Press("ctrl+d")
	if code := x.Wait(patience); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// sample is what the process holds after so many turns.
type sample struct {
	turn  int
	bytes int64
	files int
}

func mb(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// slope is by how many bytes memory grows in a turn, by least squares.
func slope(samples []sample) float64 {
	var x, y float64
	for _, s := range samples {
		x += float64(s.turn)
		y += float64(s.bytes)
	}
	n := float64(len(samples))
	x, y = x/n, y/n
	var xy, xx float64
	for _, s := range samples {
		xy += (float64(s.turn) - x) * (float64(s.bytes) - y)
		xx += (float64(s.turn) - x) * (float64(s.turn) - x)
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

// resident is the memory of a process that is its own, in bytes: not what it maps of its binary.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	for line := range strings.Lines(read(t, fmt.Sprintf("/proc/%d/status", pid))) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			must(t, err)
			return kb << 10
		}
	}
	t.Fatal("the system does not tell of memory")
	return 0
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	open, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	must(t, err)
	return len(open)
}

// forgetful is a model that answers every question, each second one after a tool call, and keeps
// nothing of what it was asked.
func forgetful(w http.ResponseWriter, r *http.Request, calls *atomic.Int64) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model"}]}`)
		return
	}
	var chat struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&chat); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n := calls.Add(1)
	number := 0
	for _, m := range chat.Messages {
		if text := fmt.Sprint(m.Content); m.Role == "user" && strings.HasPrefix(text, "question ") {
			_, _ = fmt.Sscanf(text, "question %d", &number)
		}
	}
	last := chat.Messages[len(chat.Messages)-1]
	delta := map[string]any{"role": "assistant", "content": fmt.Sprintf("This is the **answer** to question %d. It says `something` of [[Projects/a]].", number)}
	finish := "stop"
	if number%2 == 0 && last.Role == "user" && number > 0 {
		delta = map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": "read_file", "arguments": `{"path":"Projects/a.md"}`},
		}}}
		finish = "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []map[string]any{{"index": 0, "delta": delta}, {"index": 0, "delta": map[string]any{}, "finish_reason": finish}} {
		line, _ := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "test-model", "choices": []any{choice}})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
