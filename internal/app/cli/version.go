package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs, Example: "  chatvault version",
		RunE: func(*cobra.Command, []string) error { return s.say(versionLine()) },
	}
}

// versionLine describes the program's version and build.
func versionLine() string {
	version, day := build()
	if day != "" {
		day += ", "
	}
	return fmt.Sprintf("chatvault %s (%s%s, %s/%s)", version, day, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// versionText returns the program's version.
func versionText() string {
	version, _ := build()
	return version
}

// build returns the version of this binary and the day of its commit.
func build() (version, day string) {
	if i, ok := debug.ReadBuildInfo(); ok {
		return buildOf(i)
	}
	return "dev", ""
}

// buildOf returns the version that the go command recorded in a binary, without "v", and the day of its commit, "" if it
// is unknown. The version is that of the commit's tag, otherwise Go's pseudo-version, which "+dirty" follows if files
// were changed. It is "dev" if the binary was built neither in a Git repository nor from a module proxy.
func buildOf(i *debug.BuildInfo) (version, day string) {
	for _, s := range i.Settings {
		if s.Key == "vcs.time" {
			day, _, _ = strings.Cut(s.Value, "T")
		}
	}
	if v := strings.TrimPrefix(i.Main.Version, "v"); v != "" && v != "(devel)" {
		return v, day
	}
	return "dev", day
}
