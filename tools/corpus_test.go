package tools

import (
	"fmt"
	"testing"

	"chatvault/internal/pathcorpus"
	"chatvault/vault"
)

// TestPathCorpus sends every path of the corpus through every tool: nothing outside the vault and nothing protected
// is returned or changed, and bad paths are refused. Read-only calls share a vault.
func TestPathCorpus(t *testing.T) {
	for _, d := range definitions() {
		if !pathcorpus.Covers(d.name) {
			t.Errorf("no path of the corpus goes through %s", d.name)
		}
	}
	ran := 0
	for i, row := range pathcorpus.Rows(t) {
		var readers []pathcorpus.Call
		for j, call := range pathcorpus.Calls {
			switch {
			case !call.For(row):
			case !call.Writes:
				ran++
				readers = append(readers, call)
			default:
				ran++
				t.Run(fmt.Sprintf("%d/%s %d", i, call.Tool, j), func(t *testing.T) {
					t.Parallel()
					callCorpus(t, row, call)
				})
			}
		}
		t.Run(fmt.Sprintf("%d/reads", i), func(t *testing.T) {
			t.Parallel()
			callCorpus(t, row, readers...)
		})
	}
	if ran < 1100 {
		t.Errorf("only %d calls were made", ran)
	}
}

func callCorpus(t *testing.T, row pathcorpus.Row, calls ...pathcorpus.Call) {
	f := pathcorpus.Build(t, row)
	v, err := vault.Open(f.Vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	turn := NewRegistry(v, Options{}).Turn(nil)
	for _, call := range calls {
		args := call.Args(row)
		r := turn.Call(t.Context(), call.Tool, []byte(args))
		f.Check(t)
		if wrong := call.Judge(row, r.Text, r.IsError, r.Summary == "already exists"); wrong != "" {
			t.Errorf("%s: %s %s: %s", row.Why, call.Tool, args, wrong)
		}
	}
}
