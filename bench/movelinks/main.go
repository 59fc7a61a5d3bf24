// Command movelinks measures, in one process, what it takes to read every note of a vault once,
// and what it takes to move a note that very many others link to: the whole call of the tool, with
// the journal, in a vault that was only just opened. It works on copies and prints JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/journal"
	"chatvault/vault/walk"
)

func main() {
	source := flag.String("vault", "", "the vault to measure on; it is copied")
	keep := flag.String("keep", os.TempDir(), "folder for the copies, which are removed afterwards")
	linked := flag.Int("links", 500, "notes that are made to link to the one that moves")
	rounds := flag.Int("rounds", 5, "measurements")
	flag.Parse()
	f, err := measure(context.Background(), *source, *keep, *linked, *rounds)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "movelinks:", err)
		os.Exit(1)
	}
}

// figures are medians.
type figures struct {
	Notes int     `json:"notes"`
	Links int     `json:"links"`
	Read  float64 `json:"read_ms"`
	Move  float64 `json:"move_ms"`
}

func measure(ctx context.Context, source, keep string, linked, rounds int) (f figures, err error) {
	dir, err := os.MkdirTemp(keep, "movelinks-")
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f.Links = linked
	var reads, moves []float64
	for i := range rounds {
		// Each time in a copy of its own: an ext4 without a journal looks, for minutes, at every
		// file that was removed before it makes one.
		copied := filepath.Join(dir, fmt.Sprint(i))
		if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
			return f, err
		}
		if err := link(ctx, copied, linked); err != nil {
			return f, err
		}
		// What was just copied is to be on the disk, else the first flush of the move takes it there.
		if err := exec.CommandContext(ctx, "sync").Run(); err != nil {
			return f, err
		}
		for range 3 {
			began := time.Now()
			if f.Notes, err = read(ctx, copied); err != nil {
				return f, err
			}
			reads = append(reads, ms(time.Since(began)))
		}
		began := time.Now()
		if err := move(ctx, copied, linked); err != nil {
			return f, err
		}
		moves = append(moves, ms(time.Since(began)))
	}
	f.Read, f.Move = median(reads), median(moves)
	return f, nil
}

// The names of the note that moves.
const (
	here  = "Hub of the links.md"
	there = "A new folder/Another hub.md"
)

// link makes notes, spread over the vault, link to the one that moves, in every form.
func link(ctx context.Context, dir string, linked int) error {
	v, err := vault.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	var notes []string
	for e, err := range v.Notes(ctx) {
		if err != nil {
			return err
		}
		if e.Size < 100_000 {
			notes = append(notes, e.Path)
		}
	}
	if len(notes) < linked {
		return fmt.Errorf("the vault has %d notes only", len(notes))
	}
	slices.Sort(notes)
	forms := []string{"See [[Hub of the links]].\n", "See [[Hub of the links#Part|the hub]].\n", "See [the hub](Hub%20of%20the%20links.md).\n", "![[Hub of the links]]\n"}
	for i := range linked {
		f, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(notes[i*len(notes)/linked])), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString("\n\n" + forms[i%len(forms)])
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, here), []byte("# The hub\n\n## Part\n"), 0o600)
}

// read reads every note once and says how many there are.
func read(ctx context.Context, dir string) (int, error) {
	v, err := vault.Open(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = v.Close() }()
	counts := make([]int, v.TextWorkers())
	err = v.Texts(ctx, "", func(worker int, _ walk.Text) bool {
		counts[worker]++
		return true
	}, nil)
	n := 0
	for _, c := range counts {
		n += c
	}
	return n, err
}

// move moves the note as the agent does.
func move(ctx context.Context, dir string, linked int) error {
	v, err := vault.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	j := journal.New(func(bool) (*os.Root, error) {
		if err := os.MkdirAll(filepath.Join(dir, ".smarthole"), 0o700); err != nil {
			return nil, err
		}
		return os.OpenRoot(filepath.Join(dir, ".smarthole"))
	}, journal.Options{})
	defer func() { _ = j.Close() }()
	v.UseJournal(j)
	args, err := json.Marshal(map[string]string{"source": here, "destination": there})
	if err != nil {
		return err
	}
	ctx = tools.WithRequest(ctx, tools.Request{Turn: journal.NewID(time.Now()), Source: "tool", Title: "move"})
	r := tools.NewRegistry(v, tools.Options{}).Turn(nil).Call(ctx, "move_file", args)
	if want := fmt.Sprintf("Updated %d links in %d notes.", linked, linked); r.IsError || !strings.Contains(r.Text, want) {
		return fmt.Errorf("not %q, but: %s", want, r.Text)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
