// Package proxy stands between a client and a server, and makes the network between them bad:
// it delays, throttles, cuts, stalls and refuses. TCP neither loses, doubles nor reorders what it
// delivers, so a proxy cannot either.
package proxy
