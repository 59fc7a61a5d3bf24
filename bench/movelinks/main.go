// Command movelinks measures, in one process, the time to read every note of a vault once and the time to
// move a note with many backlinks: the whole tool call, including the journal, in a newly opened vault. It
// works on copies and prints JSON.
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

// figures holds the size of the vault and median times in milliseconds.
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
		// A new copy for each round: ext4 without a journal spends minutes scanning removed files before
		// it creates one.
		copied := filepath.Join(dir, fmt.Sprint(i))
		if err := os.CopyFS(copied, os.DirFS(source)); err != nil {
			return f, err
		}
		if err := addLinks(ctx, copied, linked); err != nil {
			return f, err
		}
		// Write the copy to disk now, or the first flush of the move pays for it.
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

// The paths of the note before and after the move.
const (
	oldPath = "Hub of the links.md"
	newPath = "A new folder/Another hub.md"
)

// addLinks creates the note to move and adds a link to it in each of linked notes spread over the vault, in
// every link form.
func addLinks(ctx context.Context, dir string, linked int) error {
	v, err := vault.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = v.Close() }()
	var notes []string
	for e, err := range v.Source().Notes(ctx) {
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
	return os.WriteFile(filepath.Join(dir, oldPath), []byte("# The hub\n\n## Part\n"), 0o600)
}

// read reads every note once and returns the number of notes.
func read(ctx context.Context, dir string) (int, error) {
	v, err := vault.Open(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = v.Close() }()
	counts := make([]int, walk.Workers())
	err = v.Source().Texts(ctx, "", func(worker int, _ walk.Text) bool {
		counts[worker]++
		return true
	}, nil)
	n := 0
	for _, c := range counts {
		n += c
	}
	return n, err
}

// move moves the note with the agent's move_file tool and returns an error unless all links were updated.
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
	v.History.Record(j)
	args, err := json.Marshal(map[string]string{"source": oldPath, "destination": newPath})
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
