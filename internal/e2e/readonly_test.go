//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/ptytest"
)

// A read-only vault can be read and discussed, in a chat that says so in its header and in `ask`. Nothing in it is
// changed, even in a writable folder.
func TestReadOnlyVault(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("", "chatvault-test-") // t.TempDir's parents are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	bin, vault, home := filepath.Join(base, "chatvault"), filepath.Join(base, "Notes"), filepath.Join(base, "home")
	program, err := os.ReadFile(chatvault(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []error{
		os.Chmod(base, 0o755), os.WriteFile(bin, program, 0o755), os.Mkdir(home, 0o755), os.Chmod(home, 0o777),
		os.MkdirAll(filepath.Join(vault, "in"), 0o755), os.Chmod(filepath.Join(vault, "in"), 0o777),
		os.WriteFile(filepath.Join(vault, "Fence.md"), []byte("# Fence\nThe fence is red.\n"), 0o644), os.Chmod(vault, 0o555),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
	as := []string{bin}
	if os.Getuid() == 0 { // whom modes do not bind
		setpriv, err := exec.LookPath("setpriv")
		if err != nil {
			t.Skip("no setpriv: as root everything can be written")
		}
		as = []string{setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", bin}
	}
	env := []string{"HOME=" + home, "XDG_STATE_HOME=" + home + "/s", "XDG_CONFIG_HOME=" + home + "/c", "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off"}
	run := func(args ...string) (string, int) {
		cmd := exec.Command(as[0], append(append(as[1:len(as):len(as)], "--offline", "--vault", vault), args...)...)
		cmd.Dir, cmd.Env = home, slices.Concat(env, []string{"PATH=" + os.Getenv("PATH")})
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, code := run("ask", "what colour is the fence?"); code != 0 || !strings.Contains(out, "The fence is red.") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := run("tool", "write_file", `{"path": "in/a.md", "content": "x"}`); code != 1 || !strings.Contains(out, "Error: This vault is read-only: its folder cannot be written. Nothing was changed.") {
		t.Errorf("exit %d: %s", code, out)
	}
	x := ptytest.Start(t, ptytest.Options{
		Path: as[0], Args: append(as[1:len(as):len(as)], "--offline", "--vault", vault), Dir: home, Env: ptytest.Env(env...), Width: 80, Height: 24,
	})
	x.WaitFor("◆ Notes · read-only", patience)
	x.Type(`create a note Gate in "in" with "oak"`)
	x.Press("enter")
	x.WaitFor("This vault is read-only", patience)
	if files, err := os.ReadDir(filepath.Join(vault, "in")); err != nil || len(files) > 0 {
		t.Errorf("written: %v, %v", files, err)
	}
}
