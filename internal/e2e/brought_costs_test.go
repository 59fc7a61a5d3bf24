//go:build unix

package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// measured runs the program on a vault and returns its output, its time, and its maximum memory in KiB.
func measured(t *testing.T, home, vault, typed string, env []string, args ...string) (out string, took time.Duration, most int64) {
	t.Helper()
	cmd := exec.Command(chatvault(t), append([]string{"--vault", vault}, args...)...)
	cmd.Dir = home
	cmd.Env = append([]string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off",
		"XDG_CONFIG_HOME=" + home + "/c", "XDG_STATE_HOME=" + home + "/s", "XDG_DATA_HOME=" + home + "/d",
	}, env...)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &b, &b, strings.NewReader(typed)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	resident := watchResident(cmd.Process.Pid)
	_ = cmd.Wait()
	limit.Stop()
	return b.String(), time.Since(began), resident()
}

// Before its owner agreed to anything, no vault takes much time or memory. Files beyond the limit are off, and each
// command that would use them prints one line about it.
func TestUntrustedFilesAreBounded(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, at, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sparse := func(t *testing.T, at string, size int64) {
		t.Helper()
		write(t, at, "x\n")
		if err := os.Truncate(at, size); err != nil {
			t.Fatal(err)
		}
	}
	grid := func(t *testing.T, at string, n int, end func(at string) error) {
		t.Helper()
		for i := range n {
			for j := range n {
				folder := filepath.Join(at, fmt.Sprintf("f%d", i))
				err := os.MkdirAll(folder, 0o755)
				if err == nil {
					err = end(filepath.Join(folder, fmt.Sprintf("g%d", j)))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	folder := func(at string) error { return os.Mkdir(at, 0o755) }
	note := func(at string) error { return os.WriteFile(at+".md", []byte("x"), 0o644) }
	const skill = "---\nname: big\ndescription: Is big.\n---\nBig.\n"
	kinds := map[string]struct {
		make func(t *testing.T, vault string)
		off  string
	}{
		"folders under a skill": {func(t *testing.T, vault string) {
			write(t, vault+"/.agents/skills/big/SKILL.md", skill)
			grid(t, vault+"/.agents/skills/big", 300, folder)
		}, "too many files and folders"},
		"folders under commands": {func(t *testing.T, vault string) {
			write(t, vault+"/.smarthole/commands/a.md", "A")
			grid(t, vault+"/.smarthole/commands", 90, note)
		}, ""},
		"sparse commands": {func(t *testing.T, vault string) {
			for i := range 500 {
				sparse(t, fmt.Sprintf("%s/.smarthole/commands/c%d.md", vault, i), 1<<20)
			}
		}, "too many bytes"},
		"commands": {func(t *testing.T, vault string) {
			for i := range 500 {
				write(t, fmt.Sprintf("%s/.smarthole/commands/c%d.md", vault, i), strings.Repeat("x", 64<<10))
			}
		}, "too many bytes"},
		"prompts": {func(t *testing.T, vault string) {
			for i := range 10_000 {
				write(t, fmt.Sprintf("%s/.smarthole/prompts/p%d.tmpl", vault, i), "x")
			}
		}, "too many files and folders"},
		"skills without a file": {func(t *testing.T, vault string) {
			for i := range 10_000 {
				if err := os.MkdirAll(fmt.Sprintf("%s/.claude/skills/s%d", vault, i), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}, "too many files and folders"},
		"large files": {func(t *testing.T, vault string) {
			sparse(t, vault+"/AGENTS.md", 10<<30)
			sparse(t, vault+"/.smarthole/prompts/system.tmpl", 10<<30)
			write(t, vault+"/.agents/skills/big/SKILL.md", skill)
			sparse(t, vault+"/.agents/skills/big/x", 10<<30)
		}, ""},
		"front matter": {func(t *testing.T, vault string) {
			for i, text := range []string{strings.Repeat("[", 60_000), strings.Repeat("a: &a\n ", 8000), "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g]\n"} {
				write(t, fmt.Sprintf("%s/.agents/skills/s%d/SKILL.md", vault, i), "---\n"+text+"\n---\nx\n")
			}
		}, ""},
		"settings": {func(t *testing.T, vault string) {
			write(t, vault+"/.smarthole/config.toml", "# "+strings.Repeat("x", 1<<20-4)+"\n")
		}, ""},
		"links and pipes": {func(t *testing.T, vault string) {
			for _, name := range []string{"AGENTS.md", ".smarthole/commands/a.md", ".smarthole/prompts/system.tmpl", ".agents/skills/big/x"} {
				at := filepath.Join(vault, name)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mkfifo(at, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(t, vault+"/.agents/skills/big/SKILL.md", skill)
			for from, to := range map[string]string{".agents/skills/big/up": "..", ".agents/skills/loop": "loop", ".smarthole/commands/up": "..", ".claude": ".agents"} {
				if err := os.Symlink(to, filepath.Join(vault, from)); err != nil {
					t.Fatal(err)
				}
			}
		}, ""},
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			vault := filepath.Join(home, "Notes")
			write(t, vault+"/Home.md", "# Home\n")
			kind.make(t, vault)
			srv := llmtest.New(t, llmtest.Reply("Hello."), llmtest.Reply("Hello again."), llmtest.Reply("And again."))
			online := []string{"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
			for what, args := range map[string][]string{"ask": {"ask", "hi"}, "trust": {"trust"}, "doctor": {"doctor"}, "lines": {"--accessible"}, "tool": {"tool", "list_files", "{}"}} {
				out, took, most := measured(t, home, vault, "hi\n", online, args...)
				t.Logf("%-22s %-7s %5.2f s %4d MiB %d bytes of output", name, what, took.Seconds(), most>>10, len(out))
				if took > 15*time.Second { // a machine may be busy; it was minutes
					t.Errorf("%s took %v", what, took)
				}
				if most > 160<<10 {
					t.Errorf("%s had %d MiB", what, most>>10)
				}
				if n := strings.Count(out, kind.off); kind.off != "" && what != "tool" && what != "doctor" && n != 1 {
					t.Errorf("%s says %d times which bound was met:\n%.2000s", what, n, out)
				}
				if strings.Contains(out, "panic") || kind.off == "" && strings.Contains(out, "of this vault are off") {
					t.Errorf("%s: %.2000s", what, out)
				}
			}
		})
	}
}

// A small file with more than a gigabyte of pixels is rejected before it is decoded.
func TestPictureMemoryIsBounded(t *testing.T) {
	t.Parallel()
	const side = 7000
	var b bytes.Buffer // a progressive CMYK JPEG without contents
	segment := func(marker byte, data ...byte) {
		b.Write([]byte{0xff, marker})
		_ = binary.Write(&b, binary.BigEndian, uint16(len(data)+2))
		b.Write(data)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, side>>8, side&0xff, side>>8, side&0xff, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	segment(0xee, append([]byte("Adobe"), 0, 100, 0, 0, 0, 0, 0)...)
	segment(0xc4, append([]byte{0, 1}, make([]byte, 16)...)...)
	segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0)
	b.Write(make([]byte, side/8*side/8*4/8+100))
	b.Write([]byte{0xff, 0xd9})
	home := t.TempDir()
	vault := filepath.Join(home, "Notes")
	if err := os.Mkdir(vault, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(vault, "large.jpg"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	srv := llmtest.New(t, llmtest.Reply("Hello."))
	online := []string{"OPENAI_BASE_URL=" + srv.URL(), "OPENAI_API_KEY=sk-test-0123456789abcdef", "CHATVAULT_MODEL=test-model"}
	for _, args := range [][]string{{"tool", "read_file", `{"path":"large.jpg"}`}, {"ask", "what is on @large.jpg?"}} {
		out, _, most := measured(t, home, vault, "", online, args...)
		t.Logf("%q: %d KB, %d MiB", args, b.Len()>>10, most>>10)
		if most > 200<<10 || !strings.Contains(out, "takes more than 256 MB of memory") {
			t.Errorf("%q: %d MiB, %s", args, most>>10, out)
		}
	}
}
