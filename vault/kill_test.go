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

	"chatvault/internal/base/atomicfile"
)

// killEnv contains the kind of writer that the test binary becomes, and its vault.
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
	dir, err := os.MkdirTemp("", "chatvault-data") // also for these tests' trash
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

// versionSize is many times the size of a writer's buffer, in bytes.
const versionSize = 256 << 10

// version returns the content of a note that shows whether it is complete.
func version(n int) []byte {
	line := fmt.Sprintf("version %d\n", n)
	return bytes.Repeat([]byte(line), versionSize/len(line))
}

// complete reports whether content is exactly one version.
func complete(content []byte) bool {
	var n int
	if _, err := fmt.Sscanf(string(content[:min(len(content), 40)]), "version %d\n", &n); err != nil {
		return false
	}
	return bytes.Equal(content, version(n))
}

// killedWriter writes one version after another until it is killed.
func killedWriter(writer, dir string) {
	v, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		text := version(n)
		if n == 2 {
			fmt.Println("writing") // only now, because generating the text is slow with the race detector
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

// writeNaively writes in place and in two halves, like a large file on a slow disk, so that the number of torn writes
// does not depend on the machine.
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

// killWriters starts and kills the writer the given number of times and counts the torn notes.
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
		_ = cmd.Wait() // killed on purpose
		content, err := os.ReadFile(filepath.Join(dir, "note.md"))
		if err != nil || !complete(content) {
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
	if _, err := atomicfile.SweepTemps(v.finder.Root, "."); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(v.dir)
	mustTest(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files are left after the sweep, want only the note", len(entries))
	}
}

// TestKilledNaiveWriterTearsNotes shows that the test can detect torn notes.
func TestKilledNaiveWriterTearsNotes(t *testing.T) {
	dir := t.TempDir()
	if torn := killWriters(t, "naive", dir, 400, func(torn int) bool { return torn >= 3 }); torn < 3 {
		t.Fatalf("a naive writer tore %d notes in 400 kills: the test detects nothing", torn)
	}
}
