//go:build !unix

package statefile

// openFlags prevents an open from blocking; on this system none does.
const openFlags = 0
