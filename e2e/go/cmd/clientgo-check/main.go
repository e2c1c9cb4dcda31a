// clientgo-check is a small cluster's worth of client-go: typed calls in JSON and protobuf,
// shared, dynamic and metadata informers over WatchList, leader election, and writers that
// work against them all the while. It ends with every informer's cache compared to a list.
//
// It reads KUBECONFIG, prints one line of JSON on standard output and exits with 1 when
// anything was not as it must be.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// report is what the line of JSON says. Failures stays empty when all is well.
type report struct {
	Failures        []string       `json:"failures"`
	Creates         int64          `json:"creates"`
	Updates         int64          `json:"updates"`
	Deletes         int64          `json:"deletes"`
	Conflicts       int64          `json:"conflicts"`
	Counter         int64          `json:"counter"`
	Cached          map[string]int `json:"cached"`
	WatchLists      int64          `json:"watchLists"`
	PlainLists      int64          `json:"plainLists"`
	Watches         int64          `json:"watches"`
	Expired         int64          `json:"expired"`
	ProtobufAnswers int64          `json:"protobufAnswers"`
	LeaderTerms     []string       `json:"leaderTerms"`
}

func main() {
	duration := flag.Duration("duration", time.Minute, "how long the writers work")
	writers := flag.Int("writers", 6, "writers that work at the same time")
	flag.Parse()

	result := &report{Failures: []string{}, Cached: map[string]int{}}
	ctx, cancel := context.WithTimeout(context.Background(), *duration+2*time.Minute)
	defer cancel()
	if err := check(ctx, result, *duration, *writers); err != nil {
		result.Failures = append(result.Failures, err.Error())
	}
	line, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if len(result.Failures) > 0 {
		os.Exit(1)
	}
}

func check(ctx context.Context, result *report, duration time.Duration, writers int) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS = -1 // The server is under test, not the client's own limit.
	namespace, err := newNamespace(ctx, config)
	if err != nil {
		return fmt.Errorf("namespace: %w", err)
	}
	traffic := &traffic{}
	for _, contentType := range []string{jsonType, protobufType} {
		client, err := kubernetes.NewForConfig(speaking(config, contentType, traffic))
		if err != nil {
			return err
		}
		if err := typedCalls(ctx, client, namespace); err != nil {
			return fmt.Errorf("typed calls in %s: %w", contentType, err)
		}
	}
	if result.LeaderTerms, err = electLeaders(ctx, config, namespace); err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	return writeBesideInformers(ctx, config, namespace, result, duration, writers)
}

// writeBesideInformers counts the informers' traffic apart: a list there is a fallback.
func writeBesideInformers(
	ctx context.Context, config *rest.Config, namespace string,
	result *report, duration time.Duration, writers int,
) error {
	informing, writing := &traffic{}, &traffic{}
	caches, err := startInformers(ctx, config, namespace, informing)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(speaking(config, protobufType, writing))
	if err != nil {
		return err
	}
	written, err := writeFor(ctx, client, namespace, duration, writers)
	if err != nil {
		return err
	}
	result.Creates, result.Updates = written.creates.Load(), written.updates.Load()
	result.Deletes, result.Conflicts = written.deletes.Load(), written.conflicts.Load()
	result.Counter = written.counted.Load()
	result.Cached, err = caches.compare(ctx, config, namespace)
	result.WatchLists, result.PlainLists = informing.watchLists.Load(), informing.plainLists.Load()
	result.Watches, result.Expired = informing.watches.Load(), informing.expired.Load()
	result.ProtobufAnswers = informing.protobufAnswers.Load() + writing.protobufAnswers.Load()
	return err
}

func newNamespace(ctx context.Context, config *rest.Config) (string, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "clientgo-"}}
	made, err := client.CoreV1().Namespaces().Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return made.Name, nil
}
