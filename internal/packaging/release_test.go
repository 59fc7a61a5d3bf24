package packaging

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
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

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

var releasecheck = flag.Bool("releasecheck", false, "make the whole release twice and try it, which takes many minutes")

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

// TestRelease makes the release of the last commit as a person would, and tries what can be tried here.
func TestRelease(t *testing.T) {
	if !*releasecheck {
		t.Skip("it takes many minutes: make releasecheck runs it")
	}
	root := strings.TrimSpace(must(t, exec.Command("git", "rev-parse", "--show-toplevel")))
	commit := strings.TrimSpace(must(t, exec.Command("git", "rev-parse", "HEAD")))
	clone := func(name string) string {
		dir := filepath.Join(t.TempDir(), name)
		must(t, exec.Command("git", "clone", "--quiet", root, dir))
		must(t, exec.Command("git", "-C", dir, "checkout", "--quiet", "--detach", commit))
		return dir
	}
	release := func(dir, version string, env ...string) {
		for _, tag := range strings.Fields(must(t, exec.Command("git", "-C", dir, "tag", "--points-at", "HEAD"))) {
			must(t, exec.Command("git", "-C", dir, "tag", "-d", tag))
		}
		must(t, exec.Command("git", "-C", dir, "tag", "v"+version))
		c := exec.Command("make", "release")
		c.Dir = dir
		c.Env = append(os.Environ(), env...)
		must(t, c)
	}
	one := clone("one")
	release(one, "0.2.0")
	older := filepath.Join(t.TempDir(), "older")
	if err := os.Rename(filepath.Join(one, "dist"), older); err != nil {
		t.Fatal(err)
	}
	release(one, "0.3.0")
	made := filepath.Join(one, "dist")

	t.Run("the same bytes in another folder", func(t *testing.T) {
		two := clone("a longer name for two")
		release(two, "0.3.0", "TZ=Asia/Tokyo", "LANG=C")
		if d := differs(snapshot(t, made), snapshot(t, filepath.Join(two, "dist"))); len(d) > 0 {
			t.Errorf("these differ: %q", d)
		}
	})
	t.Run("the same bytes compiled anew", func(t *testing.T) {
		// What the go command keeps was used by both above; without it, one system takes as long as all of them.
		c := exec.Command("sh", "internal/packaging/build.sh", "linux", "arm64", filepath.Join(t.TempDir(), "chatvault"))
		c.Dir = clone("three")
		must(t, exec.Command("git", "-C", c.Dir, "tag", "v0.3.0"))
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
	t.Run("go install", func(t *testing.T) { tryGoInstall(t, clone("four")) })
	t.Run("checksums", func(t *testing.T) {
		c := exec.Command(here(t, "sha256sum"), "--quiet", "--strict", "-c", "SHA256SUMS")
		c.Dir = made
		must(t, c)
	})
	t.Run("sbom", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(made, "*.cdx.json"))
		if err != nil || len(files) != 6 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			trySBOM(t, file)
		}
	})
	t.Run("archive", func(t *testing.T) {
		dir := t.TempDir()
		must(t, exec.Command(here(t, "tar"), "-xzf", filepath.Join(made, "chatvault_0.3.0_linux_amd64.tar.gz"), "-C", dir, "--strip-components=1"))
		for _, name := range []string{"completions/chatvault.ps1", "completions/chatvault.fish", "completions/chatvault.bash", "LICENSE", "README.md", "NOTICES.txt", "man/man1/chatvault-ask.1", "completions/_chatvault", "docs/first-hour.md", "docs/screen.svg"} {
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
			t.Log(must(t, exec.Command(lintian, "--allow-root", "--fail-on", "error,warning", filepath.Join(made, "chatvault_0.3.0-1_"+arch+".deb"))))
		}
	})
	t.Run("apk", func(t *testing.T) { tryAPK(t, filepath.Join(made, "chatvault_0.3.0-r1_x86_64.apk")) })
	t.Run("rpm", func(t *testing.T) { tryRPM(t, older, made) })
	t.Run("debian", func(t *testing.T) { tryDebian(t, older, made) })
}

