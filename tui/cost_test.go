package tui

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// exchanges adds messages of all usual kinds: questions, tool calls that read and write, and answers.
func exchanges(m *Model, messages int) {
	at := m.now().Add(-time.Hour)
	history := make([]session.HistoryItem, 0, messages)
	for i := 0; len(history) < messages; i++ {
		history = append(history,
			session.HistoryItem{Role: session.HistoryUser, Content: fmt.Sprintf("Question %d about the plums?", i), Time: at},
			session.HistoryItem{Role: session.HistoryTool, Content: "read_file", Target: fmt.Sprintf("Notes/Plums %d.md", i), Summary: "9 lines", Detail: "1: plums", Time: at},
			session.HistoryItem{Role: session.HistoryTool, Content: "read_file", Target: "Notes/Trees.md", Summary: "9 lines", Detail: "1: trees", Time: at},
			session.HistoryItem{Role: session.HistoryTool, Content: "edit_file", Target: "Notes/Trees.md", Summary: "1 line", Detail: "Replaced 1 occurrence.", Time: at},
			session.HistoryItem{Role: session.HistoryAssistant, Content: fmt.Sprintf("Answer **%d**, see [[Plums]].\n\n- one\n- two\n", i), Time: at},
		)
	}
	m.welcome.Leave()
	m.list.Append(m.talk.historyItems(history[:messages])...)
}

// BenchmarkFrame measures a key, a token and a scroll step, each with a frame, by transcript length.
func BenchmarkFrame(b *testing.B) {
	for _, messages := range []int{10, 10_000} {
		for _, act := range acts {
			b.Run(fmt.Sprintf("%s-%d", act.name, messages), func(b *testing.B) {
				s := newScreen(b)
				s.send(tea.WindowSizeMsg{Width: 120, Height: 40})
				exchanges(s.m, messages)
				act.begin(s)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					act.step(s.m, i)
					_ = s.m.View().Content
				}
			})
		}
	}
}

// acts lists the most frequent actions.
var acts = []struct {
	name  string
	begin func(*screen)
	step  func(m *Model, i int)
}{
	{"key", func(*screen) {}, func(m *Model, i int) {
		if i%50 == 49 {
			m.composer.Clear()
		}
		m.Update(keyOf("a"))
	}},
	{"token", func(s *screen) { s.ask("x") }, func(m *Model, i int) {
		if i%100 == 99 {
			m.Update(eventsMsg{events: []event.Event{event.TextDone{}, event.StateChanged{State: event.StateThinking}}})
		}
		m.Update(eventsMsg{events: []event.Event{event.TextDelta{Text: "word "}}})
	}},
	{"scroll", func(*screen) {}, func(m *Model, i int) {
		if i%2 == 0 {
			m.Update(keyOf("pgup"))
			return
		}
		m.Update(keyOf("pgdown"))
	}},
}

// A frame at 10,000 messages takes at most 1.2 times as long as at 10. Update and View are timed alternately, and the
// fastest of many rounds counts, to exclude other load.
func TestFrameTimeDoesNotGrow(t *testing.T) {
	const attempts, rounds, frames, limit = 40, 30, 20, 1.2
	for _, act := range acts {
		least := map[int]time.Duration{10: time.Hour, 10_000: time.Hour}
		screens := map[int]*screen{}
		for messages := range least {
			s := newScreen(t)
			s.send(tea.WindowSizeMsg{Width: 120, Height: 12}) // ten messages fill it
			exchanges(s.m, messages)
			act.begin(s)
			screens[messages] = s
		}
		n := 0
		for attempt := range attempts { // a busy machine gets more attempts
			for range rounds {
				for messages, s := range screens {
					began := time.Now()
					for i := range frames {
						act.step(s.m, n+i)
						_ = s.m.View().Content
					}
					least[messages] = min(least[messages], time.Since(began))
				}
				n += frames
			}
			ratio := float64(least[10_000]) / float64(least[10])
			if ratio <= limit {
				t.Logf("%s: %v a frame at 10,000 messages, %v at 10: %.2f", act.name, least[10_000]/frames, least[10]/frames, ratio)
				break
			}
			if attempt == attempts-1 {
				t.Errorf("%s: %v a frame at 10,000 messages, %v at 10: %.2f, more than %.1f", act.name, least[10_000]/frames, least[10]/frames, ratio, limit)
			}
		}
	}
}

// writes records the size of each write.
type writes struct {
	*output
	counting sync.Mutex
	sizes    []int
}

func (w *writes) Write(p []byte) (int, error) {
	w.counting.Lock()
	defer w.counting.Unlock()
	w.sizes = append(w.sizes, len(p))
	return w.output.Write(p)
}

func (w *writes) taken() []int {
	w.counting.Lock()
	defer w.counting.Unlock()
	out := w.sizes
	w.sizes = nil
	return out
}

// Unchanged content is not written: a streamed token costs at most 4 KB at 120×40 in the median, and an idle screen
// writes nothing. Bytes are counted below the renderer.
func TestBytesWritten(t *testing.T) {
	out := &writes{output: newOutput(t)}
	r := start(t, func(o *Options) { o.Output, o.ColorProfile = out, colorprofile.TrueColor })
	r.out = out.output
	r.size(120, 40)
	settled := func() {
		t.Helper()
		for quiet, patience := 0, 0; quiet < 20; patience++ {
			if patience > 1000 {
				t.Fatal("the screen never rests")
			}
			time.Sleep(10 * time.Millisecond)
			if quiet++; len(out.taken()) > 0 {
				quiet = 0
			}
		}
	}
	r.press("x")
	settled()
	r.press("\r")
	for r.f.submitted() == 0 {
		time.Sleep(time.Millisecond)
	}
	r.f.events <- event.TurnStarted{MessageIDs: []string{"m1"}}
	r.f.events <- event.StateChanged{State: event.StateThinking}
	long := "## Part\n\nA **paragraph** with a [[Note]] and `code`, of several words so that it wraps on a screen as wide as this one is, and goes on below.\n\n- one item\n- and *another*\n\n"
	r.f.events <- event.TextDelta{Text: strings.Repeat(long, 12)} // fills the screen, so that it scrolls
	time.Sleep(100 * time.Millisecond)
	out.taken()
	var sizes []int
	for i := range 60 {
		r.f.events <- event.TextDelta{Text: strings.SplitAfter(long, " ")[i%30]}
		time.Sleep(20 * time.Millisecond)
	}
	sizes = out.taken()
	slices.Sort(sizes)
	if len(sizes) == 0 {
		t.Fatal("nothing was written")
	}
	t.Logf("%d frames, of %d bytes in the median, %d at most", len(sizes), sizes[len(sizes)/2], sizes[len(sizes)-1])
	if got := sizes[len(sizes)/2]; got > 4<<10 {
		t.Errorf("a token writes %d bytes in the median", got)
	}
	r.f.events <- event.TurnFinished{}
	settled()
	time.Sleep(300 * time.Millisecond)
	if got := out.taken(); len(got) > 0 {
		t.Errorf("an idle screen writes %v bytes", got)
	}
	r.stop()
	if err := r.ended(); err != nil {
		t.Error(err)
	}
}

// submitted returns the number of sent messages.
func (f *fakeProcessor) submitted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sent)
}
