package vault

import "os"

// rounds returns n, or stress if CHATVAULT_STRESS is set (make stress).
func rounds(n, stress int) int {
	if os.Getenv("CHATVAULT_STRESS") != "" {
		return stress
	}
	return n
}
