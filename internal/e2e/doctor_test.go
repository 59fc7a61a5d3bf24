package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

// doctor explains what it means and what to do if nothing in the vault can be changed, or no state can be kept.
func TestDoctorUnwritable(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("", "chatvault-doctor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	program, err := os.ReadFile(chatvault(t))
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(base, "chatvault")
	for _, e := range []error{
		os.Chmod(base, 0o755), os.WriteFile(bin, program, 0o755), os.Mkdir(filepath.Join(base, "home"), 0o755), os.Chmod(filepath.Join(base, "home"), 0o777),
		os.MkdirAll(filepath.Join(base, "fresh"), 0o755), os.MkdirAll(filepath.Join(base, "kept", ".smarthole"), 0o755),
	} {
		if e != nil {
			t.Fatal(e)
		}
	}
	const nobody = 65534
	root := os.Getuid() == 0
	for dir, mode := range map[string]os.FileMode{"kept/.smarthole": 0o700, "kept": 0o555, "fresh": 0o555} {
		path := filepath.Join(base, dir)
		if root {
			if err := os.Chown(path, nobody, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"fresh": `(?m)^note  vault +\S+fresh cannot be written: permission denied\n +the agent can read notes there, and change none\n +→ make the folder yours`,
		"kept":  `(?m)^note  vault +\S+kept cannot be written: permission denied\n +the agent can read notes there, and change none\n +→ make the folder yours`,
	} {
		cmd := exec.Command(bin, "--offline", "--vault", filepath.Join(base, dir), "doctor")
		cmd.Dir, cmd.Env = base, []string{"HOME=" + filepath.Join(base, "home"), "CHATVAULT_KEYRING=off", "CHATVAULT_LOCAL_SERVERS=off"}
		if root {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, _ := cmd.CombinedOutput()
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s: not %s:\n%s", dir, want, out)
		}
	}
}

// doctor lists the processes that have the vault open.
func TestDoctorNamesProcesses(t *testing.T) {
	t.Parallel()
	h := newAskHome(t, map[string]string{"Home.md": "# Home\n"})
	l := flock.New(filepath.Join(h.state(), "run", "4711-0badcafe.lock"))
	if err := errors.Join(os.MkdirAll(filepath.Dir(l.Path()), 0o700), l.Lock()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Unlock() }()
	out, _ := command(t, h.vault, []string{"XDG_STATE_HOME=" + h.dir + "/s"}, "--offline", "doctor").CombinedOutput()
	if want := "ok    lock          1 chatvault open on this vault: process 4711\n"; !strings.Contains(string(out), want) {
		t.Errorf("not %q:\n%s", want, out)
	}
}
