package packaging

import (
	"crypto/sha256"
	"debug/elf"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var distcheck = flag.Bool("distcheck", false, "make the whole release twice and try it, which takes many minutes")

// must runs a command and returns what it prints.
func must(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return string(out)
}

// here names a program that the test needs.
func here(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	return path
}

// snapshot is what lies below a folder, with all that could change; skip are paths below it.
func snapshot(t *testing.T, dir string, skip ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || slices.Contains(skip, name) {
			return err
		}
		if slices.ContainsFunc(skip, func(s string) bool { return strings.HasPrefix(name, s+"/") }) {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[name] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differs names what is in one and not as it is in the other.
func differs(a, b map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// TestDist makes the release of the last commit as a person would, and tries what can be tried here.
func TestDist(t *testing.T) {
	if !*distcheck {
		t.Skip("it takes many minutes: make distcheck runs it")
	}
	root := strings.TrimSpace(must(t, exec.Command("git", "rev-parse", "--show-toplevel")))
	commit := strings.TrimSpace(must(t, exec.Command("git", "rev-parse", "HEAD")))
	clone := func(name string) string {
		dir := filepath.Join(t.TempDir(), name)
		must(t, exec.Command("git", "clone", "--quiet", root, dir))
		must(t, exec.Command("git", "-C", dir, "checkout", "--quiet", "--detach", commit))
		return dir
	}
	dist := func(dir, version string, env ...string) {
		c := exec.Command("make", "dist", "VERSION="+version)
		c.Dir = dir
		c.Env = append(os.Environ(), env...)
		must(t, c)
	}
	one := clone("one")
	dist(one, "0.2.0")
	older := filepath.Join(t.TempDir(), "older")
	if err := os.Rename(filepath.Join(one, "dist"), older); err != nil {
		t.Fatal(err)
	}
	dist(one, "0.3.0")
	made := filepath.Join(one, "dist")

	t.Run("the same bytes in another folder", func(t *testing.T) {
		two := clone("a longer name for two")
		dist(two, "0.3.0", "TZ=Asia/Tokyo", "LANG=C")
		if d := differs(snapshot(t, made), snapshot(t, filepath.Join(two, "dist"))); len(d) > 0 {
			t.Errorf("these differ: %q", d)
		}
	})
	t.Run("the same bytes compiled anew", func(t *testing.T) {
		// What the go command keeps was used by both above; without it, one system takes as long as all of them.
		c := exec.Command("sh", "internal/packaging/build.sh", "0.3.0", "linux", "arm64", filepath.Join(t.TempDir(), "chatvault"))
		c.Dir = clone("three")
		c.Env = append(os.Environ(), "GOCACHE="+t.TempDir())
		must(t, c)
		bin, err := os.ReadFile(c.Args[len(c.Args)-1])
		if err != nil {
			t.Fatal(err)
		}
		const base = "chatvault_0.3.0_linux_arm64"
		packed := must(t, exec.Command(here(t, "tar"), "-xzOf", filepath.Join(made, base+".tar.gz"), base+"/chatvault"))
		if packed != string(bin) {
			t.Error("the binary differs from the one in its archive")
		}
	})
	t.Run("checksums", func(t *testing.T) {
		c := exec.Command(here(t, "sha256sum"), "--quiet", "--strict", "-c", "SHA256SUMS")
		c.Dir = made
		must(t, c)
	})
	t.Run("archive", func(t *testing.T) {
		dir := t.TempDir()
		must(t, exec.Command(here(t, "tar"), "-xzf", filepath.Join(made, "chatvault_0.3.0_linux_amd64.tar.gz"), "-C", dir, "--strip-components=1"))
		for _, name := range []string{"LICENSE", "README.md", "NOTICES.txt", "man/man1/chatvault-ask.1", "completions/_chatvault", "docs/first-hour.md", "docs/screen.svg"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if said := must(t, exec.Command(filepath.Join(dir, "chatvault"), "version")); !strings.HasPrefix(said, "chatvault 0.3.0 (") {
			t.Errorf("it calls itself %q", said)
		}
		bin, err := elf.Open(filepath.Join(dir, "chatvault"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = bin.Close() }()
		if slices.ContainsFunc(bin.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC }) {
			t.Error("the binary is not static")
		}
	})
	t.Run("lintian", func(t *testing.T) {
		lintian := here(t, "lintian")
		for _, arch := range []string{"amd64", "arm64"} {
			t.Log(must(t, exec.Command(lintian, "--allow-root", "--fail-on", "error", filepath.Join(made, "chatvault_0.3.0-1_"+arch+".deb"))))
		}
	})
	t.Run("rpm", func(t *testing.T) { tryRPM(t, older, made) })
	t.Run("debian", func(t *testing.T) { tryDebian(t, older, made) })
}

// tryRPM installs, upgrades and removes the package in a root with nothing else.
func tryRPM(t *testing.T, older, newer string) {
	if os.Getuid() != 0 {
		t.Skip("only root can install packages")
	}
	rpm, dir := here(t, "rpm"), t.TempDir()
	do := func(args ...string) {
		must(t, exec.Command(rpm, append([]string{"--root", dir, "--nodeps"}, args...)...))
	}
	version := func(is string) {
		if said := must(t, exec.Command("chroot", dir, "/usr/bin/chatvault", "version")); !strings.HasPrefix(said, "chatvault "+is+" ") {
			t.Errorf("%q is not %s", said, is)
		}
	}
	must(t, exec.Command(rpm, "--root", dir, "--initdb"))
	do("-i", filepath.Join(older, "chatvault-0.2.0-1.x86_64.rpm"))
	version("0.2.0")
	do("-U", filepath.Join(newer, "chatvault-0.3.0-1.x86_64.rpm"))
	version("0.3.0")
	do("-e", "chatvault")
	for name := range snapshot(t, dir) {
		if strings.Contains(name, "chatvault") {
			t.Errorf("%s is left", name)
		}
	}
}

// tryDebian installs, uses, upgrades and removes the package in a fresh Debian.
func tryDebian(t *testing.T, older, newer string) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a Debian to install packages in")
	}
	system := filepath.Join(t.TempDir(), "debian")
	must(t, exec.Command(here(t, "debootstrap"), "--variant=minbase", "stable", system))
	const person, home = "1000", "home/person"
	for name, text := range map[string]string{
		"Notes/Fence.md": "# Fence\n\nThe garden fence gets painted green in May.\n", ".config/chatvault/config.toml": "theme = \"paper\"\n",
	} {
		path := filepath.Join(system, home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, exec.Command("chown", "-R", person+":"+person, filepath.Join(system, home)))
	root := func(args ...string) string {
		c := exec.Command("chroot", append([]string{system}, args...)...)
		c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "HOME=/root"}
		return must(t, c)
	}
	says := func(want, typed string, args ...string) {
		t.Helper()
		c := exec.Command("chroot", append([]string{"--userspec=" + person + ":" + person, system, "chatvault"}, args...)...)
		c.Env = []string{"PATH=/usr/bin:/bin", "HOME=/" + home, "TERM=dumb"}
		c.Stdin = strings.NewReader(typed)
		if said := must(t, c); !strings.Contains(said, want) {
			t.Errorf("chatvault %q does not say %q:\n%s", args, want, said)
		}
	}
	install := func(from, name string) {
		t.Helper()
		at := filepath.Join(system, "root", name)
		must(t, exec.Command("cp", filepath.Join(from, name), at))
		root("dpkg", "-i", "/root/"+name)
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
	ofDpkg := []string{"var/lib/dpkg", "var/log", "var/cache"}
	before := snapshot(t, system, append(ofDpkg, home)...)

	install(older, "chatvault_0.2.0-1_amd64.deb")
	says("chatvault 0.2.0 (", "", "version")
	says("Ginger biscuits", "what goes into the ginger biscuits?\n", "demo", "--accessible")
	says("green", "", "ask", "--offline", "--vault", "/"+home+"/Notes", "when does the garden fence get painted?")
	says("Shopping", "", "ask", "--offline", "--vault", "/"+home+"/Notes", `create the note Shopping.md with the text "two lemons"`)
	used := snapshot(t, filepath.Join(system, home))
	if len(used) < 10 || used["Notes/Shopping.md"] == "" {
		t.Fatalf("the program was not used: %q", slices.Sorted(maps.Keys(used)))
	}
	asUsed := func(when string) {
		t.Helper()
		if d := differs(used, snapshot(t, filepath.Join(system, home))); len(d) > 0 {
			t.Errorf("%s changed what is the person's: %q", when, d)
		}
	}

	install(newer, "chatvault_0.3.0-1_amd64.deb")
	asUsed("the upgrade")
	says("chatvault 0.3.0 (", "", "version")
	says("two lemons", "", "tool", "--vault", "/"+home+"/Notes", "read_file", `{"path": "Shopping.md"}`)
	says("Shopping.md", "", "undo", "--vault", "/"+home+"/Notes") // the older program's change
	used = snapshot(t, filepath.Join(system, home))

	root("dpkg", "--remove", "chatvault")
	asUsed("the removal")
	root("dpkg", "--purge", "chatvault")
	asUsed("the purge")
	if d := differs(before, snapshot(t, system, append(ofDpkg, home)...)); len(d) > 0 {
		t.Errorf("the removed package leaves or lacks %q", d)
	}
}
