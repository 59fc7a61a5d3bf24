// Package e2e has the tests of the program as a person meets it: the real binary, run by the scripts
// of testdata/script, in a pseudo-terminal, and with all that must never happen. It is tests alone.
package e2e
