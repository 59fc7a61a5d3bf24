package stress

import (
	_ "chatvault/internal/app/cli" // go test runs the tests anew when the program changed
)
