// helm, as its own main function builds it: the command tree and nothing else.
package main

import (
	"errors"
	"fmt"
	"os"

	helm "helm.sh/helm/v4/pkg/cmd"
	"helm.sh/helm/v4/pkg/kube"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	// The field manager of what is applied; the default is the name of the binary.
	kube.ManagedFieldsManager = "helm"
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := command.Execute(); err != nil {
		var coded helm.CommandError
		if errors.As(err, &coded) {
			os.Exit(coded.ExitCode)
		}
		os.Exit(1)
	}
}
