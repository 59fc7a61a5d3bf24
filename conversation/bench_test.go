package conversation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"chatvault/internal/base/statefile"
)

// writeConversations writes n conversations of twenty messages each below dir in the manager's format, one write per
// file; the last is active. 1,000 of them take about 14 MB.
func writeConversations(t testing.TB, dir string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for i := range n {
		when := noon.Add(time.Duration(i) * time.Hour)
		c := &Conversation{ID: fmt.Sprintf("%s-%08x", when.Format(statefile.IDTime), i), Started: when, Title: fmt.Sprintf("Talk %d about %s", i, words(random, 4)), Summary: words(random, 40)}
		for j := range 10 {
			turn := turn(fmt.Sprintf("m%d-%d", i, j), when.Add(time.Duration(j)*time.Minute))
			turn.Messages[0].Content = words(random, 20)
			turn.Messages[1] = Message{Role: RoleAssistant, Time: turn.Ended, ToolCalls: []ToolCall{{ID: "c", Name: "read_file", Arguments: `{"path":"a.md"}`}}}
			turn.Messages = append(turn.Messages,
				Message{Role: RoleTool, Time: turn.Ended, ToolCallID: "c", ToolName: "read_file", Content: words(random, 60)},
				Message{Role: RoleAssistant, Time: turn.Ended, Content: words(random, 80)})
			c.Turns = append(c.Turns, turn)
		}
		if i == n/2 {
			c.Turns[3].Messages[0].Content += " — the Überraschung, called zebrafish"
		}
		records := c.records()
		if i == n-1 {
			records = records[:len(c.Turns)+1]
		}
		data, err := encode(records)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file(c.ID)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var vocabulary = strings.Fields(`the and of to in note project meeting garden recipe tomato plan week travel Berlin
	invoice “draft” review link heading budget café naïve list table summary question answer idea book author chapter
	water light season harvest train ticket hotel museum river mountain coffee bread salt kitchen window door`)

func words(random *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		switch {
		case i == 0:
		case i%15 == 0:
			b.WriteString(".\n")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[random.IntN(len(vocabulary))])
	}
	return b.String()
}

func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	writeConversations(b, dir, 1000)
	root := openRoot(b, dir)
	if _, err := NewManager(root, Options{}).List(); err != nil {
		b.Fatal(err)
	}
	var before, after runtime.MemStats
	var m *Manager
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		m = NewManager(root, Options{})
		if c, err := m.Active(); err != nil || len(c.Turns) != 10 {
			b.Fatal(c, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1024, "KiB-kept")
	runtime.KeepAlive(m)
}

func BenchmarkRebuild(b *testing.B) {
	dir := b.TempDir()
	writeConversations(b, dir, 1000)
	root := openRoot(b, dir)
	for b.Loop() {
		_ = os.Remove(filepath.Join(dir, indexFile))
		if list, err := NewManager(root, Options{}).List(); err != nil || len(list) != 1000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	dir := b.TempDir()
	writeConversations(b, dir, 1000)
	m := NewManager(openRoot(b, dir), Options{})
	c, err := m.Active()
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		if err := m.Append(c.ID, turn(fmt.Sprintf("n%d", i), at(i))); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	writeConversations(b, dir, 1000)
	m := NewManager(openRoot(b, dir), Options{})
	for _, query := range []string{"zebrafish", "überraschung", "the", "tomato", "tomato garden river", "role", "content", "nothing-like-it", "café", "a"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Search(b.Context(), query, 20); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
