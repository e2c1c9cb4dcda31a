// writer-check: clients of client-go that write while servers come and go. Each updates a ConfigMap of
// its own, from the version that its last update has answered, until SIGTERM. Whatever
// client-go does by itself (another connection after a GOAWAY, a second try after Retry-After) is no
// failure; whatever it gives back to its caller is one.
//
// It reads KUBECONFIG and prints one line of JSON at the end.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

const writers = 8

type result struct {
	// Writes that were acknowledged, creations among them.
	Writes int `json:"writes"`
	// What client-go gave back, one line each: when, how long the write had taken, and what.
	Failures []string `json:"failures"`
	// Names of the objects that do not hold what was acknowledged last.
	Lost []string `json:"lost"`
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	fatal(err)
	config.QPS, config.Burst = -1, -1
	done, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	all := result{Failures: []string{}, Lost: []string{}}
	var lock sync.Mutex
	var over sync.WaitGroup
	for nth := range writers {
		over.Go(func() {
			// All share a connection, as client-go has it where the settings are the same.
			client, err := kubernetes.NewForConfig(config)
			fatal(err)
			one := write(done, client.CoreV1().ConfigMaps("default"), fmt.Sprintf("writer-%d", nth))
			lock.Lock()
			defer lock.Unlock()
			all.Writes += one.Writes
			all.Failures = append(all.Failures, one.Failures...)
			all.Lost = append(all.Lost, one.Lost...)
		})
	}
	over.Wait()
	fatal(json.NewEncoder(os.Stdout).Encode(all))
}

// write goes on from what it knows: after a failure it reads, as a controller would.
func write(done context.Context, maps typed.ConfigMapInterface, name string) result {
	ctx := context.Background()
	kept, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return result{Failures: []string{err.Error()}}
	}
	found := result{Writes: 1}
	acknowledged := 0
	for n := 1; done.Err() == nil; n++ {
		wanted := kept.DeepCopy()
		wanted.Data = map[string]string{"n": strconv.Itoa(n)}
		began := time.Now()
		if next, err := maps.Update(ctx, wanted, metav1.UpdateOptions{}); err == nil {
			kept, acknowledged = next, n
			found.Writes++
			continue
		} else {
			now := time.Now()
			when := now.UTC().Format("2006-01-02T15:04:05.000Z")
			took := now.Sub(began).Milliseconds()
			found.Failures = append(found.Failures, fmt.Sprintf("%s after %d ms: %s: %v", when, took, name, err))
		}
		if read, err := maps.Get(ctx, name, metav1.GetOptions{}); err == nil {
			kept = read
		}
	}
	read, err := maps.Get(ctx, name, metav1.GetOptions{})
	if n, _ := strconv.Atoi(read.Data["n"]); err != nil || n < acknowledged {
		found.Lost = append(found.Lost, fmt.Sprintf("%s: %d of %d (%v)", name, n, acknowledged, err))
	}
	return found
}

func fatal(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
