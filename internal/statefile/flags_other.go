//go:build !unix

package statefile

// openFlags are for systems whose opens can hang; this one's cannot.
const openFlags = 0
