//go:build unix

package vault

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivilegedEnv makes the test binary attempt forbidden writes as an unprivileged user.
const unprivilegedEnv = "CHATVAULT_TEST_UNPRIVILEGED"

// TestPermissions writes to a 0444 file and into a 0555 folder as an unprivileged user.
func TestPermissions(t *testing.T) {
	if dir := os.Getenv(unprivilegedEnv); dir != "" {
		unprivileged(t, openTest(t, dir))
		return
	}
	dir, err := os.MkdirTemp("", "chatvault-test-")
	mustTest(t, err)
	t.Cleanup(func() { mustTest(t, os.RemoveAll(dir)) })
	mustTest(t, os.Mkdir(filepath.Join(dir, "sealed"), 0o755))
	for name, mode := range map[string]os.FileMode{"readonly.md": 0o444, "sealed/a.md": 0o644, "secret.md": 0o600} {
		mustTest(t, os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o644))
		mustTest(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	mustTest(t, os.Chmod(filepath.Join(dir, "sealed"), 0o555))
	mustTest(t, os.Mkdir(filepath.Join(dir, "shut"), 0o755))
	mustTest(t, os.Mkdir(filepath.Join(dir, "shut", "in"), 0o755))
	mustTest(t, os.Chmod(filepath.Join(dir, "shut", "in"), 0o777)) //nolint:gosec // others have write permission
	mustTest(t, os.WriteFile(filepath.Join(dir, "shut", "a.md"), []byte("old"), 0o644))
	mustTest(t, os.Chmod(filepath.Join(dir, "shut"), 0o555))
	mustTest(t, os.Chmod(dir, 0o777))
	if os.Getuid() != 0 {
		unprivileged(t, openTest(t, dir))
		return
	}
	binary, err := os.Executable()
	mustTest(t, err)
	copied := filepath.Join(dir, ".test-binary")
	data, err := os.ReadFile(binary)
	mustTest(t, err)
	mustTest(t, os.WriteFile(copied, data, 0o755))
	cmd := exec.CommandContext(t.Context(), copied, "-test.run=^TestPermissions$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), unprivilegedEnv+"="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for _, name := range []string{"readonly.md", "sealed/a.md", "secret.md"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != "old" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "sealed")); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func errorOf[T any](_ T, err error) error { return err }

func unprivileged(t *testing.T, v *Vault) {
	for name, message := range map[string]string{"readonly.md": "read-only", "sealed/a.md": "permission denied", "sealed/new.md": "permission denied"} {
		_, err := v.Write(t.Context(), name, []byte("new"), "")
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkSentence(t, err)
	}
	if _, err := v.Delete(t.Context(), "sealed/a.md", false); err == nil {
		t.Error("deleted from a sealed folder")
	}
	shut := openTest(t, filepath.Join(v.Dir(), "shut"))
	if v.ReadOnly() || !shut.ReadOnly() {
		t.Errorf("a read-only note: %v; a read-only vault: %v", v.ReadOnly(), shut.ReadOnly())
	}
	if f, err := shut.Read(t.Context(), "a.md"); err != nil || string(f.Data) != "old" {
		t.Errorf("the note cannot be read: %v", err)
	}
	for name, err := range map[string]error{
		"write":             errorOf(shut.Write(t.Context(), "a.md", []byte("new"), "")),
		"write in a folder": errorOf(shut.Write(t.Context(), "in/b.md", []byte("new"), "")),
		"plan":              errorOf(shut.Plan(t.Context(), Request{Op: OpDelete, Path: "a.md"})),
	} {
		if err == nil || !strings.Contains(err.Error(), "This vault is read-only") {
			t.Errorf("%s: %v", name, err)
		} else {
			checkSentence(t, err)
		}
	}
	if os.Getuid() == 65534 {
		if _, err := v.Read(t.Context(), "secret.md"); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("secret: %v", err)
		}
	}
}
