//go:build unix

// Command warm runs tool calls with the vault's index in memory, like an open chat. It prints a line of
// JSON when the index is complete, then reads one call per line from standard input and prints the
// duration of each:
//
//	$ warm -vault DIR [-text-megabytes 64]
//	{"build_ms":190.2,"text_mb":44.6,"notes":10000,"watched":true}
//	{"tool":"search_files","arguments":{"pattern":"fern"},"want":"matching file"}
//	{"ms":6.1,"peak_mb":85.2}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/app/ranked"
	"chatvault/tools"
	"chatvault/vault"
)

// call is a tool call and a text that its result must contain, so that a failed call does not look fast.
type call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Want      string          `json:"want"`
}

type built struct {
	BuildMS float64 `json:"build_ms"`  // time to build the index
	TextMB  float64 `json:"text_mb"`   // note text held in memory
	Filters float64 `json:"filter_mb"` // search filters for the notes whose text is not held
	Notes   int     `json:"notes"`     // notes whose text is held in memory
	Watched bool    `json:"watched"`
}

type answer struct {
	MS     float64 `json:"ms"`
	PeakMB float64 `json:"peak_mb"` // peak resident memory of the process so far
}

func main() {
	dir := flag.String("vault", "", "the vault")
	text := flag.Int64("text-megabytes", 64, "how much text is kept")
	flag.Parse()
	if err := serve(*dir, *text<<20, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "warm:", err)
		os.Exit(1)
	}
}

func serve(dir string, text int64, in io.Reader, out io.Writer) error {
	v, err := vault.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	begin := time.Now()
	if err := v.Index.Start(vault.IndexOptions{TextBytes: text}); err != nil {
		return err
	}
	if err := v.Index.Settle(context.Background()); err != nil {
		return err
	}
	took := time.Since(begin)
	s := v.Index.State()
	if !s.Ready {
		return errors.New("there is no index: " + s.Why)
	}
	// The same settings as in the chat.
	debug.SetGCPercent(int(100 * (16 << 20) / (16<<20 + s.TextBytes + s.Filters)))
	debug.FreeOSMemory()
	lines := json.NewEncoder(out)
	err = lines.Encode(built{BuildMS: ms(took), TextMB: float64(s.TextBytes) / (1 << 20), Filters: float64(s.Filters) / (1 << 20), Notes: s.Texts, Watched: s.Watched})
	if err != nil {
		return err
	}
	finder := ranked.NewFinder(v, true, "")
	defer finder.Close()
	registry := tools.NewRegistry(v, tools.Options{Finder: finder})
	for r := bufio.NewScanner(in); r.Scan(); {
		var c call
		if err := json.Unmarshal(r.Bytes(), &c); err != nil {
			return err
		}
		if c.Tool == "find_notes" { // built once; a chat builds it at its first question
			if err := finder.Index(context.Background()); err != nil {
				return err
			}
		}
		turn := registry.Turn(silent{})
		begin := time.Now()
		result := turn.Call(context.Background(), c.Tool, c.Arguments)
		took := time.Since(begin)
		if result.IsError || !strings.Contains(result.Text, c.Want) {
			return fmt.Errorf("%s %s: %.300s", c.Tool, c.Arguments, result.Text)
		}
		if err := lines.Encode(answer{MS: ms(took), PeakMB: peak()}); err != nil {
			return err
		}
	}
	return nil
}

// peak returns the peak resident memory of the process in megabytes, or zero if it is unknown.
func peak() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024 // kilobytes on Linux
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// silent is a user interface that discards messages.
type silent struct{}

func (silent) SendMessage(context.Context, string, bool) error { return nil }
