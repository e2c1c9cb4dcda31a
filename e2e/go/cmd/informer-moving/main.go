// informer-moving is a client-go informer of the ConfigMaps of one namespace that is thrown from
// one server to the next: each of its connections leads to another address than the one before,
// and is cut some time after a watch has begun on it.
//
// It reads KUBECONFIG and prints lines of JSON: `listed` for every request for the whole state,
// `watched` for every watch that a server has begun to answer, one for every call of its handler,
// and, when a signal ends it, `stored` for every object that it holds.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// line is what one line says.
type line struct {
	Type string `json:"type"`
	// Name of the object, or the address of the server.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Value of the key `n`.
	Value string `json:"value,omitempty"`
}

type printer struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

func (p *printer) print(one line) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.encoder.Encode(one); err != nil {
		os.Exit(1)
	}
}

func (p *printer) printObject(kind string, object any) {
	if gone, isUnknown := object.(cache.DeletedFinalStateUnknown); isUnknown {
		kind, object = "deleted, final state unknown", gone.Obj
	}
	configMap, _ := object.(*corev1.ConfigMap)
	p.print(line{kind, configMap.Name, configMap.ResourceVersion, configMap.Data["n"]})
}

func main() {
	addresses := flag.String("addresses", "", "where the servers are: host:port,host:port")
	every := flag.Duration("every", time.Second, "how long a watch lasts")
	namespace := flag.String("namespace", "default", "whose ConfigMaps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	out := &printer{encoder: json.NewEncoder(os.Stdout)}
	mover := &mover{addresses: strings.Split(*addresses, ","), every: *every, out: out}
	if err := inform(ctx, mover, *namespace, out); err != nil {
		panic(err)
	}
}

func inform(ctx context.Context, mover *mover, namespace string, out *printer) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.Dial = mover.dial
	config.Wrap(mover.wrap)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	mover.hasSynced = informer.HasSynced
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { out.printObject("added", object) },
		UpdateFunc: func(_, object any) { out.printObject("modified", object) },
		DeleteFunc: func(object any) { out.printObject("deleted", object) },
	})
	if err != nil {
		return err
	}
	informer.Run(ctx.Done())
	for _, object := range informer.GetStore().List() {
		out.printObject("stored", object)
	}
	return nil
}
