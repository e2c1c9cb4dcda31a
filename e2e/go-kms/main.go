// A KMS plugin for tests: it serves k8s.io/kms/apis/v2 on a unix socket, with AES-GCM keys of its own.
//
//	kms-plugin SOCKET FOLDER
//
// FOLDER/state.json says how it behaves, and is read at each call: keyID is the key it encrypts with, which is
// made when it is not there; mode is ok, fail (every call), sick (Status alone) or hang (no call ever ends).
// FOLDER/<keyID>.key is a key; whoever removes it has destroyed it. FOLDER/calls gets a line for each call.
package main

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/kms/pkg/service"
)

// Upstream wants what a plugin adds to be told apart by the names of domains.
const annotation = "version.kms-plugin.example"

const keyBytes = 32

type state struct {
	KeyID string `json:"keyID"`
	Mode  string `json:"mode"`
}

type plugin struct {
	folder string
}

func (p *plugin) Status(ctx context.Context) (*service.StatusResponse, error) {
	now, err := p.begin(ctx, "Status")
	if err != nil {
		return nil, err
	}
	healthz := "ok"
	if now.Mode == "sick" {
		healthz = "the plugin is told to be sick"
	}
	return &service.StatusResponse{Version: "v2", Healthz: healthz, KeyID: now.KeyID}, nil
}

func (p *plugin) Encrypt(ctx context.Context, uid string, data []byte) (*service.EncryptResponse, error) {
	now, err := p.begin(ctx, "Encrypt")
	if err != nil {
		return nil, err
	}
	sealer, err := p.sealer(now.KeyID, true)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, sealer.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, err
	}
	return &service.EncryptResponse{
		Ciphertext:  sealer.Seal(nonce, nonce, data, []byte(now.KeyID)),
		KeyID:       now.KeyID,
		Annotations: map[string][]byte{annotation: []byte("1")},
	}, nil
}

func (p *plugin) Decrypt(ctx context.Context, uid string, request *service.DecryptRequest) ([]byte, error) {
	if _, err := p.begin(ctx, "Decrypt"); err != nil {
		return nil, err
	}
	if string(request.Annotations[annotation]) != "1" {
		return nil, status.Error(codes.InvalidArgument, "the annotations were lost")
	}
	sealer, err := p.sealer(request.KeyID, false)
	if err != nil {
		return nil, err
	}
	if len(request.Ciphertext) < sealer.NonceSize() {
		return nil, status.Error(codes.InvalidArgument, "the ciphertext was cut off")
	}
	nonce, text := request.Ciphertext[:sealer.NonceSize()], request.Ciphertext[sealer.NonceSize():]
	return sealer.Open(nil, nonce, text, []byte(request.KeyID))
}

// begin writes down the call, and does what the state says.
func (p *plugin) begin(ctx context.Context, call string) (*state, error) {
	file, err := os.OpenFile(filepath.Join(p.folder, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, call); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "state.json"))
	if err != nil {
		return nil, err
	}
	now := &state{}
	if err := json.Unmarshal(text, now); err != nil {
		return nil, err
	}
	switch now.Mode {
	case "fail":
		return nil, status.Error(codes.Internal, "the plugin is told to fail")
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return now, nil
}

func (p *plugin) sealer(keyID string, mayMake bool) (cipher.AEAD, error) {
	path := filepath.Join(p.folder, keyID+".key")
	key, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && mayMake {
		key = make([]byte, keyBytes)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
		err = os.WriteFile(path, key, 0o600)
	}
	if err != nil {
		return nil, status.Error(codes.NotFound, "there is no such key")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kms-plugin SOCKET FOLDER")
		os.Exit(2)
	}
	socket, folder := os.Args[1], os.Args[2]
	// What a plugin that was killed has left.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := service.NewGRPCService(socket, 5*time.Second, &plugin{folder: folder})
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
