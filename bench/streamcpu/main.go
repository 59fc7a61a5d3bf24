//go:build unix

// Command streamcpu measures what it costs to show an answer while it streams,
// against drawing the whole answer anew at each token, and prints one line of JSON.
//
// The answer is 20 KB of Markdown in 5,000 tokens. Ours is the chat's own
// way: the tokens go, as events, through the screen's Update and View, gathered
// as the screen gathers them at 100 tokens a second (one batch each 30 ms), and
// every frame is drawn. A second figure draws a frame for every single token.
// The naive side renders all that has arrived at every 50th token, with the
// chat's own Markdown renderer, and multiplies by 50. CPU time is the process's, user and system.
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
	batch  = 3 // tokens that come in 30 ms at 100 a second
	width  = 120
	height = 40
	sample = 50
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

// cpu gives the CPU time do takes, in seconds.
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

// stream shows the pieces as they would arrive, n to a frame.
func stream(pieces []string, n int) {
	m := tui.New(context.Background(), tui.Options{
		Processor: none{}, Events: none{}, VaultName: "bench", Engine: tui.Engine{Provider: "bench"}, Screen: tui.Screen{ColorProfile: colorprofile.TrueColor},
	})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Deliver(event.TurnStarted{MessageIDs: []string{"m"}}, event.StateChanged{State: event.StateThinking})
	for i := 0; i < len(pieces); i += n {
		m.Deliver(event.TextDelta{Text: strings.Join(pieces[i:min(i+n, len(pieces))], "")})
		_ = m.View().Content
	}
	m.Deliver(event.TurnFinished{})
	if frame := m.View().Content; !strings.Contains(frame, "The end") {
		check(fmt.Errorf("the answer's end is not on the screen:\n%s", frame))
	}
}

// warm loads what is loaded once a process: grammars and styles.
func warm(answer string) {
	stream(split(answer, 10), 1)
}

// compose makes an answer of n bytes with the blocks answers have.
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

// split cuts text into n pieces of whole characters.
func split(text string, n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, text[len(text)*i/n:len(text)*(i+1)/n])
	}
	return out
}

// none is a processor that does nothing.
type none struct{}

func (none) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) { return m, nil }
func (none) Stop()                                                            {}
func (none) TakeBack(string) (event.Inbound, bool)                            { return event.Inbound{}, false }
func (none) Answer(string, event.Answer) error                                { return nil }
func (none) Close()                                                           {}

func (none) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Hour):
	}
	return nil, context.Canceled
}
