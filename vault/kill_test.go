//go:build unix

package vault

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/internal/atomicfile"
)

// killEnv names the writer that the test binary becomes, and the vault it writes to.
const killEnv = "CHATVAULT_TEST_KILLED_WRITER"

func TestMain(m *testing.M) {
	if writer, dir, ok := strings.Cut(os.Getenv(killEnv), ":"); ok {
		killedWriter(writer, dir)
		return
	}
	if story := os.Getenv(cutEnv); story != "" {
		cutChange(story)
		return
	}
	dir, err := os.MkdirTemp("", "chatvault-data") // with the trash of these tests
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_DATA_HOME", dir); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// versionSize is many buffers of a writer, in bytes.
const versionSize = 256 << 10

// version is the content of a note that tells whether it is whole.
func version(n int) []byte {
	line := fmt.Sprintf("version %d\n", n)
	return bytes.Repeat([]byte(line), versionSize/len(line))
}

// whole reports whether content is one version and nothing else.
func whole(content []byte) bool {
	var n int
	if _, err := fmt.Sscanf(string(content[:min(len(content), 40)]), "version %d\n", &n); err != nil {
		return false
	}
	return bytes.Equal(content, version(n))
}

// killedWriter writes one version after the other until it is killed.
func killedWriter(writer, dir string) {
	v, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		text := version(n)
		if n == 2 {
			fmt.Println("writing") // only now: with the race detector, the text takes longer than the time to the kill
		}
		if writer == "naive" {
			err = writeNaively(filepath.Join(dir, "note.md"), text)
		} else {
			_, err = v.Write(context.Background(), "note.md", text, "")
		}
		if err != nil {
			panic(err)
		}
	}
}

// writeNaively writes in place and in halves, as a file that is larger than a buffer is written to
// a disk that is not a cache: how often a kill tears it does not depend on the machine.
func writeNaively(name string, content []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for part := range slices.Chunk(content, versionSize/2) {
		if _, err := f.Write(part); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// killWriters starts and kills the writer the given number of times and counts how often
// the note was torn.
func killWriters(t *testing.T, writer, dir string, kills int, enough func(torn int) bool) (torn int) {
	t.Helper()
	binary, err := os.Executable()
	mustTest(t, err)
	for range kills {
		mustTest(t, os.WriteFile(filepath.Join(dir, "note.md"), version(0), 0o644))
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Env = append(os.Environ(), killEnv+"="+writer+":"+dir)
		stdout, err := cmd.StdoutPipe()
		mustTest(t, err)
		mustTest(t, cmd.Start())
		if _, err := stdout.Read(make([]byte, 16)); err != nil {
			t.Fatal("the writer did not start: ", err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(12 * time.Millisecond))))
		mustTest(t, cmd.Process.Kill())
		_ = cmd.Wait() // killed, as wanted
		content, err := os.ReadFile(filepath.Join(dir, "note.md"))
		if err != nil || !whole(content) {
			torn++
			if enough(torn) {
				return torn
			}
		}
	}
	return torn
}

func TestKilledWriterLeavesWholeNotes(t *testing.T) {
	v := newTest(t, nil)
	if torn := killWriters(t, "vault", v.dir, rounds(60, 2000), func(int) bool { return true }); torn > 0 {
		t.Fatal("a note was torn")
	}
	if _, err := atomicfile.SweepTemps(v.root, "."); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(v.dir)
	mustTest(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files are left after the sweep, want the note alone", len(entries))
	}
}

// TestKilledNaiveWriterTearsNotes shows that the harness finds what it looks for.
func TestKilledNaiveWriterTearsNotes(t *testing.T) {
	dir := t.TempDir()
	if torn := killWriters(t, "naive", dir, 400, func(torn int) bool { return torn >= 3 }); torn < 3 {
		t.Fatalf("a naive writer tore %d notes in 400 kills: the harness sees nothing", torn)
	}
}
