//go:build unix

// Command streamcpu compares the CPU time of drawing an answer while it streams with that of rendering the
// whole answer again at each token. It prints one line of JSON.
//
// The answer is 20 KB of Markdown in 5,000 tokens. The first figure sends the tokens as events through the
// chat screen's Update and View, in one batch per 30 ms as they arrive at 100 tokens per second, and draws
// every frame. The second figure draws a frame for each token. The baseline renders the text so far at
// every 50th token with the chat's Markdown renderer and multiplies the time by 50. CPU time is the user
// and system time of the process.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/agent/event"
	"chatvault/tui"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

const (
	size   = 20 << 10 // bytes of the answer
	tokens = 5000
	batch  = 3 // tokens in a frame of 30 ms at 100 tokens per second
	width  = 120
	height = 40
	sample = 50 // the baseline renders at every sample-th token
)

func main() {
	answer := compose(size)
	pieces := split(answer, tokens)
	warm(answer)

	ours := cpu(func() { stream(pieces, batch) })
	each := cpu(func() { stream(pieces, 1) })
	styles := theme.New(theme.Dark, colorprofile.TrueColor)
	naive := sample * cpu(func() {
		for i := sample; i <= len(pieces); i += sample {
			markdown.NewRenderer(styles, width).Render(strings.Join(pieces[:i], ""))
		}
	})
	out, err := json.Marshal(map[string]any{
		"bench": "streamcpu", "bytes": len(answer), "tokens": len(pieces),
		"ours_s": round(ours), "ours_every_token_s": round(each),
		"naive_s": round(naive), "naive_sampled_every": sample,
		"ratio": round(ours / naive), "ratio_every_token": round(each / naive),
		"limit": 0.03,
	})
	check(err)
	fmt.Println(string(out))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "streamcpu:", err)
		os.Exit(1)
	}
}

func round(f float64) float64 { return float64(int(f*10000+0.5)) / 10000 }

// cpu returns the CPU time of do, in seconds.
func cpu(do func()) float64 {
	runtime.GC()
	before := used()
	do()
	return used() - before
}

func used() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// stream draws the pieces on a chat screen, n per frame.
func stream(pieces []string, n int) {
	m := tui.New(context.Background(), tui.Options{
		Processor: idleProcessor{}, Events: idleProcessor{}, VaultName: "bench", Engine: tui.Engine{Provider: "bench"}, Screen: tui.Screen{ColorProfile: colorprofile.TrueColor},
	})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Deliver(event.TurnStarted{MessageIDs: []string{"m"}}, event.StateChanged{State: event.StateThinking})
	for i := 0; i < len(pieces); i += n {
		m.Deliver(event.TextDelta{Text: strings.Join(pieces[i:min(i+n, len(pieces))], "")})
		_ = m.View().Content
		if i == len(pieces)/5/n*n { // the answer has outgrown the screen: follow its end
			m.Update(tea.KeyPressMsg{Code: tea.KeyEnd})
		}
	}
	m.Deliver(event.TurnFinished{})
	if frame := m.View().Content; !strings.Contains(frame, "The end") {
		check(fmt.Errorf("the answer's end is not on the screen:\n%s", frame))
	}
}

// warm loads the grammars and styles, which are cached for the process.
func warm(answer string) {
	stream(split(answer, 10), 1)
}

// compose returns a Markdown answer of about n bytes with the kinds of blocks that answers contain.
func compose(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n-200; i++ {
		fmt.Fprintf(&b, "## Part %d\n\n", i)
		fmt.Fprintf(&b, "The note [[Projects/Plan %d|Plan %d]] says that the work began in **March** and goes on, with a *few* open questions and `one command` to run. It names four people and two dates, and links to https://example.com/%d for the rest.\n\n", i, i, i)
		b.WriteString("- first, the list of what is done so far, which is long enough to wrap once\n- [ ] then a task that is open\n- [x] and one that is done\n  - with a detail below it\n\n")
		switch i % 3 {
		case 0:
			b.WriteString("| Name | When | What |\n|---|---|---|\n| Anna | Monday | writes the draft |\n| Ben | Tuesday | reads it |\n\n")
		case 1:
			b.WriteString("```go\nfunc run(ctx context.Context) error {\n\tfor i := range 10 {\n\t\tfmt.Println(i) // count\n\t}\n\treturn nil\n}\n```\n\n")
		default:
			b.WriteString("> A passage that was quoted from the note, of two lines\n> at least, so that the bar is drawn.\n\n")
		}
	}
	b.WriteString("The end.\n")
	return b.String()
}

// split splits ASCII text into n pieces of nearly equal length.
func split(text string, n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, text[len(text)*i/n:len(text)*(i+1)/n])
	}
	return out
}

// idleProcessor is a processor and event source that does nothing.
type idleProcessor struct{}

func (idleProcessor) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) { return m, nil }
func (idleProcessor) Stop()                                                            {}
func (idleProcessor) TakeBack(string) (event.Inbound, bool)                            { return event.Inbound{}, false }

func (idleProcessor) Answer(string, event.Answer) error { return nil }
func (idleProcessor) Close()                            {}

func (idleProcessor) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	return nil, context.Canceled
}
