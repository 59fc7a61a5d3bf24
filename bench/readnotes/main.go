// Command readnotes reads every note of a vault once, with the same walk as a search in a new process, and
// prints the number of notes. Its duration is a lower bound for any program that reads all notes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"chatvault/vault"
	"chatvault/vault/walk"
)

func main() {
	dir := flag.String("vault", "", "the vault")
	flag.Parse()
	n, err := read(context.Background(), *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "readnotes:", err)
		os.Exit(1)
	}
	fmt.Println("notes:", n)
}

func read(ctx context.Context, dir string) (n int, err error) {
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
	for _, c := range counts {
		n += c
	}
	return n, err
}
