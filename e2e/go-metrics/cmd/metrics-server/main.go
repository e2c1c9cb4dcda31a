// The metrics-server of clusters: what nodes and pods use, read from kubelets.
package main

import (
	"os"

	genericapiserver "k8s.io/apiserver/pkg/server"

	"sigs.k8s.io/metrics-server/cmd/metrics-server/app"
)

func main() {
	if err := app.NewMetricsServerCommand(genericapiserver.SetupSignalHandler()).Execute(); err != nil {
		os.Exit(1)
	}
}
