// A server of custom metrics on the library that adapters are built of. Its figures are those that a
// test posts to the port of the last flag.
package main

import (
	"context"
	"log"
	"net/http"
	"os"

	"github.com/emicklei/go-restful/v3"

	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/custom-metrics-apiserver/test-adapter/provider"
)

func main() {
	adapter := &basecmd.AdapterBase{Name: "metrics-adapter"}
	figures := adapter.Flags().String("figures-address", "127.0.0.1:0", "takes the figures that are served")
	if err := adapter.Flags().Parse(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
	client, err := adapter.DynamicClient()
	if err != nil {
		log.Fatal(err)
	}
	mapper, err := adapter.RESTMapper()
	if err != nil {
		log.Fatal(err)
	}
	metrics, service := provider.NewFakeProvider(client, mapper)
	adapter.WithCustomMetrics(metrics)
	restful.DefaultContainer.Add(service)
	go func() { log.Fatal(http.ListenAndServe(*figures, restful.DefaultContainer)) }()
	if err := adapter.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}
