package cli

import (
	"bytes"
	"runtime/debug"
	"testing"

	"chatvault/internal/base/terminal/output"
)

func TestVersionFlag(t *testing.T) {
	said := map[string]string{}
	for _, arg := range []string{"version", "--version"} {
		var out, errs bytes.Buffer
		s := Streams{Out: output.New(&out, false), Err: output.New(&errs, false), LookupEnv: func(string) (string, bool) { return "", false }}
		if status := Main([]string{arg}, s); status != exitOK || out.Len() == 0 {
			t.Errorf("%s: status %d, %q", arg, status, errs.String())
		}
		said[arg] = out.String()
	}
	if said["version"] != said["--version"] {
		t.Errorf("%q", said)
	}
}

// The version is the go command's own: of go install, a release, a build between releases and one without Git.
func TestBuildOf(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.time", Value: "2026-11-29T11:01:53Z"}}
	for _, test := range []struct {
		recorded     string
		settings     []debug.BuildSetting
		version, day string
	}{
		{"v1.2.3", nil, "1.2.3", ""},
		{"v1.2.3-rc.1", commit, "1.2.3-rc.1", "2026-11-29"},
		{"v0.0.0-20261129110153-7fa26304a855", nil, "0.0.0-20261129110153-7fa26304a855", ""},
		{"v1.2.4-0.20261129110153-7fa26304a855+dirty", commit, "1.2.4-0.20261129110153-7fa26304a855+dirty", "2026-11-29"},
		{"(devel)", nil, "dev", ""},
		{"(devel)", commit, "dev", "2026-11-29"},
		{"", nil, "dev", ""},
	} {
		version, day := buildOf(&debug.BuildInfo{Main: debug.Module{Version: test.recorded}, Settings: test.settings})
		if version != test.version || day != test.day {
			t.Errorf("%q: %q of %q", test.recorded, version, day)
		}
	}
}
