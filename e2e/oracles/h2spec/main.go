// Runs h2spec against a server on this machine and prints its report.
//
//	program PORT PATH
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/summerwind/h2spec"
	"github.com/summerwind/h2spec/config"
)

func main() {
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	passed, err := h2spec.Run(&config.Config{
		Host:         "127.0.0.1",
		Port:         port,
		Path:         os.Args[2],
		Timeout:      10 * time.Second,
		MaxHeaderLen: 4000,
		Strict:       true,
		TLS:          true,
		Insecure:     true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !passed {
		os.Exit(1)
	}
}
