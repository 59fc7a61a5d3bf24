package cli

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asProgram makes the test binary, run again, the program itself.
const asProgram = "CHATVAULT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], System()))
	}
	goleak.VerifyTestMain(m)
}
