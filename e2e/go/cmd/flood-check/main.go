// flood-check: one user lists everything over many connections, another one asks for an object
// again and again. Printed is how many answers the first one got while the second waited for each
// of his: a count, so that it says the same on a slow machine.
//
//	flood-check -server https://… -ca ca.crt -path /api/v1/namespaces/default/configmaps -get map-0
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type result struct {
	// Answers of the flood while one of the quiet user's was waited for, in order of number.
	Between []int64 `json:"between"`
	// Milliseconds that these took, in order of length.
	Took []float64 `json:"took"`
	// Answers of the flood in all.
	Flood int64 `json:"flood"`
}

func main() {
	server := flag.String("server", "", "base URL")
	ca := flag.String("ca", "", "file with the server's authority")
	path := flag.String("path", "", "what is listed")
	query := flag.String("query", "", "what is listed of it")
	get := flag.String("get", "", "name of the object that is asked for")
	connections := flag.Int("connections", 40, "of the flood")
	requests := flag.Int("requests", 300, "of the quiet user")
	flag.Parse()

	pem, err := os.ReadFile(*ca)
	fatal(err)
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(pem)

	var flooded atomic.Int64
	var begun, over sync.WaitGroup
	done := make(chan struct{})
	for range *connections {
		begun.Add(1)
		over.Add(1)
		go func() {
			defer over.Done()
			client := clientOf(authorities)
			for first := true; ; first = false {
				select {
				case <-done:
					return
				default:
				}
				ask(client, *server+*path+"?"+*query, "flood-token")
				flooded.Add(1)
				if first {
					begun.Done()
				}
			}
		}()
	}
	begun.Wait()
	counts := result{}
	quiet := clientOf(authorities)
	for range *requests {
		before, since := flooded.Load(), time.Now()
		ask(quiet, *server+*path+"/"+*get, "quiet-token")
		counts.Between = append(counts.Between, flooded.Load()-before)
		counts.Took = append(counts.Took, float64(time.Since(since).Microseconds())/1000)
	}
	close(done)
	counts.Flood = flooded.Load()
	over.Wait()
	slices.Sort(counts.Between)
	slices.Sort(counts.Took)
	fatal(json.NewEncoder(os.Stdout).Encode(counts))
}

// Each with a connection of its own.
func clientOf(authorities *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}}}
}

func ask(client *http.Client, url, token string) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	fatal(err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(request)
	fatal(err)
	_, err = io.Copy(io.Discard, answer.Body)
	fatal(err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		fatal(fmt.Errorf("%s: %s", url, answer.Status))
	}
}

func fatal(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
