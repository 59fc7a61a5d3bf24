//go:build race

package conversation

const raced = true // whether the race detector slows the tests down about tenfold
