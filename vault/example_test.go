package vault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"chatvault/vault"
)

// The plan of a move lists the notes that it would change, and holds no lock. Commit performs it with the link
// updates.
func ExampleVault_Plan() {
	dir, err := os.MkdirTemp("", "vault")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for name, text := range map[string]string{"Heron.md": "# Heron\n", "Index.md": "See [[Heron]].\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	v, err := vault.Open(dir)
	if err != nil {
		panic(err)
	}
	defer func() { _ = v.Close() }()

	ctx := context.Background()
	plan, err := v.Plan(ctx, vault.Request{Op: vault.OpMove, Path: "Heron.md", NewPath: "Birds/Grey heron.md"})
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Change.Op, plan.Change.Path, "to", plan.Change.NewPath)
	for _, r := range plan.Change.Rewrites {
		fmt.Printf("%s: %d link\n", r.Path, r.Links)
	}
	if _, err := v.Commit(ctx, plan, nil); err != nil {
		panic(err)
	}
	index, err := v.Read(ctx, "Index.md")
	if err != nil {
		panic(err)
	}
	fmt.Print(string(index.Data))
	// Output:
	// move Heron.md to Birds/Grey heron.md
	// Index.md: 1 link
	// See [[Grey heron]].
}

// A write names the version that it replaces. If others have changed the note since, nothing is written.
func ExampleVault_Commit() {
	dir, err := os.MkdirTemp("", "vault")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	v, err := vault.Open(dir)
	if err != nil {
		panic(err)
	}
	defer func() { _ = v.Close() }()

	ctx := context.Background()
	write := func(text, ifHash string) error {
		plan, err := v.Plan(ctx, vault.Request{Op: vault.OpWrite, Path: "Log.md", Data: []byte(text), IfHash: ifHash})
		if err != nil {
			return err
		}
		_, err = v.Commit(ctx, plan, nil)
		return err
	}
	fmt.Println(write("one\n", ""))
	known := vault.Hash([]byte("one\n"))
	fmt.Println(write("one\ntwo\n", known))
	fmt.Println(write("three\n", known))
	// Output:
	// <nil>
	// <nil>
	// "Log.md" changed on disk since it was read. Nothing was written; read it again, then repeat the change.
}
