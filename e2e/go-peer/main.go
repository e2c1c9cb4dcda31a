// kube-apiserver with an etcd in the same process: the real server, for the commands that write down
// what it answers. The first argument is an empty folder for etcd; the flags behind it are
// kube-apiserver's. Writes reach the disk before they are answered where ETCD_FSYNC is set.
package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const startTimeout = time.Minute

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: peer FOLDER [flag of kube-apiserver]...")
		os.Exit(2)
	}
	folder := os.Args[1]
	endpoint, err := startEtcd(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
	os.Args = append([]string{os.Args[0], "--etcd-servers=" + endpoint}, os.Args[2:]...)
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}

// startEtcd listens on a socket in the folder, so that no port can be taken. It has no other members;
// the address for them is one where nobody asks.
func startEtcd(folder string) (string, error) {
	client := url.URL{Scheme: "unix", Path: filepath.Join(folder, "client.sock")}
	peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "etcd")
	config.LogLevel = "error"
	config.UnsafeNoFsync = os.Getenv("ETCD_FSYNC") == ""
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
