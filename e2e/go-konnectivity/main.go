// Konnectivity for tests: the real proxy server and the real agent in one program.
//
//	konnectivity server FLAGS…
//	konnectivity agent FLAGS…
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	agent "sigs.k8s.io/apiserver-network-proxy/cmd/agent/app"
	agentoptions "sigs.k8s.io/apiserver-network-proxy/cmd/agent/app/options"
	server "sigs.k8s.io/apiserver-network-proxy/cmd/server/app"
	serveroptions "sigs.k8s.io/apiserver-network-proxy/cmd/server/app/options"
)

func main() {
	root := &cobra.Command{Use: "konnectivity", SilenceUsage: true}

	serverFlags := serveroptions.NewProxyRunOptions()
	serve := server.NewProxyCommand(&server.Proxy{}, serverFlags)
	serve.Use = "server"
	serve.Flags().AddFlagSet(serverFlags.Flags())
	root.AddCommand(serve)

	agentFlags := agentoptions.NewGrpcProxyAgentOptions()
	connect := agent.NewAgentCommand(&agent.Agent{}, agentFlags)
	connect.Use = "agent"
	connect.Flags().AddFlagSet(agentFlags.Flags())
	root.AddCommand(connect)

	if err := root.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
