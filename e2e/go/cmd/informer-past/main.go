// informer-past is a client-go informer of the ConfigMaps of one namespace that begins in the past:
// its first state is that of a moment, and the changes since then lead it into the present, or,
// with --still, it stays there.
//
// It reads KUBECONFIG, prints one line of JSON for every call of its handler, and goes on until a
// signal ends it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// change is what one line says.
type change struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	// Value of the key `n`.
	Value string `json:"value"`
}

type printer struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (p *printer) print(kind string, object any) {
	if gone, isUnknown := object.(cache.DeletedFinalStateUnknown); isUnknown {
		kind, object = "deleted, final state unknown", gone.Obj
	}
	configMap, _ := object.(*corev1.ConfigMap)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	line := change{kind, configMap.Name, configMap.ResourceVersion, configMap.Data["n"]}
	if err := p.encoder.Encode(line); err != nil {
		os.Exit(1)
	}
}

func main() {
	moment := flag.String("at", "", "the moment it begins at: a version or a time")
	namespace := flag.String("namespace", "default", "whose ConfigMaps")
	handOver := flag.Bool("hand-over", false, "list at the moment, and watch the server as it is now")
	still := flag.Bool("still", false, "stay at the moment")
	watchSeconds := flag.Int64("watch-seconds", 0, "how long each watch lasts; 0: as client-go has it")
	flag.Parse()

	place := "/at/" + *moment
	if *still {
		place += "/still"
	}
	if err := inform(context.Background(), place, *namespace, *handOver, *watchSeconds); err != nil {
		panic(err)
	}
}

func inform(ctx context.Context, place, namespace string, handOver bool, watchSeconds int64) error {
	now, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	past := rest.CopyConfig(now)
	past.Host += place
	listing, err := kubernetes.NewForConfig(past)
	if err != nil {
		return err
	}
	watching := listing
	if handOver {
		if watching, err = kubernetes.NewForConfig(now); err != nil {
			return err
		}
	}
	return run(ctx, listWatch(listing, watching, namespace, watchSeconds))
}

func listWatch(listing, watching kubernetes.Interface, namespace string, watchSeconds int64) cache.ListerWatcher {
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return listing.CoreV1().ConfigMaps(namespace).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if watchSeconds > 0 {
				options.TimeoutSeconds = &watchSeconds
			}
			return watching.CoreV1().ConfigMaps(namespace).Watch(ctx, options)
		},
	}
}

func run(ctx context.Context, source cache.ListerWatcher) error {
	informer := cache.NewSharedIndexInformer(source, &corev1.ConfigMap{}, 0, cache.Indexers{})
	out := &printer{encoder: json.NewEncoder(os.Stdout)}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { out.print("added", object) },
		UpdateFunc: func(_, object any) { out.print("modified", object) },
		DeleteFunc: func(object any) { out.print("deleted", object) },
	})
	if err != nil {
		return err
	}
	informer.Run(ctx.Done())
	return nil
}
