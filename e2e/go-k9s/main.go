// k9s, as its own main function runs it.
package main

import "github.com/derailed/k9s/cmd"

func main() {
	cmd.Execute()
}
