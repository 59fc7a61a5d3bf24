package cli

import (
	"os"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"
)

// asProgram is a variable that makes the test binary run as the program.
const asProgram = "CHATVAULT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		s := System()
		s.Sample = fstest.MapFS{"Home.md": {Data: []byte("# Home\n")}}
		os.Exit(Main(os.Args[1:], s))
	}
	goleak.VerifyTestMain(m)
}
