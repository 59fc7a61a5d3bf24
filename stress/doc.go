// Package stress holds the tests that treat the real binary badly: it is killed at random
// instants and at each named step, its disk fills up, its state files are cut and flipped, its
// terminal goes away, its goroutines panic, and it is watched for a day's worth of turns.
//
// `make test` runs a short form of each; `make stress` sets CHATVAULT_STRESS and runs the long
// one. Everything happens in scratch folders, in memory where the machine has such a folder.
package stress