// tryGoInstall publishes the module under a path of its own in a proxy made of files, and installs its latest version.
func tryGoInstall(t *testing.T, dir string) {
	const path, version = "example.org/you/chatvault", "v0.3.0"
	edit := exec.Command("sh", "-c", `git ls-files -z '*.go' | xargs -0 sed -i 's#"chatvault/#"`+path+`/#' && go mod edit -module `+path)
	edit.Dir = dir
	must(t, edit)
	proxy, bin := t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := zip.CreateFromDir(&packed, module.Version{Path: path, Version: version}, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".mod": gomod, version + ".zip": packed.Bytes(),
		version + ".info": []byte(`{"Version": "` + version + `", "Time": "2026-11-29T11:01:53Z"}`),
	} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "install", path+"@latest")
	c.Dir = bin
	downloads := filepath.ToSlash(filepath.Join(strings.TrimSpace(must(t, exec.Command("go", "env", "GOMODCACHE"))), "cache", "download"))
	c.Env = append(os.Environ(), "GOFLAGS=-trimpath -modcacherw", "GOBIN="+bin, "GOMODCACHE="+t.TempDir(), "GONOSUMDB=*", "GOPROXY=file://"+proxy+",file://"+downloads)
	must(t, c)
	if said := must(t, exec.Command(filepath.Join(bin, "chatvault"), "version")); !strings.HasPrefix(said, "chatvault 0.3.0 (go") {
		t.Errorf("it calls itself %q", said)
	}
}

// trySBOM checks that a bill of materials names the program, its version and its modules with versions and licences and,
// where Python's cyclonedx is installed, that it follows the schema.
func trySBOM(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	type component struct {
		Name, Version, Purl string
		Evidence            struct{ Licenses []any }
	}
	var bom struct {
		Metadata   struct{ Component component }
		Components []component
	}
	if err := json.Unmarshal(data, &bom); err != nil {
		t.Fatal(err)
	}
	if c := bom.Metadata.Component; c.Name != "chatvault" || c.Version != "v0.3.0" || len(bom.Components) < 40 {
		t.Errorf("%s: %v, %d components", file, c, len(bom.Components))
	}
	for _, c := range bom.Components {
		if c.Version == "" || c.Purl == "" || len(c.Evidence.Licenses) == 0 && c.Name != "std" {
			t.Errorf("%s: %v", file, c)
		}
	}
	const validate = "import sys, cyclonedx.validation.json as v, cyclonedx.schema as s\n" +
		"sys.exit(v.JsonStrictValidator(s.SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()) and 1)"
	if exec.Command("python3", "-c", "import cyclonedx.validation.json").Run() != nil {
		t.Logf("%s is not compared with the schema: pip install 'cyclonedx-python-lib[json-validation]'", filepath.Base(file))
		return
	}
	must(t, exec.Command("python3", "-c", validate, file))
}

// tryAPK checks what Alpine's package holds; its tools are not to be had elsewhere.
func tryAPK(t *testing.T, file string) {
	listed := must(t, exec.Command(here(t, "tar"), "--warning=no-unknown-keyword", "-tzf", file))
	for _, name := range []string{"usr/bin/chatvault", "usr/share/man/man1/chatvault.1.gz", "usr/share/zsh/site-functions/_chatvault", "usr/share/doc/chatvault/LICENSE"} {
		if !strings.Contains(listed, name+"\n") {
			t.Errorf("%s is not in %s", name, file)
		}
	}
	info := must(t, exec.Command(here(t, "tar"), "--warning=no-unknown-keyword", "-xzOf", file, ".PKGINFO"))
	for _, line := range []string{"pkgname = chatvault", "pkgver = 0.3.0-r1", "arch = x86_64", "license = MIT"} {
		if !strings.Contains(info, line+"\n") {
			t.Errorf("%q is not in\n%s", line, info)
		}
	}
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

// tryManual checks that the manual is found by its name and that each shell finds its completion.
func tryManual(t *testing.T, system string, root func(args ...string) string) {
	for _, file := range []string{"share/man/man1/chatvault.1.gz", "share/man/man1/chatvault-ask.1.gz", "share/zsh/vendor-completions/_chatvault", "share/fish/vendor_completions.d/chatvault.fish"} {
		if _, err := os.Stat(filepath.Join(system, "usr", file)); err != nil {
			t.Error(err)
		}
	}
	said := root("bash", "-c", `. /usr/share/bash-completion/completions/chatvault && complete -p chatvault`)
	if !strings.Contains(said, "__start_chatvault") {
		t.Errorf("bash completes with %q", said)
	}
	if said := root("man", "-P", "cat", "chatvault-ask"); !strings.Contains(said, "--offline") {
		t.Errorf("the manual says %q", said)
	}
}

// tryDebian installs, uses, upgrades and removes the package in a fresh Debian.
func tryDebian(t *testing.T, older, newer string) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a Debian to install packages in")
	}
	system := filepath.Join(t.TempDir(), "debian")
	must(t, exec.Command(here(t, "debootstrap"), "--variant=minbase", "--include=man-db", "stable", system))
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
	tryManual(t, system, root)
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
