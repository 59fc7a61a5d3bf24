package stress

import (
	_ "chatvault/internal/cli" // go test runs the tests anew when the program changed
)
