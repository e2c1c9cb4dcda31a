// sample-apiserver with an etcd in the same process: a real API server behind an APIService. The first
// argument is an empty folder for etcd; the flags behind it are sample-apiserver's.
package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/cli"
	"k8s.io/sample-apiserver/pkg/cmd/server"
)

const startTimeout = time.Minute

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: sample FOLDER [flag of sample-apiserver]...")
		os.Exit(2)
	}
	endpoint, err := startEtcd(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
	os.Args = append([]string{os.Args[0], "--etcd-servers=" + endpoint}, os.Args[2:]...)
	options := server.NewWardleServerOptions(os.Stdout, os.Stderr)
	os.Exit(cli.Run(server.NewCommandStartWardleServer(genericapiserver.SetupSignalContext(), options, false)))
}

// startEtcd listens on a socket in the folder, so that no port can be taken. It has no other members.
func startEtcd(folder string) (string, error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(folder, "client.sock")}
	peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "etcd")
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{peer}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	select {
	case <-server.Server.ReadyNotify():
		return client.String(), nil
	case <-time.After(startTimeout):
		return "", fmt.Errorf("not ready after %s", startTimeout)
	}
}
