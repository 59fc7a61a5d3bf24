//go:build !race

package conversation

const raced = false
