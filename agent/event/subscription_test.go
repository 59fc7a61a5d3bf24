package event

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSlowSubscriber publishes without a reader: publishing does not block, text is buffered once, only deltas are
// merged, and the time is linear.
func TestSlowSubscriber(t *testing.T) {
	publish := func(n int) (*Subscription, time.Duration) {
		var b Bus
		s := b.Subscribe()
		began := time.Now()
		for i := range n {
			b.Publish(TextDelta{Meta{TurnID: "t"}, "word "})
			if i%1000 == 0 {
				b.Publish(Notice{Meta{TurnID: "t"}, "n"})
			}
		}
		return s, time.Since(began)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, short := publish(25_000)
	s, long := publish(100_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes held for 500,000 bytes of text", grown)
	}
	if long > 20*short+200*time.Millisecond {
		t.Errorf("25,000 deltas took %v, 100,000 took %v", short, long)
	}
	events, err := s.Next(context.Background())
	text, notices := 0, 0
	for _, e := range events {
		switch e := e.(type) {
		case TextDelta:
			text += len(e.Text)
		case Notice:
			notices++
		}
	}
	if err != nil || text != 500_000 || notices != 100 || len(events) > 201 {
		t.Errorf("%d events with %d bytes and %d notices, %v", len(events), text, notices, err)
	}
}

func TestMergedEvents(t *testing.T) {
	var b Bus
	s := b.Subscribe()
	a, z := Meta{TurnID: "a"}, Meta{TurnID: "z"}
	for _, e := range []Event{
		TextDelta{a, "1"},
		TextDelta{a, "2"},
		ReasoningDelta{a, "3"},
		ReasoningDelta{a, "4"},
		TextDelta{a, "5"},
		TextDelta{z, "6"},
		ToolCallDelta{Meta: a, ID: "x", Bytes: 1},
		ToolCallDelta{Meta: a, ID: "x", Bytes: 2},
		ToolCallDelta{Meta: a, ID: "y", Bytes: 3},
		StateChanged{a, StateThinking},
		StateChanged{a, StateThinking},
		RetrospectionDelta{ConversationID: "c", Text: "8"},
		RetrospectionDelta{ConversationID: "c", Text: "9"},
		RetrospectionDelta{ConversationID: "d", Text: "10"},
		TextDelta{a, "7"},
		TextDone{a, "7"},
	} {
		b.Publish(e)
	}
	events, err := s.Next(context.Background())
	var got []string
	for _, e := range events {
		switch e := e.(type) {
		case TextDelta:
			got = append(got, "text "+e.Text)
		case ReasoningDelta:
			got = append(got, "reasoning "+e.Text)
		case ToolCallDelta:
			got = append(got, "call "+e.ID+string(rune('0'+e.Bytes)))
		case RetrospectionDelta:
			got = append(got, "review "+e.ConversationID+e.Text)
		case StateChanged:
			got = append(got, "state")
		case TextDone:
			got = append(got, "done")
		}
	}
	want := "text 12, reasoning 34, text 5, text 6, call x2, call y3, state, state, review c89, review d10, text 7, done"
	if s := strings.Join(got, ", "); s != want || err != nil {
		t.Errorf("got  %s\nwant %s\n%v", s, want, err)
	}
}

func TestClosedSubscription(t *testing.T) {
	var b Bus
	s := b.Subscribe()
	b.Publish(Notice{Text: "before"})
	var wg sync.WaitGroup
	s.Close()
	b.Publish(Notice{Text: "after"})
	if events, err := s.Next(context.Background()); err != nil || len(events) != 1 {
		t.Errorf("%v, %v", events, err)
	}
	late := b.Subscribe()
	b.Close()
	for _, s := range []*Subscription{s, late, late, b.Subscribe()} { // also two readers of the same subscription
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			if _, err := s.Next(ctx); !errors.Is(err, ErrClosed) {
				t.Errorf("ended with %v", err)
			}
		})
	}
	wg.Wait()
}
