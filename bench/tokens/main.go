// Command tokens asks chatvault three questions through a server that records the requests. It prints the
// tokens of the first request (o200k_base) and the shares that later requests repeat byte for byte, as JSON:
//
//	go run . -chatvault FILE -vault DIR
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

func main() {
	binary := flag.String("chatvault", "", "the program")
	vault := flag.String("vault", "", "the vault to ask; it is copied")
	flag.Parse()
	if *binary == "" || *vault == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	f, err := measure(*binary, *vault)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}
