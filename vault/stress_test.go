package vault

import "os"

// rounds is n, or the longer form of it where CHATVAULT_STRESS is set (make stress).
func rounds(n, stress int) int {
	if os.Getenv("CHATVAULT_STRESS") != "" {
		return stress
	}
	return n
}
