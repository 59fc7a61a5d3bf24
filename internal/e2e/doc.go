// Package e2e tests the program as a person uses it: the real binary, in the scripts of testdata/script and in a
// pseudo-terminal, and against everything that must never happen. It contains only tests.
package e2e
