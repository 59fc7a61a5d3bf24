//go:build race

package conversation

const raced = true // by the detector, which makes everything some ten times slower
